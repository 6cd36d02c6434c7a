# SPDX-License-Identifier: GPL-3.0-or-later
"""Bursts at their times through the gate under any stalls: the output, with zeros around, and the line. The C++ tests compare the RTL with the model
in every case; this is another simulator."""
from random import Random

import cocotb

from axis import Port, read_register, receive, send, start, write_register

EDGE, LEAD, LAG, FIRST = 3, 5, 2, 1 << 40


def bursts(random):
    """Starts and samples, also of one that touches the previous one."""
    at = FIRST + 300
    for n in range(20):
        samples = [random.getrandbits(32) for _ in range(random.randint(1, 60))]
        yield at, samples
        at += len(samples) + (0 if n % 5 == 0 else random.randint(2 * (EDGE + LEAD + LAG), 100))


async def give_time(dut, words, random):
    """In order, but no faster than words arrive."""
    port = Port(dut, "s_time")
    await send(port, [{"ttimestamp": FIRST + n} for n in range(words)], random, 0.3)


@cocotb.test()
async def bursts_leave_in_time(dut):
    await start(dut)
    assert await read_register(dut, 0x00) == int.from_bytes(b"BGTE", "big")
    for address, value in ((0x08, 1), (0x0C, EDGE), (0x10, LEAD), (0x14, LAG)):
        await write_register(dut, address, value)
    words, expected, spans = [], {}, []
    for at, samples in bursts(Random(1)):
        for n, sample in enumerate(samples):
            words.append({"tdata": sample, "ttimestamp": at, "thas_time": int(n == 0), "tlast": 0, "teob": int(n == len(samples) - 1)})
            expected[at + n] = sample
        spans.append((at - LEAD - EDGE, at + len(samples) + LAG + EDGE))
    slots = sorted({t for low, high in spans for t in range(low, high)})
    cocotb.start_soon(send(Port(dut, "s_axis"), words, Random(2), 0))
    for _ in range(3):
        await receive(Port(dut, "m_axis"), 1, Random(3), 0, 1)
    cocotb.start_soon(give_time(dut, slots[-1] + 50 - FIRST, Random(4)))
    got = await receive(Port(dut, "m_axis"), len(slots), Random(5), 0.3)
    assert [w["ttimestamp"] for w in got] == slots
    assert [w["tdata"] for w in got] == [expected.get(t, 0) for t in slots]
    assert [w["teob"] for w in got] == [int(t + 1 not in set(slots)) for t in slots]
    assert await read_register(dut, 0x2C) == 20 and await read_register(dut, 0x30) == 0
