# SPDX-License-Identifier: GPL-3.0-or-later
# %% [markdown]
# # From bits to a frame
#
# This notebook follows one burst through the transmitter of IEEE 802.16-2004 WirelessMAN-OFDM (clause 8.3.3), stage by stage, and compares the result
# with the signal generator of the stations. You need the package `wimax-ofdm` and matplotlib.

# %%
import matplotlib.pyplot as plt
import numpy as np

import wimax
from wimax import phy

format = phy.BurstFormat(rate_id=3, data_symbols=4)
rate = format.rate
print(f"{rate.name}: {format.payload_octets} octets in {format.data_symbols} symbols, {rate.bits_per_carrier} bits per carrier")
print(f"Reed-Solomon ({rate.rs_n}, {rate.rs_k}, t = {rate.rs_t}), convolutional code of rate {rate.inner_rate}")

# %% [markdown]
# ## Channel coding (8.3.3.1 to 8.3.3.3)
#
# The payload is padded with 0xFF and randomized. Burst #1 of a downlink frame continues the randomizer's sequence of the frame prefix. A zero octet at
# the end returns the convolutional code to state zero.

# %%
payload = np.frombuffer(b"IEEE 802.16-2004: from bits to a frame", np.uint8)
octets = phy.pad(payload, format)
random = phy.randomize(octets, phy.FIRST_BURST_SEED)
blocks = phy.append_tail(random, format)
print("padded    ", octets.shape, bytes(octets[:8]).hex())
print("randomized", random.shape, bytes(random[:8]).hex())
print("with tail ", blocks.shape, bytes(blocks[-1, -4:]).hex())

# %% [markdown]
# Each OFDM symbol is one Reed-Solomon block: the parity octets come first. The convolutional code runs through all symbols of the burst; puncturing
# raises its rate. The interleaver works within a symbol, so that neighbouring coded bits are on carriers that are far apart.

# %%
coded = phy.rs_encode(blocks, rate)
stream = phy.convolutional_encode(phy.to_bits(coded.reshape(-1)))
sent_bits = phy.puncture(stream, rate.inner_rate).reshape(format.data_symbols, -1)
labels = phy.to_labels(phy.interleave(sent_bits, rate), rate)
print("Reed-Solomon", coded.shape, "- coded", stream.shape, "- punctured", sent_bits.shape, "- labels", labels.shape)
assert np.array_equal(labels, phy.encode_bursts(payload, format, phy.FIRST_BURST_SEED))

# %% [markdown]
# ## Carriers (8.3.3.4)
#
# Labels become points of the constellation on 192 data carriers. Eight pilots carry a sequence that depends on the symbol's number in the frame:
# the preamble has symbols 0 and 1, the frame prefix is symbol 2.

# %%
points = phy.map_labels(labels, rate)
numbers = 3 + np.arange(format.data_symbols)
carriers = phy.place_carriers(points, phy.pilots(numbers))

figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3), dpi=70)
everything = phy.constellation(rate)
left.plot(everything.real, everything.imag, "o", mfc="none", ms=9)
left.plot(points[0].real, points[0].imag, ".")
left.set(title="Points of the first symbol", xlabel="I", ylabel="Q", aspect="equal")
right.stem(np.arange(-100, 101), np.abs(carriers[0]), markerfmt=",", basefmt=" ")
right.set(title="Magnitude of its carriers", xlabel="carrier offset", ylabel="magnitude")
figure.tight_layout()
plt.show()

# %% [markdown]
# ## Samples (8.3.2)
#
# The inverse FFT makes 256 samples of the carriers. The cyclic prefix repeats the last samples before them, so that echoes shorter than the prefix
# do not disturb the next symbol. A frame begins with two preamble symbols; they are 3 dB stronger.

# %%
preambles = phy.ofdm_modulate(phy.long_preamble())
symbols = phy.ofdm_modulate(carriers)
print("preamble", preambles.shape, f"mean power {np.mean(np.abs(preambles) ** 2):.3f}")
print("data    ", symbols.shape, f"mean power {np.mean(np.abs(symbols) ** 2):.3f}, peak over mean {np.max(phy.papr_db(symbols)):.1f} dB")

# %% [markdown]
# The frame prefix is the only part that is missing. The generator of the stations writes it; its preamble and its burst are the samples above.

# %%
frame = phy.Frame([phy.Burst(rate_id=3, data_symbols=4, payload=bytes(payload))])
whole = frame.samples()
length = phy.Numerology().symbol_samples
assert np.allclose(whole[:2 * length], preambles.reshape(-1), atol=1e-5)
assert np.allclose(whole[3 * length:], symbols.reshape(-1), atol=1e-5)
print("the burst's samples agree within 1e-5")

# %% [markdown]
# ## Spectrum and mask (8.3.10)

# %%
many = phy.Frame([phy.Burst(rate_id=6, data_symbols=100, payload=bytes(range(256)) * 42)], window_samples=8)
measured = phy.spectrum(many.samples(), phy.Numerology().sample_rate_hz, bins=512)
margin = phy.mask_margin(measured)
figure, axes = plt.subplots(figsize=(8, 3), dpi=70)
axes.plot(measured.frequency_hz / 1e6, measured.density_db - np.max(measured.density_db), lw=1, label="signal")
axes.plot(measured.frequency_hz / 1e6, phy.mask_limit_db(measured.frequency_hz, 5_000_000), "--", label="mask of 8.3.10")
axes.set(xlabel="frequency, MHz", ylabel="density, dB", title="A frame of 100 symbols, edges of 8 samples")
axes.legend()
axes.grid(alpha=0.3)
plt.show()
print(f"margin to the mask: {margin.margin_db:.1f} dB at {margin.at_hz / 1e6:.2f} MHz, up to {margin.covered_hz / 1e6:.2f} MHz")

# %% [markdown]
# ## Through a channel and back

# %%
heard = phy.Channel("sui3", snr_db=25, cfo_hz=4000, delay_samples=200, seed=1).apply(whole)
found = wimax.decode(heard)["frames"][0]
print(f"start {found['start_sample']:.0f} samples, carrier offset {found['cfo_hz']:.0f} Hz, SNR {found['snr_db']:.1f} dB")
print(bytes.fromhex(found["bursts"][0]["payload"])[:len(payload)].decode())
