#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws docs/fpga-waveform.svg: signals of the core burst_gate, simulated by Icarus Verilog, while it sends a burst at its time and drops a late one.
Usage: ./wimax python docs/studies/fpga_waveform.py docs/fpga-waveform.svg"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt

from wimax_tools import pictures

TOP = Path(__file__).resolve().parents[2]
RTL = TOP / "fpga/rtl"
FIRST, LAST = 7, 41  # cycles that are drawn
BENCH = """
module bench;
  reg clk = 0, rst = 1, write = 0, valid = 0, last = 0;
  reg [19:0] address = 0;
  reg [31:0] value = 0, data = 0;
  reg [63:0] at = 0, now = 0;
  wire ready, ticked, sends, ends, line;
  wire [31:0] sample;
  burst_gate gate(.clk(clk), .rst(rst), .s_axis_tdata(data), .s_axis_tvalid(valid), .s_axis_tready(ready), .s_axis_tlast(last),
    .s_axis_ttimestamp(at), .s_axis_thas_time(1'b1), .s_axis_teob(last), .s_time_ttimestamp(now), .s_time_tvalid(1'b1), .s_time_tready(ticked),
    .m_axis_tdata(sample), .m_axis_tvalid(sends), .m_axis_tready(1'b1), .m_axis_tlast(), .m_axis_ttimestamp(), .m_axis_thas_time(),
    .m_axis_teob(ends), .tr_line(line), .s_ctrlport_req_wr(write), .s_ctrlport_req_rd(1'b0), .s_ctrlport_req_addr(address),
    .s_ctrlport_req_data(value), .s_ctrlport_resp_ack(), .s_ctrlport_resp_data());
  always #5 clk = !clk;
  always @(posedge clk) if (ticked && !rst) now <= now + 1;
  task setting(input [19:0] where, input [31:0] what); begin
    address <= where; value <= what; write <= 1; @(posedge clk); write <= 0;
  end endtask
  task burst(input [63:0] time_, input integer words); integer i; begin
    at <= time_;
    for (i = 0; i < words; i = i + 1) begin
      data <= 32'hA0 + i; valid <= 1; last <= i == words - 1;
      @(posedge clk); while (!ready) @(posedge clk);
    end
    valid <= 0; last <= 0;
  end endtask
  initial begin
    $dumpfile("wave.vcd");
    $dumpvars(0, bench);
    repeat (2) @(posedge clk);
    rst <= 0;
    setting(20'h1C, 1000); setting(20'h0C, 1); setting(20'h10, 3); setting(20'h14, 2); setting(20'h08, 1);
    burst(12, 6);
    burst(10, 3);
    repeat (14) @(posedge clk);
    $finish;
  end
endmodule
"""
# Name on the picture, name in the simulation, a number to print in it or None.
ROWS = (("clk", "clk", None), ("s_time_ttimestamp", "now", str), ("s_time_tready", "ticked", None),
        ("s_axis_tvalid", "valid", None), ("s_axis_tready", "ready", None), ("s_axis_ttimestamp", "at", str), ("s_axis_tdata", "data", "{:X}".format),
        ("s_axis_teob", "last", None), ("m_axis_tvalid", "sends", None), ("m_axis_tdata", "sample", "{:X}".format), ("m_axis_teob", "ends", None),
        ("tr_line", "line", None))


def simulate():
    """{name of the bench: [(time, value)]} of one run."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "bench.v").write_text(BENCH, encoding="ascii")
        sources = [RTL / "common/ctrlport_registers.v", RTL / "burst_gate/burst_gate.v"]
        subprocess.run(["iverilog", "-g2005", "-I", RTL / "common", "-s", "bench", "-o", "bench", "bench.v", *sources], cwd=folder, check=True)
        subprocess.run(["vvp", "-n", "bench"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        text = Path(folder, "wave.vcd").read_text(encoding="ascii")
    header, _, changes = text.partition("$enddefinitions $end")
    names = {code: name for code, name in re.findall(r"^\$var \w+ \d+ (\S+) (\w+)(?: \[\d+:0\])? \$end$", header.split("$scope module gate")[0], re.M)}
    seen, now = {name: [] for name in names.values()}, 0
    for line in changes.split("\n"):
        if line.startswith("#"):
            now = int(line[1:])
        elif found := re.fullmatch(r"(?:b([01xz]+) |([01xz]))(\S+)", line):
            if found[3] in names:
                seen[names[found[3]]].append((now, int(re.sub("[xz]", "0", found[1] or found[2]), 2)))
    return seen


def steps(changes, begin, end):
    """(from, to, value) of each stretch between two times."""
    edges = [change for change in changes if change[0] < end] + [(end, None)]
    return [(max(at, begin), min(then, end), value) for (at, value), (then, _) in zip(edges, edges[1:]) if then > begin]


def draw(seen, picture):
    begin, end = 10 * FIRST - 5, 10 * LAST - 5  # from edge to edge
    figure, axes = plt.subplots(figsize=(11, 4.6), layout="constrained")
    for row, (label, name, text) in enumerate(ROWS):
        base = -row
        stretches = steps(seen[name], begin, end)
        if text is None:
            points = [(x, base + 0.6 * value) for at, then, value in stretches for x in (at, then)]
            axes.plot(*zip(*points), color="#08519c", linewidth=1)
        for at, then, value in stretches if text else ():
            axes.fill([at, at + 1, then - 1, then, then - 1, at + 1], [base + 0.3, base + 0.6, base + 0.6, base + 0.3, base, base],
                      facecolor="#f7fbff", edgecolor="#08519c", linewidth=0.8)
            if then - at >= 10:
                axes.text((at + then) / 2, base + 0.28, text(value), ha="center", va="center", fontsize=6.5)
        axes.text(begin - 4, base + 0.3, label, ha="right", va="center", fontsize=8, family="monospace")
    axes.set(xlim=(begin - 2, end + 2), ylim=(-len(ROWS) + 0.6, 1.1), xticks=[], yticks=[])
    axes.spines[:].set_visible(False)
    pictures.save(figure, picture)


if __name__ == "__main__":
    draw(simulate(), sys.argv[1])
