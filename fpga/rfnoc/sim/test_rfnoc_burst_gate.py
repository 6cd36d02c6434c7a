# SPDX-License-Identifier: GPL-3.0-or-later
"""Bursts through the gate's block: packets ahead of their time, the line at it, late bursts dropped."""
from random import Random

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

from noc import Block, Packet, check_common, wrapper_registers

TICKS_LOG2, REST = 2, 3
NOW = 1 << 30  # at the first reset, in samples
ADVANCE = 500
EDGE, LEAD, LAG = 3, 20, 10
ENABLE, BURSTS, LATE, SILENCED, LATE_BY = 0x08, 0x2C, 0x30, 0x3C, 0x44
MOST = 256  # words of a packet


class Radio:
    """Drives its time, a tick per clock, and records when the line was on."""

    def __init__(self, dut):
        self.dut, self.ticks, self.lines = dut, NOW << TICKS_LOG2, []
        dut.radio_time.value = self.ticks
        cocotb.start_soon(self._count())
        cocotb.start_soon(self._watch())

    def now(self):
        return self.ticks >> TICKS_LOG2

    async def _count(self):
        while True:
            await RisingEdge(self.dut.radio_clk)
            self.ticks += 1
            self.dut.radio_time.value = self.ticks

    async def _watch(self):
        while True:
            await RisingEdge(self.dut.tr_line)
            begin = self.now()
            await FallingEdge(self.dut.tr_line)
            self.lines.append((begin, self.now()))

    async def until(self, sample):
        while self.now() < sample:
            await RisingEdge(self.dut.radio_clk)


def ticks(sample):
    return sample << TICKS_LOG2 | REST


async def start(dut, seed):
    radio = Radio(dut)
    block = Block(dut, Random(seed))
    await block.reset()
    return block, radio


async def set_up(block, radio):
    registers = wrapper_registers()
    for address, value in ((registers["kTicksLog2"], TICKS_LOG2), (registers["kOwn"], ADVANCE), (0x0C, EDGE), (0x10, LEAD), (0x14, LAG), (ENABLE, 1)):
        await block.write(address, value)
    await radio.until(radio.now() + ADVANCE)  # by then the gate's time is ahead


@cocotb.test()
async def a_burst_leaves_ahead_of_its_time_and_the_line_is_on_at_it(dut):
    block, radio = await start(dut, 1)
    await check_common(block, 0x80216002, int.from_bytes(b"BGTE", "big"), 1)
    await set_up(block, radio)
    assert await block.read(wrapper_registers()["kOwn"]) == ADVANCE
    at = radio.now() + ADVANCE + 500
    random = Random(2)
    samples = [random.getrandbits(32) for _ in range(300)]
    await block.send([Packet(samples[:200], ticks(at)), Packet(samples[200:], None, True)])
    wanted = [0] * (EDGE + LEAD) + samples + [0] * (LAG + EDGE)
    got = [(*await block.until(1), radio.now())]
    got.append(((await block.until(2))[1], radio.now()))
    first, second = (packet for packet, _ in got)
    assert first.words + second.words == wanted and len(first.words) == MOST
    assert (first.time, first.end_of_burst, second.end_of_burst) == (ticks(at - LEAD - EDGE), False, True)
    assert second.time == ticks(at - LEAD - EDGE + MOST)
    begins = at - LEAD - EDGE, at - LEAD - EDGE + MOST
    assert all(now < begin for (_, now), begin in zip(got, begins))
    await radio.until(at + len(samples) + LAG + 20)
    (on, off), = radio.lines
    # The radio's time takes some clocks to reach the gate.
    assert 0 <= on - (at - LEAD) <= 4 and 0 <= off - (at + len(samples) + LAG) <= 4, (on - at, off - at)
    assert await block.read(BURSTS) == 1 and await block.read(LATE) == 0


@cocotb.test()
async def what_is_late_at_the_gate_is_left_out(dut):
    block, radio = await start(dut, 3)
    await set_up(block, radio)
    late = radio.now() + ADVANCE - 50
    await block.send([Packet([1, 2, 3], ticks(late), True)])
    at = radio.now() + ADVANCE + 400
    await block.send([Packet([4, 5, 6], ticks(at), True)])
    packet, = await block.until(1)
    assert (packet.words, packet.time, packet.end_of_burst) == ([0] * (EDGE + LEAD) + [4, 5, 6] + [0] * (LAG + EDGE), ticks(at - LEAD - EDGE), True)
    assert await block.read(BURSTS) == 1 and await block.read(LATE) == 1
    assert await block.read(LATE_BY) > 50
    await block.soft_reset()
    assert await block.read(ENABLE) == 0 and int(dut.tr_line.value) == 0


@cocotb.test()
async def without_being_enabled_nothing_leaves(dut):
    block, radio = await start(dut, 4)
    await block.write(wrapper_registers()["kTicksLog2"], TICKS_LOG2)
    at = radio.now() + 200
    await block.send([Packet([1, 2, 3], ticks(at), True)])
    await radio.until(at + 50)
    assert block.packets[0] == [] and radio.lines == []
    assert await block.read(SILENCED) == 1 and await block.read(BURSTS) == 0
