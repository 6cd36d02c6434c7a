# SPDX-License-Identifier: GPL-3.0-or-later
"""Carriers by the transform's definition under any stalls; another pattern of stalls changes no bit; registers."""
import cmath
from random import Random

import cocotb

from axis import Port, read_register, receive, send, start, write_register

FIRST = (1 << 40) + 5
USED = [*range(-100, 0), *range(1, 101)]
# Symbols, prefix (8 << this), increment in 2^-12 turns per sample, level in bits.
ORDERS = [(2, 0, 0, 15), (1, 3, 321, 12), (2, 1, -77, 8), (1, 2, 2048, 4)]
GAP = 30  # samples between orders


def signed(half):
    return half - (1 << 16) if half >> 15 else half


def stream():
    """Samples, orders and, for each symbol, its expected packet: (tag, symbol, end, time, samples, increment)."""
    random, samples, orders, symbols = Random(1), [], [], []
    for tag, (count, prefix, increment, bits) in enumerate(ORDERS):
        samples += [(random.randrange(-99, 99), random.randrange(-99, 99)) for _ in range(GAP)]
        begin, length = len(samples), (8 << prefix) + 256
        orders.append(tag << 112 | 1 << 111 | 1 << 110 | prefix << 108 | count - 1 << 96 | (increment << 20) % (1 << 32) << 64 | FIRST + begin)
        samples += [(random.randrange(-1 << bits, 1 << bits), random.randrange(-1 << bits, 1 << bits)) for _ in range(count * length)]
        for symbol in range(count):
            body = begin + symbol * length + (8 << prefix)
            first_phase = symbol * length * increment
            symbols.append((tag, symbol, symbol == count - 1, FIRST + body, samples[body:body + 256], increment, first_phase))
    return samples, orders, symbols


def carriers(samples, increment, first_phase):
    turned = [complex(*s) * cmath.exp(-2j * cmath.pi * (first_phase + n * increment) / 4096) for n, s in enumerate(samples)]
    roots = [cmath.exp(-2j * cmath.pi * n / 256) for n in range(256)]
    return [4 * sum(x * roots[n * k % 256] for n, x in enumerate(turned)) for k in USED]


async def run(dut, seed, stall):
    await start(dut)
    assert await read_register(dut, 0x00) == int.from_bytes(b"OFRX", "big")
    assert await read_register(dut, 0x04) == 0x00010000
    await write_register(dut, 0x08, 1)
    samples, orders, symbols = stream()
    await send(Port(dut, "s_axis_cmd"), [{"tdata": order} for order in orders], Random(seed), stall)
    words = [{"tdata": (i & 0xFFFF) << 16 | q & 0xFFFF, "ttimestamp": FIRST if n == 0 else 0, "thas_time": int(n == 0)}
             for n, (i, q) in enumerate(samples)]
    sending = cocotb.start_soon(send(Port(dut, "s_axis"), words, Random(seed + 1), stall))
    got = await receive(Port(dut, "m_axis"), 201 * len(symbols), Random(seed + 2), stall)
    await sending
    assert await read_register(dut, 0x10) in (len(samples), len(samples) - 1)  # the last may still wait
    assert await read_register(dut, 0x14) == len(got)
    assert await read_register(dut, 0x18) == len(symbols)
    assert await read_register(dut, 0x1C) == 0
    return got


def check(symbol, header, packet):
    """Compares the words of a symbol's packet with the transform."""
    tag, number, _, _, samples, increment, first_phase = symbol
    exponent = header & 15
    assert header >> 4 == tag << 12 | number << 1, hex(header)
    wanted = carriers(samples, increment, first_phase)
    largest = max(max(abs(x.real), abs(x.imag)) for x in wanted)
    assert largest < 32800 * 2**exponent and (exponent == 0 or largest > 16350 * 2**exponent), (exponent, largest)
    for word, x in zip(packet, wanted):
        carrier = complex(signed(word >> 16), signed(word & 0xFFFF)) * 2**exponent
        assert abs(carrier - x) < 2**exponent + 30 + 4e-5 * largest, (symbol[:2], carrier, x)


@cocotb.test()
async def carriers_of_ordered_symbols(dut):
    got = await run(dut, 10, 0.5)
    for place, symbol in enumerate(stream()[2]):
        header, *packet = got[201 * place:201 * (place + 1)]
        _, _, end, time, *_ = symbol
        assert (header["ttimestamp"], header["thas_time"]) == (time, 1)
        assert [word["tlast"] for word in (header, *packet)] == [0] * 200 + [1]
        assert [word["teob"] for word in (header, *packet)] == [0] * 200 + [int(end)]
        check(symbol, header["tdata"], [word["tdata"] for word in packet])


@cocotb.test()
async def stalls_change_nothing(dut):
    plain = await run(dut, 20, 0)
    assert await run(dut, 30, 0.8) == plain
