# SPDX-License-Identifier: GPL-3.0-or-later
# %% [markdown]
# # Replace the scheduler
#
# The base station divides each frame among its stations. A Python class can replace its rule (`docs/policies.md`). This notebook compares a proportional-fair
# scheduler in thirty lines with the built-in ones: eight stations, from 6 to 28 dB, whose channels fade.

# %%
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from wimax.mobility import SnrSeries
from wimax.simulator import Cell, Station
from wimax.traffic import Flow, Saturate

RULES = Path("../../apps/policy/examples/proportional_fair.py")
print(RULES.read_text())

# %% [markdown]
# ## The cell
#
# Each station's SNR swings by +-4 dB around its mean with another period. All stations always have downlink packets. A scheduler that serves a station when its
# channel is good gains from the swing.

# %%
MEANS_DB = np.linspace(6, 28, 8)
TIMES_S = np.arange(0, 12, 0.02)


def stations() -> list[Station]:
    periods_s = np.linspace(1.1, 2.3, len(MEANS_DB))
    return [Station(SnrSeries(TIMES_S, mean + 4 * np.sin(2 * np.pi * TIMES_S / period))) for mean, period in zip(MEANS_DB, periods_s)]


def cell_with(scheduler: str | dict[str, str]) -> Cell:
    return Cell(stations=stations(), flows=[Flow(Saturate())], seconds=8.0, warmup_s=2.0, rate="auto", seed=4,
                keys={"base_station.dl_scheduler": scheduler} if isinstance(scheduler, str) else
                     {f"base_station.dl_scheduler.{key}": value for key, value in scheduler.items()})


def jain(values: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> float:
    """Fairness after Jain: 1 for equal values, 1 / n if one has all."""
    return float(values.sum() ** 2 / (len(values) * (values ** 2).sum()))


# %% [markdown]
# ## Results

# %%
choices: dict[str, str | dict[str, str]] = {"fair": "fair", "proportional_fair": "proportional_fair", "weighted_channel": "weighted_channel",
                                            "thirty lines": {"python": f"{RULES}:ProportionalFair"}}
figure, axes = plt.subplots(figsize=(8, 3.2), dpi=70)
for n, (name, scheduler) in enumerate(choices.items()):
    cell = cell_with(scheduler)
    cell.run()
    goodput = cell.figures()["dl_goodput_bps"] / 1e6
    axes.bar(np.arange(len(MEANS_DB)) + 0.2 * n - 0.3, goodput, 0.2, label=name)
    print(f"{name:>18}: {goodput.sum():.2f} Mb/s in sum, least {goodput.min():.2f}, Jain index {jain(goodput):.3f}")
axes.set(xlabel="station", ylabel="downlink goodput, Mb/s", title="Eight stations, mean SNR rising from 6 to 28 dB")
axes.set_xticks(range(len(MEANS_DB)), [f"{mean:.0f} dB" for mean in MEANS_DB])
axes.legend()
plt.show()

# %% [markdown]
# ## Faults are survived
#
# A class that fails costs one frame: the built-in scheduler serves it. After the third fault the built-in one takes over.

# %%
Path("faulty_rules.py").write_text('''
class Faulty:
    def __init__(self, cell):
        self.calls = 0

    def schedule(self, frame):
        self.calls += 1
        if self.calls % 100 == 0:
            raise RuntimeError("no idea")
        return [frame.units / len(frame.stations)] * len(frame.stations)
''')
cell = cell_with({"python": "faulty_rules.py:Faulty"})
cell.run()
print({key: value for key, value in cell.result()["policies"]["dl_scheduler"].items() if key not in ("spent_us", "longest_us")})
Path("faulty_rules.py").unlink()

# %%
# not compared
cell = cell_with(choices["thirty lines"])
cell.run()
policy = cell.result()["policies"]["dl_scheduler"]
print(f"cost: {policy['spent_us'] / policy['calls']:.0f} us of processor time per frame")
