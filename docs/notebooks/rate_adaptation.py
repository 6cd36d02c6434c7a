# SPDX-License-Identifier: GPL-3.0-or-later
# %% [markdown]
# # Rate adaptation compared
#
# A subscriber station asks for the burst profile of its downlink, the base station selects that of its uplink (clause 6.3.17). Both use a policy. This
# notebook measures, in the simulator, what fixed rates carry, what the policy `outcome` (the default) carries, and what the policy `thresholds` of the
# standard's text carries. Then the SNR falls and rises.

# %%
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

from wimax.mobility import SnrSeries
from wimax.phy import RATE_TABLE
from wimax.simulator import Cell, Station, run_many
from wimax.traffic import Flow, Saturate

SNRS_DB = np.arange(4, 26, 1.5)
SECONDS = 6.0


def keys_of(policy: str) -> dict[str, str]:
    """The policy at both ends."""
    return {f"{end}.adaptation.policy": policy for end in ("base_station", "subscriber_station")}


def cell_of(snr_db: float, rate: int | str, policy: str = "outcome") -> Cell:
    """One station that always has downlink packets; the policy has 2 s to settle."""
    return Cell(stations=1, flows=[Flow(Saturate())], seconds=SECONDS, warmup_s=2.0, snr_db=snr_db, rate=rate, seed=5,
                keys=keys_of(policy))


# %% [markdown]
# ## Goodput over SNR
#
# Each point is a cell; `run_many` runs them on two cores.

# %%
choices: list[tuple[str, int | str, str]] = [(rate.name, rate.rate_id, "outcome") for rate in RATE_TABLE]
choices += [("auto, outcome", "auto", "outcome"), ("auto, thresholds", "auto", "thresholds")]
cells = [cell_of(snr_db, rate, policy) for _, rate, policy in choices for snr_db in SNRS_DB]


def of_downlink(result: dict[str, Any]) -> tuple[float, float]:
    """Goodput in Mb/s of IP, and the share of packets that were lost."""
    total = result["total"]["downlink"]
    return float(total["goodput_bps"]) / 1e6, float(total["loss"])


results: list[dict[str, Any]] = run_many(cells)
measured = np.reshape([of_downlink(result) for result in results], (len(choices), len(SNRS_DB), 2))
goodput, loss = measured[..., 0], measured[..., 1]
figure, axes = plt.subplots(figsize=(8, 4), dpi=70)
for (name, rate, _), row in zip(choices, goodput):
    axes.plot(SNRS_DB, row, lw=1 if isinstance(rate, int) else 2.5, label=name)
axes.set(xlabel="SNR of a data carrier, dB", ylabel="downlink goodput, Mb/s of IP", title="5 MHz, frames of 10 ms")
axes.legend(ncols=2, fontsize=8)
axes.grid(alpha=0.3)
plt.show()

fixed = len(RATE_TABLE)
best = np.where(loss[:fixed] <= 1e-3, goodput[:fixed], 0).max(axis=0)
served = best > 0
for n in (-2, -1):
    share = goodput[n][served] / best[served]
    print(f"{choices[n][0]}: {100 * share.min():.0f} % of the best fixed rate without losses at least, {100 * share.mean():.0f} % on average, "
          f"loss up to {100 * loss[n][served].max():.2f} %")

# %% [markdown]
# The comparison is with the best fixed rate that loses at most 0.1 % of its packets. `outcome` learns from losses and keeps them at the target of its service
# flow; `thresholds` uses the CINR alone.
#
# ## A fade
#
# The SNR falls by 16 dB in 2 s, stays there for 2 s, and rises again. `cell.figures()` shows the rate in each step of 50 ms.

# %%
fade = SnrSeries([0, 2, 4, 6, 8, 10], [24, 24, 8, 8, 24, 24])
figure, axes = plt.subplots(figsize=(8, 3), dpi=70)
for policy in ("outcome", "thresholds"):
    cell = Cell(stations=[Station(fade)], flows=[Flow(Saturate())], rate="auto", seed=3, keys=keys_of(policy))
    times, rates = [], []
    while cell.measured_s < 10:
        cell.run(0.05)
        times.append(cell.measured_s)
        rates.append(int(cell.figures()["dl_rate_id"][0]))
    axes.step(times, rates, where="post", label=policy)
    print(f"{policy}: {np.count_nonzero(np.diff(rates))} changes of rate, {cell.figures()['dl_goodput_bps'][0] / 1e6:.2f} Mb/s")
axes.set(xlabel="time, s", ylabel="downlink Rate_ID", title="24 dB, 8 dB, 24 dB")
axes.legend()
axes.grid(alpha=0.3)
plt.show()
