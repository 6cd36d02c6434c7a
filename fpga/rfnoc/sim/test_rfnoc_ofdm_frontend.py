# SPDX-License-Identifier: GPL-3.0-or-later
"""Packets of samples and orders through the front end's block: packets of symbols, their time in ticks."""
from random import Random

import cocotb

from noc import Block, Packet, check_common, wrapper_registers
from test_ofdm_frontend import FIRST, check, stream

TICKS_LOG2, REST = 4, 9
LENGTH = 300
CONTROL, ORDERS, SAMPLES, SYMBOLS = 0x08, 0x20, 0x10, 0x18
MOST_WAITING = 32


def ticks(sample):
    return sample << TICKS_LOG2 | REST


async def order(block, word):
    """Its time is in samples."""
    time = ticks(word & (1 << 64) - 1)
    for place, half in enumerate((time, time >> 32, word >> 64, word >> 96)):
        await block.write(wrapper_registers()["kOwn"] + 4 * place, half & 0xFFFFFFFF)


@cocotb.test()
async def ordered_symbols_are_packets(dut):
    block = Block(dut, Random(1))
    await block.reset()
    await check_common(block, 0x80216003, int.from_bytes(b"OFRX", "big"), 0x00010000)
    await block.write(wrapper_registers()["kTicksLog2"], TICKS_LOG2)
    await block.write(CONTROL, 1)
    samples, orders, symbols = stream()
    for word in orders:
        await order(block, word)
    words = [(i & 0xFFFF) << 16 | q & 0xFFFF for i, q in samples]
    await block.send([Packet(words[n:n + LENGTH], ticks(FIRST + n)) for n in range(0, len(words), LENGTH)])
    got = await block.until(len(symbols))
    assert [len(packet.words) for packet in got] == [201] * len(symbols)
    for packet, symbol in zip(got, symbols):
        assert (packet.time, packet.end_of_burst) == (ticks(symbol[3]), symbol[2])
        check(symbol, *packet.words[:1], packet.words[1:])
    assert await block.read(SAMPLES) in (len(samples), len(samples) - 1)
    assert await block.read(SYMBOLS) == len(symbols)
    assert await block.read(wrapper_registers()["kStatus"]) == 0


@cocotb.test()
async def orders_that_find_no_room_are_counted(dut):
    block = Block(dut, Random(2))
    await block.reset()
    for _ in range(MOST_WAITING):
        assert await block.read(ORDERS) & 2 == 0
        await order(block, 1 << 62)
    status = wrapper_registers()["kStatus"]
    assert await block.read(ORDERS) & 2 and await block.read(status) == 0
    await order(block, 1 << 62)
    assert await block.read(status) == 1
    await block.soft_reset()
    assert await block.read(ORDERS) & 2 == 0 and await block.read(status) == 0
