# SPDX-License-Identifier: GPL-3.0-or-later
"""Samples by the transform's definition under any stalls; another pattern of stalls changes no bit; registers."""
import cmath
from random import Random

import cocotb

from axis import Port, read_register, receive, send, start, write_register

TIME = (1 << 40) + 5
USED = [*range(-100, 0), *range(1, 101)]
PREFIX, GAIN = 1, 40000
LEVELS = (13, 6, 14)  # bits of each symbol's carriers


def signed(half):
    return half - (1 << 16) if half >> 15 else half


def symbols():
    random = Random(1)
    return [[(random.randrange(-1 << bits, 1 << bits), random.randrange(-1 << bits, 1 << bits)) for _ in USED] for bits in LEVELS]


def samples(carriers):
    roots = [cmath.exp(2j * cmath.pi * n / 256) for n in range(256)]
    body = [sum(complex(*c) * roots[n * k % 256] for c, k in zip(carriers, USED)) * GAIN / (1 << 19) for n in range(256)]
    return body[-(8 << PREFIX):] + body


def off(word, exact):
    """Difference of a sample from the exact one after saturation."""
    return max(abs(signed(half) - min(max(axis, -32768), 32767)) for half, axis in ((word >> 16, exact.real), (word & 0xFFFF, exact.imag)))


async def run(dut, seed, stall):
    await start(dut)
    assert await read_register(dut, 0x00) == int.from_bytes(b"OFTX", "big")
    assert await read_register(dut, 0x0C) == 37073
    await write_register(dut, 0x08, PREFIX)
    await write_register(dut, 0x0C, GAIN)
    words = [{"tdata": (i & 0xFFFF) << 16 | q & 0xFFFF, "tlast": int(place == 199), "thas_time": int(place == 0 and n == 0),
              "ttimestamp": TIME if n == 0 else 0, "teob": int(place == 199 and n == len(LEVELS) - 1)}
             for n, carriers in enumerate(symbols()) for place, (i, q) in enumerate(carriers)]
    sending = cocotb.start_soon(send(Port(dut, "s_axis"), words, Random(seed + 1), stall))
    got = await receive(Port(dut, "m_axis"), len(LEVELS) * (256 + (8 << PREFIX)), Random(seed + 2), stall)
    await sending
    assert await read_register(dut, 0x10) == len(LEVELS)
    assert await read_register(dut, 0x18) == 0
    return got


@cocotb.test()
async def samples_of_symbols(dut):
    got = await run(dut, 10, 0.5)
    wanted = [x for carriers in symbols() for x in samples(carriers)]
    length = 256 + (8 << PREFIX)
    clipped = 0
    for n, (word, x) in enumerate(zip(got, wanted)):
        assert (word["thas_time"], word["tlast"], word["teob"]) == (int(n == 0), int(n % length == length - 1), int(n == len(got) - 1)), n
        assert off(word["tdata"], x) < 2.5, (n, hex(word["tdata"]), x)
        clipped += max(abs(x.real + 0.5), abs(x.imag + 0.5)) > 32768
    assert got[0]["ttimestamp"] == TIME
    assert clipped <= await read_register(dut, 0x14) + 2


@cocotb.test()
async def stalls_change_nothing(dut):
    plain = await run(dut, 20, 0)
    assert await run(dut, 30, 0.8) == plain
