# SPDX-License-Identifier: GPL-3.0-or-later
"""Descriptions of blocks and images, Verilog and controllers agree on each block; the output of UHD's image builder agrees with the images.
Arguments: files of the cores, and the blocks' names behind --."""
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import yaml

import images

HERE = Path(__file__).parent
SPLIT = sys.argv.index("--")
FILES, BLOCKS = set(sys.argv[1:SPLIT]), sys.argv[SPLIT + 1:]
VERILOG = HERE / "fpga/wimax"
UNCONNECTED = r"Block port radio\d\.\w+_1 is not connected$"  # UHD 4.8 reports the antennas that the image omits
OWN_PARAMETERS = {"THIS_PORTID", "CHDR_W", "MTU"}  # set by an image


def load(path):
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def description(block):
    return load(HERE / f"blocks/{block}.yml")


def module(block):
    """Parameters with their values, and ports: name to (direction, width)."""
    text = (VERILOG / f"rfnoc_block_{block}.v").read_text(encoding="utf-8")
    text = re.sub(r'`include "(\w+\.vh)"', lambda found: (VERILOG / found[1]).read_text(encoding="utf-8"), text, count=1)
    text = re.sub(r"//[^\n]*", "", text)
    head = text[text.index(f"module rfnoc_block_{block} "):text.index(";")]
    parameters = {name: value for name, value in re.findall(r"parameter\s+(?:\[[\d:]+\]\s*)?(\w+)\s*=\s*([\w']+)", head)}
    ports = {name: (direction, width) for direction, width, name in
             re.findall(r"(input|output)\s+wire\s*(?:\[([^\]]+)\])?\s*(\w+)", head)}
    return parameters, ports


def number(value):
    base, digits = re.fullmatch(r"(?:\d+'([hd]))?(\w+)", value).groups()
    return int(digits, 16 if base == "h" else 10)


def controllers():
    """Block to (NoC ID, outputs)."""
    text = (HERE / "control/blocks.h").read_text(encoding="utf-8")
    return {name: (int(noc_id, 16), int(outputs)) for name, noc_id, outputs in
            re.findall(r'BlockFacts k\w+\{"(\w+)", (0x\w+),[^}]*, (\d+)\}', text)}


class Blocks(unittest.TestCase):
    maxDiff = None

    def test_one_of_each_kind_for_each_block(self):
        wanted = sorted(BLOCKS)
        self.assertEqual(len(wanted), 6)
        self.assertEqual(sorted(path.stem for path in (HERE / "blocks").glob("*.yml")), wanted)
        self.assertEqual(sorted(path.stem for path in VERILOG.glob("rfnoc_block_*.v")), [f"rfnoc_block_{block}" for block in wanted])
        self.assertEqual(sorted(controllers()), wanted)

    def test_noc_id_and_streams(self):
        known = controllers()
        for block in BLOCKS:
            said, (parameters, _) = description(block), module(block)
            self.assertEqual((said["schema"], said["module_name"]), ("rfnoc_modtool_args", block))
            streams = len(said["data"]["inputs"]), len(said["data"]["outputs"])
            self.assertEqual((said["noc_id"], *streams),
                             tuple(number(parameters[name]) for name in ("NOC_ID", "INPUTS", "OUTPUTS")), block)
            self.assertEqual((said["noc_id"], 1, streams[1]), (known[block][0], streams[0], known[block][1]), block)
        self.assertEqual(len({noc_id for noc_id, _ in known.values()}), len(known))

    def test_streams_are_what_the_shell_makes(self):
        shell = (VERILOG / "wimax_noc_shell.v").read_text(encoding="utf-8")
        self.assertIn(".ITEM_W(32), .NIPC(1)", shell)
        fifo = 1 << int(re.search(r"FIFO_LOG2 = (\d+)", shell)[1])
        for block in BLOCKS:
            said = description(block)
            self.assertEqual(said["control"]["fifo_depth"], fifo)
            self.assertEqual((said["data"]["fpga_iface"], said["data"]["clk_domain"], said["control"]["clk_domain"]), ("axis_data", "ce", "ce"))
            for kind, depth in (("inputs", fifo), ("outputs", "2**MTU")):
                for stream in said["data"][kind].values():
                    self.assertEqual((stream["item_width"], stream["nipc"], stream["info_fifo_depth"], stream["payload_fifo_depth"]), (32, 1, fifo, depth), block)
                    self.assertEqual(stream.get("sideband_at_end"), True if kind == "outputs" else None)

    def test_clocks_and_the_radios_time_are_ports(self):
        for block in BLOCKS:
            said, (_, ports) = description(block), module(block)
            self.assertEqual({f"{clock['name']}_clk" for clock in said["clocks"]}, {name for name in ports if name.endswith("_clk")}, block)
            self.assertEqual("time" in said.get("io_ports", {}), ports.get("radio_time") == ("input", "63:0"), block)

    def test_sources_of_an_image_are_all_that_the_cores_need(self):
        done = subprocess.run(["make", "-s", "-f", HERE / "fpga/Makefile.srcs", "--eval", "RFNOC_OOT_SRCS :=",
                               "--eval", "print: ; @echo $(RFNOC_OOT_SRCS)", "print"], stdout=subprocess.PIPE, text=True, check=True)
        listed = set(done.stdout.split())
        self.assertTrue(FILES)
        self.assertEqual(FILES - listed, set())
        self.assertEqual(set(map(str, VERILOG.glob("*.v"))) - listed, set())
        names = [name for path in listed for name in re.findall(r"^module +(\w+)", Path(path).read_text(encoding="utf-8"), re.M)]
        self.assertEqual(len(names), len(set(names)))


@unittest.skipUnless(images.BUILDER, images.MISSING)
class Images(unittest.TestCase):
    """Output of UHD's builder for the images."""
    maxDiff = None

    def build(self, device):
        """The image core, and its static routes."""
        with tempfile.TemporaryDirectory(prefix="wimax-image-") as folder:
            folder = Path(folder)
            code, said = images.make(device, folder)
            self.assertEqual(code, 0, said)
            self.assertEqual([line for line in said.splitlines() if re.match(r"\[(war|err)", line, re.I) and not re.search(UNCONNECTED, line)], [])
            return images.core(device, folder).read_text(encoding="utf-8"), images.routes(device, folder)

    def check(self, device):
        image = load(HERE / f"icores/wimax_{device}.yml")
        core, routes = self.build(device)
        numbers = {name: place + 1 for place, name in enumerate([*image["stream_endpoints"], *image["noc_blocks"]])}
        for block in BLOCKS:
            self.assertEqual(image["noc_blocks"][f"{block}0"], {"block_desc": f"{block}.yml"})
            found = re.search(rf"rfnoc_block_{block} #\((.*?)\) (\w+) \((.*?)\n  \);", core, re.S)
            parameters, ports = module(block)
            self.assertEqual(set(re.findall(r"\.(\w+)", found[1])), OWN_PARAMETERS)
            self.assertLessEqual(OWN_PARAMETERS, set(parameters))
            self.assertEqual(set(re.findall(r"^ +\.(\w+)", found[3], re.M)), set(ports) - {"tr_line"})
            self.assertIn(f"assign {block}0_ce_clk = rfnoc_ctrl_clk;", core)
            # Every stream has a destination: received and sent samples.
            said = description(block)["data"]
            for kind, end in (("inputs", 2), ("outputs", 0)):
                at = {route[end + 1] for route in routes if route[end] == numbers[f"{block}0"]}
                self.assertEqual(at, set(range(len(said[kind]))), (block, kind))
        self.assertIn("assign burst_gate0_radio_time = radio_time;", core)
        self.assertIn("assign burst_gate0_radio_clk = radio_clk;", core)
        self.assertIn((numbers["preamble_detect0"], 1, numbers["ep2"], 0), routes)
        self.assertIn((numbers["ep0"], 0, numbers["burst_gate0"], 0), routes)

    def test_x310(self):
        self.check("x310")

    def test_e320(self):
        self.check("e320")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
