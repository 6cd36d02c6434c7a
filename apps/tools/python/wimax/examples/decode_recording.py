# SPDX-License-Identifier: GPL-3.0-or-later
"""Decodes a recording (complex64 at the channel's sample rate) and plots power over time and the SNR of each frame."""
import argparse

import matplotlib
import numpy as np

import wimax
from wimax_tools import pictures

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402

options = argparse.ArgumentParser(description=__doc__)
options.add_argument("recording", nargs="?", help=".cf32 file (default: ten generated frames after a fading channel)")
options.add_argument("--bandwidth-hz", type=int, default=5_000_000)
options.add_argument("--out", default="recording.svg")
known = options.parse_args()

if known.recording:
    samples = np.fromfile(known.recording, np.complex64)
else:
    bursts = [{"rate_id": 1, "data_symbols": 4, "payload": "01"}, {"rate_id": 4, "diuc": 5, "data_symbols": 40, "payload": "02"}]
    frames = [{"frame_number": number, "bursts": bursts} for number in range(10)]
    samples = wimax.impair(wimax.generate({"frame_duration_s": 0.01, "frames": frames, "bandwidth_hz": known.bandwidth_hz}),
                           snr_db=32, channel="sui3", doppler_hz=20, bandwidth_hz=known.bandwidth_hz, seed=3)

rate_hz = wimax.sample_rate_hz(known.bandwidth_hz)
found = wimax.decode(samples, {"bandwidth_hz": known.bandwidth_hz})["frames"]
for frame in found:
    words = (f"{wimax.RATES[b['rate_id']]}, {b['data_symbols']} symbols, {'good' if b['fec_ok'] else 'BAD'}" for b in frame["bursts"])
    print(f"{frame['start_sample'] / rate_hz:8.4f} s  SNR {frame['snr_db']:5.1f} dB  " + "; ".join(words))
print(f"{len(found)} frames, {sum(b['fec_ok'] for f in found for b in f['bursts'])} good bursts")

figure, (above, below) = pyplot.subplots(2, sharex=True, figsize=(9, 5))
part = 256
power = np.abs(samples[:len(samples) // part * part].reshape(-1, part)) ** 2
above.plot(np.arange(len(power)) * part / rate_hz, 10 * np.log10(power.mean(axis=1) + 1e-12), linewidth=0.7)
above.set(ylabel="power, dBFS", ylim=(-60, None))
below.plot([f["start_sample"] / rate_hz for f in found], [f["snr_db"] for f in found], "o")
below.set(xlabel="time, s", ylabel="SNR of a data carrier, dB")
pictures.save(figure, known.out)
