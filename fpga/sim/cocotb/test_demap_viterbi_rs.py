# SPDX-License-Identifier: GPL-3.0-or-later
"""The golden vectors' bursts through a little noise, byte by byte, under any stalls; and registers."""
import json
import math
from pathlib import Path
from random import Random

import cocotb

from axis import Port, read_register, receive, send, start

VECTORS = json.loads((Path(__file__).parents[3] / "tests/vectors/phy_ofdm256.json").read_text(encoding="utf-8"))
UNIT = 512
SCALE = {1: 1.0, 2: math.sqrt(1 / 2), 4: math.sqrt(1 / 10), 6: math.sqrt(1 / 42)}
WEIGHT = 13 << 4  # 24 dB


def carriers_of(burst, random):
    bits = {"B": 1, "Q": 2, "1": 4, "6": 6}[burst["rate"][0]]
    levels = VECTORS["axis_levels"][str(max(bits // 2, 1))]
    for labels in burst["labels"]:
        for label in labels:
            text = format(label, f"0{bits}b")
            axes = (text, None) if bits == 1 else (text[:bits // 2], text[bits // 2:])
            point = [SCALE[bits] * levels[axis] if axis else 0 for axis in axes]
            i, q = (round(UNIT * (value + random.gauss(0, 0.045))) & 0xFFF for value in point)
            yield i << 20 | q << 8 | WEIGHT


def words_of(burst, time, random):
    stages = sum(int(bit) << i for i, bit in enumerate(burst["randomizer_stages_1_to_15"]))
    words = [burst["rate_id"] << 29 | burst["symbols"], stages << 16, 0, *carriers_of(burst, random)]
    return [{"tdata": word, "teob": int(i == len(words) - 1), "thas_time": int(i == 0), "ttimestamp": time if i == 0 else 0}
            for i, word in enumerate(words)]


def wanted_of(burst, time):
    data = bytes.fromhex(burst["padded"]) + b"\0"  # the tail
    count = len(data) // 4
    words = [{"tdata": int.from_bytes(data[4 * i:4 * i + 4], "big"), "tlast": int(i % (count // 2) == count // 2 - 1), "teob": 0,
              "thas_time": int(i == 0), "ttimestamp": time if i == 0 else 0} for i in range(count)]
    return [*words, {"tdata": 0, "tlast": 1, "teob": 1, "thas_time": 0, "ttimestamp": 0}]  # two symbols, nothing failed


@cocotb.test()
async def golden_bursts(dut):
    await start(dut)
    bursts = VECTORS["bursts"]
    random = Random(3)
    sent = [word for i, burst in enumerate(bursts) for word in words_of(burst, (1 << 40) + i, random)]
    wanted = [word for i, burst in enumerate(bursts) for word in wanted_of(burst, (1 << 40) + i)]
    sending = cocotb.start_soon(send(Port(dut, "s_axis"), sent, Random(1)))
    got = await receive(Port(dut, "m_axis"), len(wanted), Random(2))
    await sending
    for word in got:
        if word["teob"]:
            word["tdata"] &= 0xFFFF0000  # noise may have caused a byte that was corrected
    assert got == wanted
    assert [await read_register(dut, address) for address in (0, 4, 8, 12, 16)] == [int.from_bytes(b"DVRS", "big"), 1, len(bursts), 0, 0]
