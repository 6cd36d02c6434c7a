# SPDX-License-Identifier: GPL-3.0-or-later
"""Input and output of place.py around nextpnr: the list of cores, the module around a core, nextpnr's report."""
import unittest

import place

TESTS = {"tests": [
    {"name": "fpga_mixer_lint", "command": ["/usr/bin/python3", "-B", "/s/fpga/sim/test_lint.py", "mixer", "/b/roms", "/s/fpga/rtl/mixer/mixer.v"]},
    {"name": "fpga_mixer_budget", "command": ["/usr/bin/python3", "-B", "/s/fpga/synth/test_budget.py", "mixer", "/b/roms", "/s/fpga/rtl/mixer/mixer.v",
                                              "/s/fpga/rtl/common/nco.v"]},
    {"name": "fpga_fifo_budget", "command": ["/usr/bin/python3", "-B", "/s/fpga/synth/test_budget.py", "fifo", "/b/roms", "/s/fpga/rtl/common/fifo.v"]}]}


def step(kind, delay, start, end):
    return {"type": kind, "delay": delay, "from": {"cell": start, "port": "Q"}, "to": {"cell": end, "port": "D"}}


REPORT = {
    "fmax": {"$glbnet$clk": {"achieved": 62.5, "constraint": 100.0}},
    "utilization": {"TRELLIS_COMB": {"available": 83640, "used": 12}, "TRELLIS_FF": {"available": 83640, "used": 34},
                    "MULT18X18D": {"available": 156, "used": 5}, "DP16KD": {"available": 208, "used": 6}},
    "critical_paths": [
        {"from": "<async>", "to": "posedge $glbnet$clk", "path": [step("routing", 50.0, "pin", "other")]},
        {"from": "posedge $glbnet$clk", "to": "posedge $glbnet$clk",
         "path": [step("clk-to-q", 0.5, "first", "first"), step("routing", 9.25, "first", "lut"), step("logic", 5.75, "lut", "lut"),
                  step("routing", 0.25, "lut", "last"), step("setup", 0.25, "last", "last")]}]}


class Place(unittest.TestCase):
    def test_cores_are_those_of_the_budgets(self):
        self.assertEqual(place.cores_of(TESTS), {"mixer": ("/b/roms", ["/s/fpga/rtl/mixer/mixer.v", "/s/fpga/rtl/common/nco.v"])})

    def test_each_port_is_a_register(self):
        text = place.harness("mixer", {"clk": {"direction": "input", "bits": [2]}, "rst": {"direction": "input", "bits": [3]},
                                       "data": {"direction": "input", "bits": [4, 5, 6]}, "ready": {"direction": "output", "bits": [7]},
                                       "sum": {"direction": "output", "bits": [8, 9]}})
        self.assertIn("reg [3:0] inputs;", text)
        self.assertIn("reg [2:0] taken;", text)
        self.assertIn("mixer core (.clk(clk), .rst(inputs[0+:1]), .data(inputs[1+:3]), .ready(outputs[0+:1]), .sum(outputs[1+:2]));", text)

    def test_report(self):
        self.assertEqual(place.figures(REPORT), {"lut4": 12, "ff": 34, "dsp": 5, "bram": 6, "mhz": 62.5, "from": "first", "to": "last",
                                                 "logic": 6.5, "routing": 9.5})

    def test_row(self):
        self.assertEqual(place.row("mixer", place.figures(REPORT)).split(None, 6),
                         ["mixer", "12", "34", "5", "6", "62.5", "6.5 + 9.5 ns, first -> last"])


if __name__ == "__main__":
    unittest.main()
