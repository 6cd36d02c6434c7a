# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of delays and of what a trace of TCP shows: each is made of a Measured, and returns a matplotlib figure."""
import numpy

from wimax_tools.bench.studies.frame_rule import delay_ms
from wimax_tools.bench.studies.pictures import FIELD, LAB, PUBLISHED, SIDES, bars, panels

BIN_MS, MODES_MS = 5, (140, 150)
LEG_NAMES = {"outgoing": "outgoing", "return": "return", "round_trip": "round trip"}
COLOURS = {"ugs": "C0", "rtps": "C1", "be": "C2", "rtps_spare": "C3", "be_spare": "C4"}
CASE_NAMES = {"ugs": "UGS", "rtps": "rtPS", "be": "BE", "rtps_spare": "rtPS, spare symbols", "be_spare": "BE, spare symbols"}


def draw_cdf(axes, ms, **look):
    ordered = sorted(ms)
    axes.step(ordered, [(i + 1) / len(ordered) for i in range(len(ordered))], where="post", **look)


def probes(direction):
    """Of each leg the distributions by service, in the study's network above and in our own below, with the published means."""

    def draw(measured):
        figure, all_axes = panels(len(LEG_NAMES), (11, 6.5), rows=2, sharex="col", sharey=True)
        for row, (who, key, style) in enumerate((("study's network", "field", "-"), ("own profile", "lab", "-"))):
            for axes, (leg, name) in zip(all_axes[row], LEG_NAMES.items()):
                for case, series in measured.series[key].items():
                    draw_cdf(axes, series[direction][leg], color=COLOURS[case], linestyle=style, label=CASE_NAMES[case])
                    known = (measured.published.get(direction, {}).get(case) or {}).get(leg)
                    if known and key == "field":
                        axes.axvline(known["mean_ms"], color=COLOURS[case], linestyle=":", linewidth=1)
                axes.set_xlim(left=0)
                axes.set_title(f"{who}, {name}", fontsize="medium")
        for axes in all_axes[-1]:
            axes.set_xlabel("ms")
        for row, corner in zip(all_axes, ("center left", "lower right")):  # where no curve is
            row[0].set_ylabel(f"share of {direction} probes")
            row[-1].legend(loc=corner, fontsize="small")
        return figure

    return draw


def rule(measured):
    """Delays by where in the frame the packet was queued, and the rule's."""
    figure, all_axes = panels(2, sharey=True)
    frame = measured.profile.frame_ms
    for axes, direction in zip(all_axes, ("downlink", "uplink")):
        series = measured.series["field"][""][direction]
        axes.plot([at for at, _ in series["points"]], [ms for _, ms in series["points"]], ".", color=FIELD, markersize=4, label="measured")
        at = numpy.linspace(0, frame, 400, endpoint=False)
        for name, arrives, lead, colour in (("the rule alone", series["burst_ends_ms"], 0, PUBLISHED),
                                            ("with lead and reception", series["burst_ends_ms"] + series["reception_ms"], series["lead_ms"], LAB)):
            axes.plot(at, [delay_ms(x, arrives, frame, lead) for x in at], color=colour, label=name, linewidth=1)
        axes.set_title(f"UGS, {direction}")
        axes.set_xlabel("time from the start of the frame to queuing, ms")
    all_axes[0].set_ylabel("one-way delay, ms")
    all_axes[0].legend(fontsize="small")
    return figure


def least_delays(measured):
    figure, all_axes = panels(2, sharey=True)
    for axes, direction in zip(all_axes, ("downlink", "uplink")):
        for (who, colour), key in zip(SIDES[1:], ("field", "lab")):
            for (case, series), style in zip(measured.series[key].items(), ("-", "--")):
                draw_cdf(axes, series[direction], color=colour, linestyle=style, label=f"{who}, {case}")
        axes.set_title(direction)
        axes.set_xlabel("one-way delay, ms")
        axes.set_xlim(left=0)
    all_axes[0].set_ylabel("share of packets")
    all_axes[0].legend(loc="lower right", fontsize="small")
    return figure


def acknowledgments(measured):
    """Shares of frames by how many acknowledgments they bring."""
    figure, (axes,) = panels(1, (7, 4))
    numbers = [str(n) for n in range(5)]
    sides = [(f"{who}{name and ', '}{name}", colour, one["acks_in_a_frame"]) for (who, colour), figures in
             zip(SIDES, (measured.published, measured.field, measured.lab)) for name, one in (figures.get("downlink") or {}).items()]
    bars(axes, numbers, sides, "share of frames")
    axes.set_xlabel("acknowledgments in a frame")
    axes.legend(fontsize="small")
    return figure


def round_trips(measured):
    """TCP's round trips by its trace, with the study's modes."""
    figure, all_axes = panels(2, sharey=True)
    for axes, direction in zip(all_axes, ("downlink", "uplink")):
        for (who, colour), key in zip(SIDES[1:], ("field", "lab")):
            for (case, series), style in zip(measured.series[key].items(), ("-", "--")):
                ms = series[direction]["rtt_ms"]
                bins = numpy.arange(0, max(ms) + BIN_MS, BIN_MS)
                axes.hist(ms, bins, weights=[1 / len(ms)] * len(ms), histtype="step", color=colour, linestyle=style, label=f"{who}, {case}")
        axes.set_title(direction)
        axes.set_xlabel("round trip under load, ms")
    for mode in MODES_MS:
        all_axes[0].axvline(mode, color=PUBLISHED, linestyle=":", label="published mode" if mode == MODES_MS[0] else None)
    all_axes[0].set_ylabel(f"share in {BIN_MS} ms")
    for axes in all_axes:
        axes.legend(fontsize="small", loc="upper center", bbox_to_anchor=(0.55, 1))
    return figure
