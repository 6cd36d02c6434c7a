# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of a station that moves (C2) and of a channel that changes (B3)."""
from wimax_tools.bench.profiles import RATE_NAMES
from wimax_tools.bench.studies.drawing import patches, plt
from wimax_tools.bench.studies.pictures import FIELD, LAB, PUBLISHED

SIDES = (("study's network", "field"), ("own profile", "lab"))
DOWNLOADS = {"single": "one TCP transfer", "parallel": "ten"}
COLOURS = {"single": "C0", "parallel": "C2"}
LEVEL = {"color": "0.4", "linewidth": 0.9}


def steps(axes, points, **style):
    axes.plot([at for at, _, _ in points], [kbps / 1e3 for _, kbps, _ in points], drawstyle="steps-pre", linewidth=1, **style)


def rate_axes(axes, course, **style):
    """Rates in use, by name."""
    used = [float("nan") if rate is None else rate for _, _, rate in course]
    axes.plot([at for at, _, _ in course], used, drawstyle="steps-post", linewidth=0.8, **style)
    axes.set_yticks(range(len(RATE_NAMES)), RATE_NAMES, fontsize="x-small")
    axes.set_ylim(-0.5, len(RATE_NAMES) - 0.5)


def grid(rows, columns, size):
    figure, axes = plt.subplots(rows, columns, figsize=size, squeeze=False, sharex="col", sharey="row")
    for one in axes.flat:
        one.grid(True, alpha=0.3)
    return figure, axes


def draw_series(measured):
    """For each path the level, downloads over time with either network, rates in use, and video frames that came late."""
    paths = list(measured.series["lab"])
    figure, axes = grid(5, len(paths), (6 * len(paths), 10))
    for column, path in enumerate(paths):
        own = measured.series["lab"][path]
        axes[0, column].plot([at for at, _, _ in own["single"]["course"]], [level for _, level, _ in own["single"]["course"]], **LEVEL)
        axes[0, column].set_title(path)
        for row, (side, which) in enumerate(SIDES, 1):
            for name, label in DOWNLOADS.items():
                steps(axes[row, column], measured.series[which][path][name]["seconds"], color=COLOURS[name], label=label)
            axes[row, 0].set_ylabel(f"{side}\nMb/s")
        rate_axes(axes[3, column], own["single"]["course"], color=LAB)
        for (side, which), colour in zip(SIDES, (FIELD, LAB)):
            late(axes[4, column], measured.series[which][path]["video"]["frames"], color=colour, label=side)
        axes[4, column].set_xlabel("s")
    axes[0, 0].set_ylabel("received level, dBm")
    axes[3, 0].set_ylabel("rate of one transfer,\nown profile")
    axes[4, 0].set_ylabel("video frames missed")
    for row in (1, 4):
        axes[row, -1].legend(fontsize="small", loc="upper left")
    return figure


def late(axes, frames, **style):
    """How many frames were not whole in time, so far."""
    missed, at = [0], [0.0]
    for sent, _, in_time in frames:
        missed.append(missed[-1] + (not in_time))
        at.append(sent - frames[0][0])
    axes.plot(at, missed, **style)


def draw_spread(measured):
    """Rates of all seconds as boxes, with the published means."""
    paths = list(measured.series["lab"])
    figure, axes = grid(1, len(paths), (5 * len(paths), 4.5))
    for one, path in zip(axes[0], paths):
        for i, (name, label) in enumerate(DOWNLOADS.items()):
            for j, (_, which) in enumerate(SIDES):
                rates = [kbps / 1e3 for _, kbps, _ in measured.series[which][path][name]["seconds"]]
                box = one.boxplot([rates], positions=[3 * i + j], widths=0.7, showmeans=True, patch_artist=True,
                                  medianprops={"color": "black"}, flierprops={"markersize": 2})
                box["boxes"][0].set_facecolor((FIELD, LAB)[j])
            one.hlines(measured.published["downlink"][path][f"{name}_kbps"] / 1e3, 3 * i - 0.5, 3 * i + 1.5, color=PUBLISHED, linewidth=3)
        one.set_xticks([0.5, 3.5], DOWNLOADS.values())
        one.set_title(path)
    axes[0, 0].set_ylabel("Mb/s, each second")
    boxes = [patches.Patch(color=colour, label=label) for colour, label in ((PUBLISHED, "published mean"), (FIELD, SIDES[0][0]), (LAB, SIDES[1][0]))]
    axes[0, -1].legend(handles=boxes, fontsize="small", loc="lower right")
    return figure


def draw_changes(measured):
    """Downlink SNR, rate in use and throughput over time, sudden and gradual."""
    courses = [name for name in measured.series["lab"] if "course" in measured.series["lab"][name].get("downlink", {})]
    figure, axes = grid(3, len(courses), (4 * len(courses), 7))
    for column, course in enumerate(courses):
        axes[0, column].set_title(course)
        axes[2, column].set_xlabel("s")
        for (side, which), colour in zip(SIDES, (FIELD, LAB)):
            if course not in measured.series[which]:
                continue
            kept = measured.series[which][course]["downlink"]
            if which == "lab":
                axes[0, column].plot([at for at, _, _ in kept["course"]], [level for _, level, _ in kept["course"]], **LEVEL)
            rate_axes(axes[1, column], kept["course"], color=colour)
            steps(axes[2, column], kept["rates"], color=colour, label=side)
    for row, label in enumerate(("SNR, dB", "rate in use", "Mb/s")):
        axes[row, 0].set_ylabel(label)
    axes[2, 0].legend(fontsize="small")
    return figure
