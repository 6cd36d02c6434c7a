# SPDX-License-Identifier: GPL-3.0-or-later
# %% [markdown]
# # What a receiver does
#
# This notebook opens a recording of a downlink frame and receives it step by step, with the same code as a subscriber station (clauses 8.3.2 to 8.3.5).
# The recording is `gr-wimax/examples/downlink.sigmf-meta`; `gr-wimax/examples/make_recording.py` made it.

# %%
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from wimax import phy, recordings

recording = recordings.read(Path("../../gr-wimax/examples/downlink.sigmf-meta"))
assert recording.sample_rate_hz is not None
samples, rate_hz = recording.samples, recording.sample_rate_hz
BANDWIDTH_HZ = 1_750_000
print(recording.metadata["global"]["core:description"])
print(f"{len(samples)} samples at {rate_hz / 1e6} MS/s: {1e3 * len(samples) / rate_hz:.2f} ms")

figure, axes = plt.subplots(figsize=(8, 2.2), dpi=70)
first_ms = 1e3 * np.arange(len(samples)) / rate_hz < 10
axes.plot(1e3 * np.arange(len(samples))[first_ms] / rate_hz, np.abs(samples[first_ms]), lw=0.4)
axes.set(xlabel="time, ms", ylabel="magnitude")
plt.show()

# %% [markdown]
# ## Synchronization (8.3.3.6)
#
# A frame begins with the long preamble. Its first symbol repeats after 64 samples and its second after 128. Both repetitions find the start, and the phase
# between them is the carrier offset.

# %%
found = phy.synchronize(samples, BANDWIDTH_HZ)
print(len(found), "frames")
for preamble in found[:3]:
    print(f"sample {preamble.start_sample}: cyclic prefix {preamble.cp}, carrier offset {preamble.cfo_hz:.0f} Hz")
first = found[0]
numerology = phy.Numerology(BANDWIDTH_HZ, first.cp)

# %% [markdown]
# ## Windows of the FFT (8.3.2)
#
# Windows of 256 samples begin after the cyclic prefix of each symbol. The carrier offset is compensated before the FFT.

# %%
length, prefix = numerology.symbol_samples, numerology.cp_samples
starts = first.start_sample + prefix + length * np.arange(3)
carriers = phy.demodulate_windows(samples, starts, first.cycles_per_sample, first.start_sample)
print("carriers of the preamble's two symbols and of the frame prefix:", carriers.shape)

# %% [markdown]
# ## Channel estimate
#
# The preamble is known, so that the received carriers over the sent ones are the channel, with noise. The receiver assumes that all paths are within the
# cyclic prefix, measures the span of delays, and averages accordingly.

# %%
estimate = phy.channel_estimate(carriers[:2], "long", cp=first.cp)
raw = phy.divide(carriers[1], phy.preamble("even"))
used = np.flatnonzero(raw)
figure, axes = plt.subplots(figsize=(8, 3), dpi=70)
axes.plot(used - 100, 20 * np.log10(np.abs(raw[used])), ".", label="received over sent, P_EVEN")
axes.plot(np.arange(-100, 101), 20 * np.log10(np.abs(estimate.response) + 1e-9), label="estimate")
axes.set(xlabel="carrier offset", ylabel="gain, dB", ylim=(-25, 10), title="Channel of the preamble")
axes.legend()
axes.grid(alpha=0.3)
plt.show()
print(f"noise per carrier {10 * np.log10(estimate.noise_variance):.1f} dB, paths from {estimate.first_path:.1f} to {estimate.last_path:.1f} samples")

# %% [markdown]
# ## The frame prefix and the bursts (8.3.5.1)
#
# The frame prefix (DLFP) is one BPSK symbol. It announces rate and length of the bursts. `phy.observe` runs the whole receiver and returns what it saw of
# each symbol: pilots track phase and delay from symbol to symbol.

# %%
result, frames = phy.observe(samples, {"bandwidth_hz": BANDWIDTH_HZ})
frame = result["frames"][0]
for burst in frame["bursts"]:
    rate = phy.RATE_TABLE[burst["rate_id"]]
    print(f"{rate.name:>10}: {burst['data_symbols']} symbols, {'good' if burst['fec_ok'] else 'bad'}, {burst['corrected_bytes']} octets corrected")

# %%
data = phy.data_offsets() + 100
bursts = sorted({symbol.burst for symbol in frames[0]} - {0})
figure, plots = plt.subplots(1, len(bursts), figsize=(3 * len(bursts), 3), dpi=70, squeeze=False)
for plot, number, burst in zip(plots[0], bursts, frame["bursts"]):
    points = np.concatenate([symbol.points[data] for symbol in frames[0] if symbol.burst == number])
    plot.plot(points.real, points.imag, ".", ms=1.5)
    plot.set(title=phy.RATE_TABLE[burst["rate_id"]].name, aspect="equal", xlim=(-1.6, 1.6), ylim=(-1.6, 1.6))
    print(f"{phy.RATE_TABLE[burst['rate_id']].name}: EVM {float(phy.evm_db(points, rate=burst['rate_id'])):.1f} dB")
figure.tight_layout()
plt.show()

# %%
phases = [(symbol.symbol, float(np.degrees(symbol.phase_rad))) for symbol in frames[0]]
figure, axes = plt.subplots(figsize=(8, 2.5), dpi=70)
axes.plot(*np.transpose(phases), ".-")
axes.set(xlabel="symbol of the frame", ylabel="phase, degrees", title="Phase that the pilots corrected")
axes.grid(alpha=0.3)
plt.show()

# %% [markdown]
# ## Soft bits to octets (8.3.3)
#
# Each carrier gives a soft bit for each of its bits: the logarithm of how much likelier 0 is than 1. Carriers in a fade give small ones. The Viterbi
# decoder uses them; Reed-Solomon corrects what is left.

# %%
number, burst = bursts[0], frame["bursts"][0]
format = phy.BurstFormat(rate_id=burst["rate_id"], data_symbols=burst["data_symbols"])
soft = np.stack([symbol.soft_bits for symbol in frames[0] if symbol.burst == number])
decoded = phy.decode_bursts(soft, format, phy.FIRST_BURST_SEED)
print("soft bits", soft.shape, "to octets", decoded.octets.shape, "- blocks that failed:", int(decoded.failed_blocks))
assert bytes(decoded.octets).hex() == burst["payload"].lower()
print(bytes(decoded.octets[:48]))
