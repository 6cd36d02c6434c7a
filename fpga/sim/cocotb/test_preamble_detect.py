# SPDX-License-Identifier: GPL-3.0-or-later
"""A preamble in noise: every word passes, and the record has its position, under any stalls. The C++ tests compare the RTL with the model; this is
another simulator."""
from random import Random

import cocotb

from axis import Port, read_register, receive, send, start, write_register

LOWER = "BBDABBCBBBADAADADDBCBBDABBCBBBADAADADDBCBBDABBCBBBADAADADDBCAABCAADAAACBCCBCBBADDDCBDDADDDBCBBCBCCDA"  # -100 .. -1
UPPER = "DACCDAAADABBBCCCCBDDCBAACBBBCBDDDAAAADCCADBBADDDADCCCBBBBCAADACCDAAADABBBCCCCBDDBCDDBCCCBCAAADDDDABB"
P_ALL = {k: {"A": 1 + 1j, "B": 1 - 1j, "C": -1 + 1j, "D": -1 - 1j}[letter]
         for k, letter in (*zip(range(-100, 0), LOWER), *zip(range(1, 101), UPPER))}


def symbol(carriers, cp):
    """Clause 8.3.3.6, as a direct sum."""
    from cmath import exp, pi
    turns = [exp(2j * pi * n / 256) for n in range(256)]
    body = [sum(value * turns[k * n % 256] for k, value in carriers.items()) / 16 for n in range(256)]
    return body[256 - cp:] + body


def frame(cp, random, lead):
    first = symbol({k: 2 * p.conjugate() for k, p in P_ALL.items() if k % 4 == 0}, cp)
    second = symbol({k: 2 ** 0.5 * p for k, p in P_ALL.items() if k % 2 == 0}, cp)
    samples = [0] * lead + first + second + [0] * 1500
    return [(round(1500 * x.real + random.gauss(0, 600)), round(1500 * x.imag + random.gauss(0, 600))) for x in map(complex, samples)]


@cocotb.test()
async def finds_a_preamble(dut):
    random = Random(1)
    await start(dut)
    assert await read_register(dut, 0x00) == int.from_bytes(b"PDET", "big")
    await write_register(dut, 0x18, 0)  # no carrier offset to search
    cp, lead, first = 32, 700, 123_456_789_012
    words = [{"tdata": (i & 0xFFFF) << 16 | q & 0xFFFF, "tlast": int(n % 64 == 63), "ttimestamp": first + n, "thas_time": 1, "teob": 0}
             for n, (i, q) in enumerate(frame(cp, random, lead))]
    sending = cocotb.start_soon(send(Port(dut, "s_axis"), words, Random(2), 0.3))
    records = cocotb.start_soon(receive(Port(dut, "m_axis_det"), 3, Random(3), 0.7))
    assert await receive(Port(dut, "m_axis"), len(words), Random(4), 0.3) == words
    await sending
    word, metric, power = await records
    assert [w["ttimestamp"] for w in (word, metric, power)] == [first + lead] * 3
    assert [w["tlast"] for w in (word, metric, power)] == [0, 0, 1]
    assert word["tdata"] >> 16 == cp
    offset = word["tdata"] & 0xFFFF
    assert min(offset, 65536 - offset) <= 15, offset
    assert 60 < 256 * metric["tdata"] / power["tdata"] < 163
    assert await read_register(dut, 0x24) == 1
