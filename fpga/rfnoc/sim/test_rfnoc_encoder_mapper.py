# SPDX-License-Identifier: GPL-3.0-or-later
"""Golden bursts through the encoder's block: a packet of bytes in, one packet of carriers per symbol out, with the time of the input."""
from random import Random

import cocotb

from noc import Block, Packet, check_common
from test_encoder_mapper import VECTORS, carriers_of, near, words_of

BURSTS = (0, 3, -1)  # of one rate each
COUNTS = (0x08, 0x0C, 0x10)  # bursts, symbols, refused


@cocotb.test()
async def golden_bursts(dut):
    block = Block(dut, Random(1))
    await block.reset()
    await check_common(block, 0x80216006, int.from_bytes(b"ENCM", "big"), 1)
    bursts = [VECTORS["bursts"][place] for place in BURSTS]
    sent = [[word["tdata"] for word in words_of(burst)] for burst in bursts]
    # The second burst has two packets, the last without a time.
    times = [1 << 40, (1 << 40) + 77, None]
    await block.send([Packet(sent[0], times[0], True), Packet(sent[1][:10], times[1]), Packet(sent[1][10:], None, True),
                      Packet(sent[2], times[2], True)])
    got = await block.until(2 * len(bursts))
    for n, (burst, time) in enumerate(zip(bursts, times)):
        first, second = got[2 * n:2 * n + 2]
        assert (first.time, first.end_of_burst, second.time, second.end_of_burst) == (time, False, None, True)
        points = carriers_of(burst)
        assert len(first.words) == len(second.words) == 200
        assert all(near(word, point) for word, point in zip(first.words + second.words, points)), burst["rate"]
    assert [await block.read(address) for address in COUNTS] == [len(bursts), 2 * len(bursts), 0]
