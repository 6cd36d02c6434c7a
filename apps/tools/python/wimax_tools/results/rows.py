# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows of the tables that `wimax results` measures: which table, what to run, about how long it takes on two idle cores."""
from typing import NamedTuple

from wimax_tools.curves.threshold import GENIE_PER_DB

FADING_DB = "4,7,10,13,16,19,22,25,28,31"
QPSK_1_2, QAM16_1_2 = 1, 3
WORST = ("sui5", "sui6", "vehicular-a", "vehicular-b")
B210_GUESS = "--front both --dc-dbc -25 --image-dbc -30 --bits 12 --phase-noise-deg 0.6"
LATES = 6000


class Row(NamedTuple):
    name: str
    table: str
    commands: tuple  # each as typed after ./wimax; all of them make the row
    seconds: int
    label: str = ""


def bench(name, options="", duration_s=2, seconds=23, table="bench"):
    return Row(name, table, (f"bench --duration {duration_s} {options}".strip(),), seconds)


def faded(channel):
    return bench(f"bench-{channel}", f"--channel {channel} --snr-db 25 --dl-rate 1 --ul-rate 1", 4, 40)


def link(name, label, options, seconds=8):
    """One curve of the receiver, and one of a receiver that knows timing, frequency and channel."""
    words = f"link {options} --seed 1"
    return Row(f"link-{name}", "link", (words,) if "guesses" in label else (words, f"{words} --estimation genie"), seconds, label)


def white(rate, direction="downlink", more="", name="", label=""):
    centre = GENIE_PER_DB[rate]
    options = f"--channel awgn --rate {rate} --direction {direction} --snr-db={centre - 0.6:.2f}:0.2:{centre + 1.2:.2f} --blocks 8000 --errors 1000 {more}"
    return link(name or f"awgn-{direction}-{rate}", label or "white noise", options.strip())


def fading(channel, rate=QPSK_1_2):
    return link(f"{channel}-{rate}", channel, f"--channel {channel} --rate {rate} --snr-db {FADING_DB} --blocks 10000 --errors 1000", 10)


ROWS = (
    *(bench(f"bench-rate-{rate}", f"--dl-rate {rate} --ul-rate {rate}" if rate < 6 else "") for rate in range(7)),
    bench("bench-stations-3", "--stations 3", seconds=40),
    *(faded(channel) for channel in ("sui1", "sui3", "vehicular-a", "sui5", "sui6")),
    *(bench(f"bench-{profile}", f"--profile {profile}") for profile in ("3.5MHz-10ms", "7MHz-10ms", "10MHz-10ms", "5MHz-5ms", "5MHz-20ms")),
    *(bench(f"whole-{mhz}MHz", f"--profile {mhz}MHz-10ms --both-ways", 3, 40, "whole") for mhz in (20, 28)),
    *(Row(f"lates-{radios}", "lates", (f"bench --lates {LATES}{'' if radios == 'ideal' else f' --personality {radios}'}",), 70, radios) for radios in ("ideal", "b210")),
    *(white(rate) for rate in range(7)),
    white(6, "uplink"),
    white(6, "downlink", B210_GUESS, "b210-downlink", "white noise, impairments of two B210s (guesses)"),
    white(6, "uplink", B210_GUESS, "b210-uplink", "white noise, impairments of two B210s (guesses)"),
    *(fading(channel) for channel in ("sui1", "sui2", "sui3", "sui4", "pedestrian-a", "pedestrian-b", *WORST)),
    *(fading(channel, QAM16_1_2) for channel in WORST),
    *(Row(f"acquisition-{channel}", "acquisition", (f"acquisition --channel {channel} --snr-db 0,3,10 --trials 5000",), 4, channel)
      for channel in ("awgn", "sui3", "vehicular-a", "sui5", "sui6")),
    Row("acquisition-noise", "acquisition", ("acquisition --trials 0 --false-alarm-symbols 10000000",), 20, "noise alone"),
    Row("speed", "speed", ("speed --peers --core 1", "speed --peers --core 1 --isa avx2"), 25),
    Row("sim", "sim", ("sim --scenario config/scenarios/hundred.yml --seconds 600",), 25, "100 stations, 600 s"),
    Row("sim-thousand", "sim", ("sim --scenario config/scenarios/thousand.yml",), 12, "1000 stations, 20 s"),
)
TABLES = tuple(dict.fromkeys(["summary", *(row.table for row in ROWS)]))


def named(name):
    return next(row for row in ROWS if row.name == name)


def rows_of(table):
    """README's summary shows some rows of the table `bench`."""
    if table == "summary":
        return [row for row in ROWS if row.name in ("bench-rate-6", "bench-sui3", "bench-vehicular-a", "bench-sui5", "bench-sui6")]
    return [row for row in ROWS if row.table == table]
