# SPDX-License-Identifier: GPL-3.0-or-later
"""Golden bursts through the decoder's block: packets of carriers in, one packet of bytes per symbol and one of the status out."""
from random import Random

import cocotb

from noc import Block, Packet, check_common
from test_demap_viterbi_rs import VECTORS, wanted_of, words_of

BURSTS = (0, 3, -1)  # of one rate each
COUNTS = (0x08, 0x0C, 0x10)  # bursts, failed blocks, refused


def packets_of(words):
    packet, time = [], None
    for word in words:
        packet.append(word["tdata"])
        time = word["ttimestamp"] if word["thas_time"] else time
        if word["tlast"]:
            yield Packet(packet, time, bool(word["teob"]))
            packet, time = [], None


@cocotb.test()
async def golden_bursts(dut):
    block = Block(dut, Random(1))
    await block.reset()
    await check_common(block, 0x80216005, int.from_bytes(b"DVRS", "big"), 1)
    bursts = [(VECTORS["bursts"][place], (1 << 40) + n) for n, place in enumerate(BURSTS)]
    random, wanted = Random(3), []
    for burst, time in bursts:
        words = [word["tdata"] for word in words_of(burst, time, random)]
        await block.send([Packet(words[:200], time), Packet(words[200:], None, True)])
        wanted += packets_of(wanted_of(burst, time))
    got = await block.until(len(wanted))
    for packet in got:
        if packet.end_of_burst:
            packet.words[-1] &= 0xFFFF0000  # noise may have caused a byte that was corrected
    assert got == wanted
    assert [await block.read(address) for address in COUNTS] == [len(bursts), 0, 0]
