# SPDX-License-Identifier: GPL-3.0-or-later
"""A second transmitter, written from the formulas and tables of clause 8.3 alone, bit by bit and without regard to speed: what
`wimax-iq generate` is compared with. It shares no code and no table with the project's own."""
import numpy as np

CP = {"1/4": 64, "1/8": 32, "1/16": 16, "1/32": 8}
A, B, C, D = 1 + 1j, 1 - 1j, -1 + 1j, -1 - 1j
P_ALL_NEGATIVE = ("BBDABBCBBB ADAADADDBC BBDABBCBBB ADAADADDBC BBDABBCBBB "  # -100 .. -51
                  "ADAADADDBC AABCAADAAA CBCCBCBBAD DDCBDDADDD BCBBCBCCDA")  # -50 .. -1
P_ALL_POSITIVE = ("DACCDAAADA BBBCCCCBDD CBAACBBBCB DDDAAAADCC ADBBADDDAD "  # 1 .. 50
                  "CCCBBBBCAA DACCDAAADA BBBCCCCBDD BCDDBCCCBC AAADDDDABB")  # 51 .. 100
PILOTS = (-88, -63, -38, -13, 13, 38, 63, 88)
INVERTED = {"downlink": (-63, -13, 13, 38), "uplink": (-63, -13)}
# Rate_ID: bits per carrier, uncoded and RS-coded bytes per symbol of the full band, inner code, code without RS.
RATES = ((1, 12, 12, "1/2", "1/2"), (2, 24, 32, "2/3", "1/2"), (2, 36, 40, "5/6", "3/4"), (4, 48, 64, "2/3", "1/2"),
         (4, 72, 80, "5/6", "3/4"), (6, 96, 108, "3/4", "2/3"), (6, 108, 120, "5/6", "3/4"))
PUNCTURING = {"1/2": ("1", "1"), "2/3": ("10", "11"), "3/4": ("101", "110"), "5/6": ("10101", "11010")}
CODE_RATE = {"1/2": 1 / 2, "2/3": 2 / 3, "3/4": 3 / 4}
LEVELS = {1: (1, -1), 2: (1, 3, -1, -3), 3: (3, 1, 5, 7, -3, -1, -5, -7)}  # of the bits on one axis
CONSTELLATION_POWER = {1: 1, 2: 2, 4: 10, 6: 42}
FRAME_START = (1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0)
MIDAMBLE_AFTER = (0, 8, 16, 32, 4)  # data symbols
# Table 213: the first carriers of the four runs of three that make a subchannel, by its place 0 .. 15 (index 2 place + 1).
RUNS = ((-100, -37, 1, 64), (-97, -34, 4, 67), (-94, -31, 7, 70), (-91, -28, 10, 73), (-87, -50, 14, 51), (-84, -47, 17, 54),
        (-81, -44, 20, 57), (-78, -41, 23, 60), (-75, -12, 26, 89), (-72, -9, 29, 92), (-69, -6, 32, 95), (-66, -3, 35, 98),
        (-62, -25, 39, 76), (-59, -22, 42, 79), (-56, -19, 45, 82), (-53, -16, 48, 85))
PAIR_PILOTS = (-38, 13, -88, 63, -13, 38, -63, 88)  # of the pairs 00010, 00110, ...
STC_AMPLITUDE = 0.5 ** 0.5
CONTENTION_CODES = ("++++", "+-+-", "++--", "+--+", "----", "-+-+", "--++", "-++-")


def p_all():
    letters = dict(zip("ABCD", (A, B, C, D)))
    values = [letters[x] for x in P_ALL_NEGATIVE.replace(" ", "")], [letters[x] for x in P_ALL_POSITIVE.replace(" ", "")]
    return {**dict(zip(range(-100, 0), values[0])), **dict(zip(range(1, 101), values[1]))}


P_ALL = p_all()
P_4X64 = {k: 2 * np.conj(v) for k, v in P_ALL.items() if k % 4 == 0}
P_EVEN = {k: 2 ** 0.5 * v for k, v in P_ALL.items() if k % 2 == 0}
P_ODD = {k: 2 ** 0.5 * v for k, v in P_ALL.items() if k % 2 == 1}


def carriers_of(index):
    """Data carriers in rising order, and pilots, of a subchannel index."""
    if index == 16:
        return [k for k in range(-100, 101) if k != 0 and k not in PILOTS], list(PILOTS)
    size = index & -index
    first = (index - size) // 2
    data = sorted(k + i for runs in RUNS[first:first + size] for k in runs for i in range(3))
    return data, [] if size == 1 else list(PAIR_PILOTS[first // 2:(first + size) // 2])


# ---- coding ----

def bits_of(octets):
    return [octet >> i & 1 for octet in octets for i in range(7, -1, -1)]


def bytes_of(bits):
    return [int("".join(map(str, bits[i:i + 8])), 2) for i in range(0, len(bits), 8)]


def nibble(value):
    return [value >> i & 1 for i in (3, 2, 1, 0)]


def burst_seed(bsid, iuc, frame_number):
    return (*nibble(bsid), 1, 1, *nibble(iuc), 1, *nibble(frame_number))


def randomize(bits, stages, skip=0):
    """XOR with the output of 1 + x^14 + x^15 from its step `skip` on."""
    stages, out = list(stages), []
    for n in range(skip + len(bits)):
        feedback = stages[13] ^ stages[14]
        stages = [feedback] + stages[:14]
        if n >= skip:
            out.append(bits[n - skip] ^ feedback)
    return out


def gf_times(a, b):
    product = 0
    for i in range(8):
        if b >> i & 1:
            product ^= a << i
    for i in range(14, 7, -1):
        if product >> i & 1:
            product ^= 0x11D << (i - 8)
    return product


def rs_generator():
    polynomial, root = [1], 1
    for _ in range(16):
        shifted = polynomial + [0]
        for i, c in enumerate(polynomial):
            shifted[i + 1] ^= gf_times(c, root)
        polynomial, root = shifted, gf_times(root, 2)
    return polynomial


GENERATOR = rs_generator()


def rs_block(data, coded):
    """Parity, punctured to coded - len(data) octets, in front of the data."""
    remainder = [0] * 16
    for octet in data:
        factor = octet ^ remainder[0]
        remainder = [r ^ gf_times(factor, g) for r, g in zip(remainder[1:] + [0], GENERATOR[1:])]
    return remainder[:coded - len(data)] + list(data)


def convolve(bits, code):
    keep_x, keep_y = PUNCTURING[code]
    past, out = [0] * 6, []
    for n, bit in enumerate(bits):
        d = [bit] + past
        x, y = d[0] ^ d[1] ^ d[2] ^ d[3] ^ d[6], d[0] ^ d[2] ^ d[3] ^ d[5] ^ d[6]
        out += [v for v, keep in ((x, keep_x), (y, keep_y)) if keep[n % len(keep)] == "1"]
        past = d[:6]
    return out


def interleave(bits, bits_per_carrier):
    n, s = len(bits), -(-bits_per_carrier // 2)
    out = [0] * n
    for k, bit in enumerate(bits):
        m = n // 12 * (k % 12) + k // 12
        out[s * (m // s) + (m + n - 12 * m // n) % s] = bit
    return out


def map_points(bits, bits_per_carrier):
    points = []
    for i in range(0, len(bits), bits_per_carrier):
        label = bits[i:i + bits_per_carrier]
        half = max(1, bits_per_carrier // 2)
        axis = lambda part: LEVELS[half][int("".join(map(str, part)), 2)]
        q = axis(label[half:]) if bits_per_carrier > 1 else 0
        points.append((axis(label[:half]) + 1j * q) / CONSTELLATION_POWER[bits_per_carrier] ** 0.5)
    return points


def burst_symbols(rate_id, data_symbols, payload, seed, skip=0, index=16):
    """Points of each data symbol in rising carrier order."""
    bits_per_carrier, uncoded, coded, inner, overall = RATES[rate_id]
    block = 12 * (index & -index) * bits_per_carrier
    total = round(block * data_symbols * CODE_RATE[overall])  # bits with tail and padding
    octets = list(payload) + [0xFF] * (total // 8 - 1 - len(payload))
    bits = randomize(bits_of(octets), seed, skip) + [0] * 8
    if index == 16:
        data = bytes_of(bits)
        bits = bits_of([x for i in range(data_symbols) for x in rs_block(data[i * uncoded:(i + 1) * uncoded], coded)])
        stream = convolve(bits, inner)
    else:
        stream = convolve(bits + [0] * (total - len(bits)), overall)
    return [map_points(interleave(stream[i:i + block], bits_per_carrier), bits_per_carrier)
            for i in range(0, len(stream), block)]


def burst_bytes(rate_id, data_symbols, index=16):
    """Payload octets that a burst holds."""
    return round(12 * (index & -index) * RATES[rate_id][0] * data_symbols * CODE_RATE[RATES[rate_id][4]]) // 8 - 1


# ---- symbols ----

def pilot_sign(direction, k):
    """1 - 2 w_k of the register x^11 + x^9 + 1."""
    stages = [1] * 11 if direction == "downlink" else [1, 0] * 5 + [1]
    for _ in range(k):
        stages = [stages[8] ^ stages[10]] + stages[:10]
    return 1 - 2 * stages[10]


def pilots_of(direction, k, offsets=PILOTS):
    sign = pilot_sign(direction, k)
    return {p: -sign if p in INVERTED[direction] else sign for p in offsets}


def samples_of(carriers, cp):
    bins = np.zeros(256, complex)
    for k, value in carriers.items():
        bins[k % 256] = value
    body = np.fft.ifft(bins) * 256 / 200 ** 0.5
    return np.concatenate((body[-cp:], body))


def frame_prefix(spec, frame, entries):
    """The 11 octets of the DLFP; each entry 16 bits."""
    bits = nibble(int(spec["bsid"], 16) & 15) + nibble(frame["frame_number"] & 15) + nibble(frame["change_count"] & 15) + [0] * 4
    for entry in (entries + [0] * 4)[:4]:
        bits += [entry >> i & 1 for i in range(15, -1, -1)]
    check = 0
    for bit in bits:
        check = (check << 1 & 0xFF) ^ (0x07 if (check >> 7 & 1) ^ bit else 0)
    return bytes_of(bits) + [check]


def entries_of(bursts):
    return [((b["rate_id"] if i == 0 else b["diuc"]) << 12) | (b.get("preamble", 0) << 11 if i else 0) |
            (b["data_symbols"] + b.get("preamble", 0)) for i, b in enumerate(bursts[:4])]


def coded_bursts(spec, frame, bursts, prefix):
    """Symbols of FCH and bursts: one running randomizer for the FCH and the first, tail octets left out."""
    yield None, burst_symbols(0, 1, prefix, FRAME_START)
    for i, b in enumerate(bursts):
        seed = FRAME_START if i == 0 else burst_seed(int(spec["bsid"], 16) & 15, b["diuc"], frame["frame_number"] & 15)
        yield b, burst_symbols(b["rate_id"], b["data_symbols"], bytes.fromhex(b["payload"]), seed, 88 if i == 0 else 0)


def downlink(spec, frame):
    """Samples of antenna 0 and antenna 1."""
    cp, data = CP[spec["cp"]], carriers_of(16)[0]
    zone = frame.get("stc_bursts", [])
    zone_start = 3 + sum(b["data_symbols"] + b.get("preamble", 0) for b in frame["bursts"])
    prefix = frame_prefix(spec, frame, entries_of(frame["bursts"]) + ([zone_start] if zone else []))
    symbols = [P_4X64, P_EVEN]
    for burst, coded in coded_bursts(spec, frame, frame["bursts"], prefix):
        if burst and burst.get("preamble"):
            symbols.append(P_EVEN)
        for points in coded:
            symbols.append({**dict(zip(data, points)), **pilots_of("downlink", len(symbols))})
    antennas = [symbols, [{}] * len(symbols)]
    if zone:
        for antenna, more in zip(antennas, stc_zone(spec, frame, zone)):
            antenna += [{k: STC_AMPLITUDE * v for k, v in symbol.items()} for symbol in more]
    return [np.concatenate([samples_of(s, cp) for s in antenna]) for antenna in antennas]


def stc_zone(spec, frame, bursts):
    """Carriers of both antennas: a preamble, then pairs in Alamouti's code; pilots, counted from the zone's start, are coded too."""
    zero, one, data = [P_EVEN], [P_ODD], carriers_of(16)[0]
    for burst, coded in coded_bursts(spec, frame, bursts, frame_prefix(spec, frame, entries_of(bursts))):
        if burst is None:
            coded = coded * 2  # the prefix fills a pair by being sent twice
        for i in range(0, len(coded), 2):
            s0, s1 = ({**dict(zip(data, coded[i + j])), **pilots_of("downlink", len(zero) + j)} for j in (0, 1))
            zero += [s0, {k: -np.conj(v) for k, v in s1.items()}]
            one += [s1, {k: np.conj(v) for k, v in s0.items()}]
    return zero, one


def uplink(spec):
    cp, index = CP[spec["cp"]], spec.get("subchannel_index", 16)
    data, pilots = carriers_of(index)
    short = P_EVEN if index == 16 else {k: 2 ** 0.5 * P_ALL[k] for k in data + pilots}
    symbols = [P_4X64, P_EVEN] if spec.get("ranging") else [short]
    seed = burst_seed(int(spec["bsid"], 16) & 15, spec["uiuc"], spec["frame_number"] & 15)
    after = MIDAMBLE_AFTER[spec.get("midamble_interval", 0)]
    coded = burst_symbols(spec["rate_id"], spec["data_symbols"], bytes.fromhex(spec["payload"]), seed, index=index)
    for i, points in enumerate(coded):
        if after and i and i % after == 0:
            symbols.append(short)
        symbols.append({**dict(zip(data, points)), **pilots_of("uplink", len(symbols), pilots)})
    return np.concatenate([samples_of(s, cp) for s in symbols])


def contention(spec):
    """A code turns the carriers of its channel from the first symbol to the second; their phases in the first are those of P_ALL."""
    cp, opportunities = CP[spec["cp"]], []
    for opportunity in range(spec.get("opportunities", 1)):
        symbols = [dict.fromkeys(range(-100, 101), 0j) for _ in range(2)]
        for sent in spec["contention"]:
            if sent.get("opportunity", 0) != opportunity:
                continue
            amplitude = 10 ** (sent.get("boost_db", 0) / 20) / 2 ** 0.5
            for first, chip in zip(RUNS[sent["channel"] // 3], CONTENTION_CODES[sent["code"]]):
                k = first + sent["channel"] % 3
                symbols[0][k] += amplitude * P_ALL[k]
                symbols[1][k] += amplitude * P_ALL[k] * (1 if chip == "+" else -1)
        opportunities += symbols
    return np.concatenate([samples_of(s, cp) for s in opportunities])
