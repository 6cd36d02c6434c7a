# SPDX-License-Identifier: GPL-3.0-or-later
"""Packets of samples through the detector's block: the output is unchanged, and the record has the time in ticks."""
from random import Random

import cocotb

from noc import Block, Packet, check_common, wrapper_registers
from test_preamble_detect import frame

TICKS_LOG2, REST = 5, 19  # 32 ticks per sample, which do not begin at a multiple of that
FIRST, LENGTH = 123_456_789, 364


@cocotb.test()
async def samples_pass_and_records_come(dut):
    block = Block(dut, Random(1))
    await block.reset()
    await check_common(block, 0x80216001, int.from_bytes(b"PDET", "big"), 1, outputs=2)
    registers = wrapper_registers()
    await block.write(registers["kTicksLog2"], TICKS_LOG2)
    await block.write(0x18, 0)  # no carrier offset to search
    cp, lead = 32, 700
    samples = [(i & 0xFFFF) << 16 | q & 0xFFFF for i, q in frame(cp, Random(2), lead)]
    ticks = lambda n: (FIRST + n) << TICKS_LOG2 | REST
    packets = [Packet(samples[n:n + LENGTH], ticks(n), n + LENGTH >= len(samples)) for n in range(0, len(samples), LENGTH)]
    await block.send(packets)
    assert await block.until(len(packets)) == packets
    record, = await block.until(1, port=1)
    assert record.time == ticks(lead) and record.end_of_burst
    word, metric, power = record.words
    assert word >> 16 == cp and 60 < 256 * metric / power < 163
    assert await block.read(0x24) == 1


@cocotb.test()
async def long_packets_are_cut(dut):
    block = Block(dut, Random(3))
    await block.reset()
    await block.write(wrapper_registers()["kPacketWords"], 100)
    samples = list(range(1, 251))
    await block.send([Packet(samples, 1 << 40, True)])
    got = await block.until(3)
    assert got == [Packet(samples[:100], 1 << 40), Packet(samples[100:200]), Packet(samples[200:], None, True)]
