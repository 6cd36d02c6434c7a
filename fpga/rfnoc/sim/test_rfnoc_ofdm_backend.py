# SPDX-License-Identifier: GPL-3.0-or-later
"""Packets of carriers through the back end's block: packets of samples; a soft reset in the middle of a symbol."""
from random import Random

import cocotb

from noc import Block, Packet, check_common
from test_ofdm_backend import GAIN, LEVELS, PREFIX, TIME, off, samples, symbols

PREFIX_REGISTER, GAIN_REGISTER, SYMBOLS, BAD_LENGTHS = 0x08, 0x0C, 0x10, 0x18
LENGTH = 256 + (8 << PREFIX)


def packets():
    for n, carriers in enumerate(symbols()):
        yield Packet([(i & 0xFFFF) << 16 | q & 0xFFFF for i, q in carriers], None if n else TIME, n == len(LEVELS) - 1)


async def set_up(block):
    await block.write(PREFIX_REGISTER, PREFIX)
    await block.write(GAIN_REGISTER, GAIN)


async def check_burst(block):
    await block.send(list(packets()))
    got = await block.until(len(LEVELS))
    wanted = [samples(carriers) for carriers in symbols()]
    assert [(len(packet.words), packet.time, packet.end_of_burst) for packet in got] == \
        [(LENGTH, None if n else TIME, n == len(LEVELS) - 1) for n in range(len(LEVELS))]
    for packet, symbol in zip(got, wanted):
        assert max(off(word, exact) for word, exact in zip(packet.words, symbol)) < 2.5
    assert await block.read(SYMBOLS) == len(LEVELS) and await block.read(BAD_LENGTHS) == 0


@cocotb.test()
async def symbols_are_samples(dut):
    block = Block(dut, Random(1))
    await block.reset()
    await check_common(block, 0x80216004, int.from_bytes(b"OFTX", "big"), 0x00010000)
    await set_up(block)
    await check_burst(block)


@cocotb.test()
async def a_soft_reset_forgets_half_a_burst(dut):
    block = Block(dut, Random(2))
    await block.reset()
    await set_up(block)
    whole, half, _ = packets()
    await block.send([whole, Packet(half.words[:77])])
    await block.until(1)
    await block.soft_reset()
    assert await block.read(GAIN_REGISTER) == 37073 and await block.read(SYMBOLS) == 0
    await set_up(block)
    await check_burst(block)
