# SPDX-License-Identifier: GPL-3.0-or-later
# %% [markdown]
# # Figure A1 of the study: delays by scheduling service
#
# "Performance Characteristics of an Operational WiMAX Network" measured delays of small probes on an idle network: 56 octets, gaps uniform between 0.5 and
# 1.5 s, frames of 10 ms. Each uplink scheduling service took 20 ms more than the one before. This notebook repeats the measurement in the simulator, with the
# study's frame, BPSK 1/2, and its rule that a map describes the next frame. `docs/results/A1.md` has the measurement on the whole stack.

# %%
import matplotlib.pyplot as plt
import numpy as np
import numpy.typing as npt

from wimax.simulator import Cell
from wimax.traffic import Flow, Trace

PROBES = 600
SERVICES: dict[str, dict[str, str | int]] = {"UGS": {"service": "UGS", "max_rate_bps": 44_800}, "rtPS": {"service": "rtPS"},
            "BE": {"service": "BE"}}
PUBLISHED_MS = {"UGS": 19.86, "rtPS": 39.81, "BE": 59.87}  # uplink probes, outgoing

# %% [markdown]
# Probes are a trace of times. The sum of the gaps decides where in the frame a probe arrives, so that arrivals are uniform over the frame.

# %%
random = np.random.default_rng(1)
times_s = np.cumsum(random.uniform(0.5, 1.5, PROBES))
probes = Trace(times_s, np.full(PROBES, 56))


def delays_ms(direction: str, service: dict[str, str | int], spare: bool) -> npt.NDArray[np.float64]:
    """One-way delays of all probes, in ms."""
    flow = Flow(probes, direction=direction, service=str(service["service"]), max_rate_bps=int(service.get("max_rate_bps", 0)))
    keys: dict[str, bool | int | str] = {"base_station.map_relevance": "next_frame"}
    if not spare:
        keys |= {"base_station.unasked_symbols": 0, "base_station.grant_spare": False, "base_station.turn_regions": False}
    cell = Cell(stations=1, flows=[flow], seconds=float(times_s[-1] + 1), seed=2, rate=0, keys=keys)
    cell.run()
    ends, counts = cell.delays(entry=1)
    return np.repeat(ends, counts.astype(int))


# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), dpi=70, sharey=True)
for name, service in SERVICES.items():
    up = delays_ms("uplink", service, spare=False)
    left.plot(np.sort(up), np.linspace(0, 1, len(up)), label=name)
    print(f"uplink, {name:>4}: {len(up)} probes, mean {np.mean(up):.2f} ms, sigma {np.std(up):.2f} ms (published {PUBLISHED_MS[name]} ms)")
down = delays_ms("downlink", SERVICES["BE"], spare=False)
right.plot(np.sort(down), np.linspace(0, 1, len(down)), label="BE")
print(f"downlink    : {len(down)} probes, mean {np.mean(down):.2f} ms, sigma {np.std(down):.2f} ms (published 17.2 ms)")
for axes, title in ((left, "uplink, one way"), (right, "downlink, one way")):
    axes.set(xlabel="delay, ms", title=title)
    axes.grid(alpha=0.3)
    axes.legend()
left.set(ylabel="share of probes")
plt.show()

# %% [markdown]
# The order is the study's: UGS has a grant in each frame, rtPS is polled, best effort requests in contention. Delays are uniform over one frame (sigma
# 2.89 ms), because a probe waits for the begin of the next one. Each value is lower than the published one: here a packet still makes the frame that the
# station builds. `docs/results/A1.md` compares the delays in detail.
#
# ## Spare grants
#
# An idle frame has spare symbols. Our base station grants them to stations that did not request any (the default).

# %%
for name in ("rtPS", "BE"):
    up = delays_ms("uplink", SERVICES[name], spare=True)
    print(f"uplink, {name:>4}, spare grants: mean {np.mean(up):.2f} ms, sigma {np.std(up):.2f} ms")
