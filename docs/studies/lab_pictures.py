#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws the pictures of docs/lab.md from virtual radios and from signals with stated faults. Usage, from a built tree:
./wimax python docs/studies/lab_pictures.py FOLDER"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402

import wimax  # noqa: E402
from wimax_tools import pictures  # noqa: E402

BIN = pathlib.Path(os.environ["WIMAX_BUILD_DIR"]) / "bin"
SYMBOL, PREFIX, FIRST, COUNT = 288, 32, 3, 12  # samples; of the frame's symbols those of the burst
WINDOW = PREFIX - 4  # where the receivers' FFT begins
USED = [k for k in range(-100, 101) if k]
FAULTS = (("good: 35 dB", {"snr_db": 35}), ("too weak: 17 dB", {"snr_db": 17}), ("image -22 dB (IQ imbalance)", {"snr_db": 35, "receiver": {"image_dbc": -22}}),
          ("phase noise 2.5 degrees", {"snr_db": 35, "receiver": {"phase_noise_deg": 2.5}}),
          ("clipped: full scale 3 dB above the mean", {"snr_db": 35, "receiver": {"bits": 12, "full_scale_db": 3}}),
          ("amplifier 3 dB below saturation", {"snr_db": 35, "transmitter": {"rapp_saturation_db": 3}}))


def carriers(samples):
    bodies = [samples[s * SYMBOL + WINDOW:s * SYMBOL + WINDOW + 256] for s in range(FIRST, FIRST + COUNT)]
    return np.fft.fft(np.array(bodies), axis=1)[:, USED] * np.exp(2j * np.pi * np.array(USED) * (PREFIX - WINDOW) / 256)


def constellations(path):
    """What the faults do to 64-QAM, with the linear channel and each symbol's common phase taken off as a receiver does."""
    rng = np.random.default_rng(1)
    burst = {"rate_id": 6, "data_symbols": COUNT, "payload": rng.bytes(108 * COUNT - 1).hex()}
    sent = wimax.generate({"bursts": [burst], "lead_in_samples": 0, "tail_samples": 400})
    points = carriers(sent)
    scale = np.sqrt(np.mean(np.abs(points) ** 2))
    figure, all_axes = plt.subplots(2, 3, figsize=(10, 7))
    for axes, (title, faults) in zip(all_axes.flat, FAULTS):
        heard = carriers(wimax.impair(sent, **faults))
        for _ in range(3):
            response = np.sum(heard * points.conj(), axis=0) / np.sum(np.abs(points) ** 2, axis=0)
            heard = heard * np.exp(-1j * np.angle(np.sum(heard * (points * response).conj(), axis=1)))[:, None]
        seen = heard / response / scale
        error = 10 * np.log10(np.mean(np.abs(seen - points / scale) ** 2) / (1 - 1 / COUNT))
        axes.plot(seen.real.ravel(), seen.imag.ravel(), ".", markersize=1.5)
        ideal = np.array([-7, -5, -3, -1, 1, 3, 5, 7]) / np.sqrt(42)
        axes.plot(*(grid.ravel() for grid in np.meshgrid(ideal, ideal)), "+", color="C3", markersize=5, markeredgewidth=0.9, zorder=3)
        axes.set(title=f"{title}\nEVM {error:.1f} dB", xlim=(-1.6, 1.6), ylim=(-1.6, 1.6), aspect="equal", xlabel="I", ylabel="Q")
        axes.grid(True, alpha=0.3)
        print(f"{title}: EVM {error:.1f} dB")
    save(figure, path)


def save(figure, path):
    figure.tight_layout()
    pictures.save(figure, path, dpi=90)


class Channel:
    """A cable of 60 dB between bs and ss."""

    def __init__(self, folder, rate):
        self.address = f"{folder}/channel"
        links = [{"from": "bs", "to": "ss", "path_loss_db": 60, "delay_samples": 33}]
        config = {"listen": [self.address], "sample_rate_hz": rate, "time": {"mode": "commit", "pace": "free"},
                  "control": {"endpoint": ""}, "links": links}
        pathlib.Path(folder, "channel.yml").write_text(json.dumps(config), encoding="utf-8")
        self.process = subprocess.Popen([BIN / "wimax-channeld", "--config", f"{folder}/channel.yml"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not os.path.exists(self.address):
            assert self.process.poll() is None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)

    def device(self, name, model):
        return f"type=vrf,name={name},addr={self.address},personality={model},opening_s=0.1"

    def command(self, verb, name, *options, model="ideal"):
        return [BIN / "wimax-radio", verb, "--device", self.device(name, model), *map(str, options)]

    def measure(self, verb, name, *options, model="ideal"):
        return json.loads(subprocess.run([*self.command(verb, name, *options, model=model), "--json", "-"], stdout=subprocess.PIPE, check=True).stdout)


def gains(path):
    figure, all_axes = plt.subplots(1, 2, figsize=(10, 4.5))  # one scale of colours, so that the panels compare
    for axes, (model, rate) in zip(all_axes, (("b210", 5_760_000), ("x310-ubx", 6_250_000))):
        with tempfile.TemporaryDirectory() as folder, Channel(folder, rate) as channel:
            found = channel.measure("loopback", "bs", "--attenuation-db", 60, "--transmit", "--step-db", 8, "--peer", channel.device("ss", model), model=model)
        heard = [p for p in found["grid"] if "evm_db" in p]
        dots = axes.scatter([p["rx_gain_db"] for p in heard], [p["tx_gain_db"] for p in heard], c=[p["evm_db"] for p in heard], cmap="viridis_r", vmin=-40, vmax=-5, s=45,
                            edgecolors=["black" if p["clipped_samples"] else "none" for p in heard])
        best = found["best"]
        axes.plot(best["rx_gain_db"], best["tx_gain_db"], "r*", markersize=14, markerfacecolor="none")
        axes.set(title=f"{model}, 60 dB: best tx {best['tx_gain_db']:g}, rx {best['rx_gain_db']:g} dB", xlabel="receive gain (dB)", ylabel="transmit gain (dB)")
        figure.colorbar(dots, ax=axes, label="EVM (dB); black edge: clipped")
        print(f"{model}: {json.dumps({k: v for k, v in found.items() if k not in ('grid', 'provenance')})}")
    save(figure, path)


def spectrum(path):
    with tempfile.TemporaryDirectory() as folder, Channel(folder, 5_760_000) as channel:
        with subprocess.Popen(channel.command("calibrate", "bs", "--file", f"{folder}/c.yml", "--transmit", "--tx-gain-db", 20, "--seconds", 3600),
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as sender:
            channel.measure("spectrum", "ss", "--rx-gain-db", 50, "--seconds", 0.5, "--png", path)
            sender.kill()


if __name__ == "__main__":
    target = pathlib.Path(sys.argv[1])
    constellations(target / "lab-constellations.webp")
    gains(target / "lab-gains.webp")
    spectrum(target / "lab-spectrum.png")
