# SPDX-License-Identifier: GPL-3.0-or-later
"""Your own channel model from a file of taps: its effect on the carriers of a burst, and on a running cell."""
import argparse
import os
import tempfile

import numpy as np

import wimax

ECHO = """# the direct path, and an echo of it 2 us later, 1 dB below: a notch every 500 kHz
taps:
  - {delay_us: 0.0, power_db: 0, spectrum: constant}
  - {delay_us: 2.0, power_db: -1, spectrum: constant}
"""

options = argparse.ArgumentParser(description=__doc__)
options.add_argument("--taps", help="YAML file (default: an echo of 2 us)")
options.add_argument("--snr-db", type=float, default=18)
options.add_argument("--seconds", type=float, default=2.0, help="simulated seconds in each channel")
known = options.parse_args()

with tempfile.TemporaryDirectory() as folder:
    taps = known.taps or os.path.join(folder, "echo.yml")
    if not known.taps:
        with open(taps, "w", encoding="utf-8") as file:
            file.write(ECHO)

    # On samples: power of the burst's spectrum after the channel over that before it.
    burst = {"rate_id": 1, "data_symbols": 60, "payload": "C0FFEE"}
    sent = wimax.generate({"bursts": [burst]})
    heard = wimax.impair(sent, channel=taps)[:len(sent)]
    rows = len(sent) // 256 * 256
    power = [np.mean(np.abs(np.fft.fft(x[:rows].reshape(-1, 256))) ** 2, axis=0) for x in (sent, heard)]
    used = np.r_[1:100, 157:256]  # of 256: no guard carriers, nothing at 0
    gain_db = 10 * np.log10(power[1] / power[0])[used]
    print(f"carriers from {gain_db.min():.1f} to {gain_db.max():.1f} dB")
    print("decoded:", wimax.decode(heard)["frames"][0]["bursts"][0]["payload"][:6])

    # On a cell, where rates follow what the channel allows.
    with wimax.Stack(snr_db=known.snr_db, dl_rate="auto", ul_rate="auto", offer_kbps={"downlink": 10_000}) as cell:
        for name in ("awgn", taps, "awgn"):
            cell.set_channel(channel=name)
            cell.run(6.0)  # rates follow; upward slowly after two changes within 5 s
            kbps, = cell.goodput_kbps(seconds=known.seconds)
            station, = cell.metrics("bs")["station"]["stations"]
            print(f"{os.path.basename(name):10} {wimax.RATES[station['dl_rate_id']]:>10} {kbps:6.0f} kb/s")
