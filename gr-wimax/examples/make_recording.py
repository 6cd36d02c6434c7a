#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""make_recording.py IQ_PROGRAM FOLDER: writes the recording of recording.grc, downlink.sigmf-data and downlink.sigmf-meta: 16 downlink frames of three bursts
at 1.75 MHz, with noise and a carrier offset. From the source tree:
./wimax python gr-wimax/examples/make_recording.py build/bin/wimax-iq gr-wimax/examples"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

BANDWIDTH_HZ, FRAME_DURATION_S = 1750000, 0.0025
FRAMES = 16  # all numbers of a frame prefix: the recording can be repeated
BURSTS = ((1, 2), (4, 3), (6, 4))  # Rate_ID, data symbols
SNR_DB, OFFSET_HZ = 26, 1700


def text(frame, index):
    """Octets of a burst."""
    return f"frame {frame}, burst {index}: hello, subscriber station".encode()[:47]


def spec():
    frames = [{"frame_number": n, "change_count": 1, "bursts": [
        {"rate_id": rate, "data_symbols": symbols, "payload": text(n, i).hex(), **({"diuc": rate + 1} if i > 1 else {})}
        for i, (rate, symbols) in enumerate(BURSTS, 1)]} for n in range(FRAMES)]
    return {"direction": "downlink", "bandwidth_hz": BANDWIDTH_HZ, "cp": "1/8", "bsid": "000000000005", "frame_duration_s": FRAME_DURATION_S, "frames": frames}


def main(program, folder):
    with tempfile.TemporaryDirectory() as work:
        description, clean = Path(work, "spec.json"), Path(work, "clean.cf32")
        description.write_text(json.dumps(spec()), encoding="utf-8")
        for command in (["generate", "--spec", description, "--out", clean],
                        ["impair", "--in", clean, "--bandwidth-hz", BANDWIDTH_HZ, "--snr-db", SNR_DB, "--cfo-hz", OFFSET_HZ, "--gain-db", -12,
                         "--out", Path(folder, "downlink.sigmf-data")]):
            subprocess.run([program, *map(str, command)], check=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
