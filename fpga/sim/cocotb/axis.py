# SPDX-License-Identifier: GPL-3.0-or-later
"""Ends of AXI-Streams with random stalls, and registers by ctrlport, for all tests with cocotb."""
import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge

SIDEBAND = ("tlast", "ttimestamp", "thas_time", "teob")


async def start(dut, cycles=2):
    """Starts clock and reset, with silent streams. Returns just after a falling edge, where all that follows starts."""
    for name in dir(dut):
        if name.endswith(("_tvalid", "_req_wr", "_req_rd")) and name.startswith("s_") or name.startswith("m_") and name.endswith("_tready"):
            getattr(dut, name).value = 0
    cocotb.start_soon(Clock(dut.clk, 2, "step").start())
    dut.rst.value = 1
    for _ in range(cycles):
        await RisingEdge(dut.clk)
    await FallingEdge(dut.clk)
    dut.rst.value = 0


class Port:
    """Signals of one stream, by its prefix; a word is {"tdata": ..., "tlast": ...} with the signals that it has."""

    def __init__(self, dut, prefix):
        self.clk = dut.clk
        self.valid, self.ready = getattr(dut, f"{prefix}_tvalid"), getattr(dut, f"{prefix}_tready")
        self.signals = {name: getattr(dut, f"{prefix}_{name}") for name in ("tdata", *SIDEBAND) if hasattr(dut, f"{prefix}_{name}")}


async def send(port, words, random, stall=0.5):
    """Drives at falling edges; a valid word stays until it is taken."""
    for word in words:
        while random.random() < stall:
            port.valid.value = 0
            await FallingEdge(port.clk)
        port.valid.value = 1
        for name, signal in port.signals.items():
            signal.value = word.get(name, 0)
        while True:
            await RisingEdge(port.clk)
            taken = int(port.ready.value)
            await FallingEdge(port.clk)
            if taken:
                break
    port.valid.value = 0


async def receive(port, count, random, stall=0.5, cycles=60_000):
    words = []
    for _ in range(cycles):
        port.ready.value = int(random.random() >= stall)
        await RisingEdge(port.clk)
        if int(port.valid.value) and int(port.ready.value):
            words.append({name: int(signal.value) for name, signal in port.signals.items()})
        await FallingEdge(port.clk)
        if len(words) == count:
            break
    port.ready.value = 0
    return words


async def _request(dut, strobe, address):
    dut.s_ctrlport_req_addr.value = address
    strobe.value = 1
    await FallingEdge(dut.clk)
    strobe.value = 0
    while not int(dut.s_ctrlport_resp_ack.value):
        await FallingEdge(dut.clk)
    return int(dut.s_ctrlport_resp_data.value)


async def write_register(dut, address, value):
    dut.s_ctrlport_req_data.value = value
    await _request(dut, dut.s_ctrlport_req_wr, address)


async def read_register(dut, address):
    return await _request(dut, dut.s_ctrlport_req_rd, address)
