# SPDX-License-Identifier: GPL-3.0-or-later
"""The golden vectors' bursts, carrier by carrier, under any stalls; and registers."""
import json
import math
from pathlib import Path
from random import Random

import cocotb

from axis import Port, read_register, receive, send, start

VECTORS = json.loads((Path(__file__).parents[3] / "tests/vectors/phy_ofdm256.json").read_text(encoding="utf-8"))
UNIT = 1 << 13
SCALE = {1: 1.0, 2: math.sqrt(1 / 2), 4: math.sqrt(1 / 10), 6: math.sqrt(1 / 42)}
PILOTS = (-88, -63, -38, -13, 13, 38, 63, 88)


def words_of(burst):
    payload = bytes.fromhex(burst["payload"])
    pilots = VECTORS["pilot_prbs"]["downlink"]
    k = burst["k_of_first_symbol"]
    register = int("".join(str(bit) for bit in pilots[k:k + 11]), 2)
    stages = sum(int(bit) << i for i, bit in enumerate(burst["randomizer_stages_1_to_15"]))
    words = [burst["rate_id"] << 29 | burst["symbols"], stages << 16 | register, len(payload)]
    padded = payload + bytes(-len(payload) % 4)
    words += [int.from_bytes(padded[i:i + 4], "big") for i in range(0, len(padded), 4)]
    return [{"tdata": word, "teob": int(i == len(words) - 1), "thas_time": int(i == 0), "ttimestamp": (1 << 40) + k if i == 0 else 0}
            for i, word in enumerate(words)]


def carriers_of(burst):
    """(I, Q) of each carrier."""
    bits = {"B": 1, "Q": 2, "1": 4, "6": 6}[burst["rate"][0]]
    points = []
    for labels, pilots in zip(burst["labels"], burst["pilots"]):
        data, known = iter(labels), dict(zip(PILOTS, pilots))
        for k in [*range(-100, 0), *range(1, 101)]:
            if k in known:
                points.append((known[k], 0))
                continue
            label = next(data)
            if bits == 1:
                points.append((1 - 2 * label, 0))
                continue
            levels = VECTORS["axis_levels"][str(bits // 2)]
            axis = [format(label, f"0{bits}b")[:bits // 2], format(label, f"0{bits}b")[bits // 2:]]
            points.append(tuple(SCALE[bits] * levels[a] for a in axis))
    return points


def signed(half):
    return half - (1 << 16) if half >> 15 else half


def near(word, point):
    """Within rounding."""
    return all(abs(signed(half) - UNIT * value) <= 0.501 for half, value in zip((word >> 16, word & 0xFFFF), point))


@cocotb.test()
async def golden_bursts(dut):
    await start(dut)
    bursts = VECTORS["bursts"]
    sent = [word for burst in bursts for word in words_of(burst)]
    wanted = [point for burst in bursts for point in carriers_of(burst)]
    sending = cocotb.start_soon(send(Port(dut, "s_axis"), sent, Random(1)))
    got = await receive(Port(dut, "m_axis"), len(wanted), Random(2))
    await sending
    assert len(got) == len(wanted)
    for i, (word, point) in enumerate(zip(got, wanted)):
        assert near(word["tdata"], point), (i, hex(word["tdata"]), point)
        assert word["tlast"] == (i % 200 == 199) and word["teob"] == (i % 400 == 399)  # two symbols each
        assert word["thas_time"] == (i % 400 == 0)
        assert word["ttimestamp"] == ((1 << 40) + bursts[i // 400]["k_of_first_symbol"] if i % 400 == 0 else 0)
    assert [await read_register(dut, address) for address in (0, 4, 8, 12, 16)] == [int.from_bytes(b"ENCM", "big"), 1, len(bursts), 2 * len(bursts), 0]
