# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of the experiments: each is made of a Measured, and returns a matplotlib figure."""
from wimax_tools.bench.studies.drawing import plt

WIDE = (9, 4.5)
PUBLISHED, FIELD, LAB = "0.65", "C1", "C0"
SIDES = (("published", PUBLISHED), ("study's network", FIELD), ("own profile", LAB))


def panels(count, size=WIDE, rows=1, **more):
    figure, axes = plt.subplots(rows, count, figsize=size, squeeze=False, **more)
    for one in axes.flat:
        one.grid(True, alpha=0.3)
    return figure, axes[0] if rows == 1 else axes


def bars(axes, names, sides, label):
    """Groups of bars; `sides`: (name, colour, values by name of a group, None where there is none)."""
    width = 0.8 / len(sides)
    for i, (side, colour, values) in enumerate(sides):
        at = [n + (i - (len(sides) - 1) / 2) * width for n, name in enumerate(names) if values.get(name) is not None]
        tall = [values[name] for name in names if values.get(name) is not None]
        low_high = [[max(0.0, v - getattr(v, "low", v)) for v in tall], [max(0.0, getattr(v, "high", v) - v) for v in tall]]
        if tall:  # a series without bars would have the next colour of the cycle in the legend, not its own
            axes.bar(at, tall, width, color=colour, label=side, yerr=low_high, error_kw={"elinewidth": 0.8})
    axes.set_xticks(range(len(names)), names, rotation=30, ha="right", fontsize="small")
    axes.set_ylabel(label)


def symbols(direction):
    """Symbols of 100 that carry IP, by modulation."""

    def draw(measured):
        from wimax_tools.bench.profiles import RATE_NAMES
        figure, (axes,) = panels(1)

        def of(figures, name):
            return {rate: (figures.get(direction, {}).get(f"{rate}{name}") or {}).get("symbols") for rate in RATE_NAMES}

        sides = [(f"{who}, {name}", colour, of(figures, f", {name}")) for name, colours in (("Default", ("#ffd2a6", "C1")), ("Speedy", ("#f2b3b3", "C3")))
                 for (who, figures), colour in zip((("published", measured.published), ("study's network", measured.field)), colours)]
        bars(axes, RATE_NAMES, [*sides, ("own profile", LAB, of(measured.lab, ""))], "symbols of 100 that carry IP")
        axes.set_ylim(0, 125)  # room for the legend
        axes.set_yticks(range(0, 101, 20))
        axes.legend(loc="upper center", ncols=3, fontsize="small")
        return figure

    return draw


def shared_legend(all_axes):
    """One legend above the bars of the first panel, of the series of all panels."""
    handles = {label: handle for axes in all_axes for handle, label in zip(*axes.get_legend_handles_labels())}
    all_axes[0].set_ylim(top=1.25 * all_axes[0].get_ylim()[1])
    all_axes[0].legend(handles.values(), handles, loc="upper center", ncol=len(handles), fontsize="small")


def shares(measured):
    """Of the computed capacity, by rate, TCP and UDP."""
    from wimax_tools.bench.profiles import RATE_NAMES
    figure, all_axes = panels(2, sharey=True)
    for axes, direction in zip(all_axes, ("downlink", "uplink")):
        figures = measured.lab[direction]
        known = measured.published.get(direction) or {}
        rates = [name for name in RATE_NAMES if name in figures]
        sides = [(f"published, {kind.upper()}", colour, {name: (known.get(name) or {}).get(kind) for name in rates}) for kind, colour in (("udp", "0.6"), ("tcp", "0.8"))]
        sides += [(kind.upper(), colour, {name: figures[name][kind] for name in rates}) for kind, colour in (("udp", "C0"), ("tcp", "C2"))]
        bars(axes, rates, [side for side in sides if any(value is not None for value in side[2].values())], "share of the computed capacity")
        axes.set_title(direction)
    shared_legend(all_axes)
    return figure


def buffers(measured):
    figure, all_axes = panels(2)
    for axes, key, label in zip(all_axes, ("kbps", "rtt_ms"), ("kb/s", "round trip, ms")):
        for direction, marker in (("downlink", "o"), ("uplink", "s")):
            for (who, colour), figures in zip(SIDES[1:], (measured.field, measured.lab)):
                if direction in figures:
                    at = [int(name.split()[0]) for name in figures[direction]]
                    axes.plot(at, [f[key] for f in figures[direction].values()], marker=marker, color=colour, label=f"{who}, {direction}")
        axes.set_xscale("log", base=2)
        axes.set_xlabel("sockets' buffers, KB")
        axes.set_ylabel(label)
        axes.set_ylim(bottom=0)
    all_axes[0].legend(fontsize="small")
    return figure


def two_flows(measured):
    """Rates over time of a flow, and of one that begins later."""
    figure, all_axes = panels(2, sharey=True)
    series = measured.series["lab"][""]
    for axes, direction in zip(all_axes, ("downlink", "uplink")):
        for name, points in zip(("first", "second"), series[direction]):
            axes.plot([at for at, _ in points], [kbps for _, kbps in points], drawstyle="steps-post", label=name)
        axes.set_title(f"{direction}, own profile")
        axes.set_xlabel("s")
    all_axes[0].set_ylabel("kb/s")
    all_axes[0].legend()
    return figure


def sparse_beside_full(measured):
    """Delays over time of both."""
    figure, all_axes = panels(2, sharey=True)
    for axes, direction in zip(all_axes, ("downlink", "uplink")):
        for (who, colour), key in zip(SIDES[1:], ("field", "lab")):
            if measured.series[key]:
                series = measured.series[key][""][direction]
                begin = min(at for at, _ in series["sparse"])
                for kind, marker in (("full", "."), ("sparse", "x")):
                    axes.plot([at - begin for at, _ in series[kind]], [ms for _, ms in series[kind]], marker, markersize=3, color=colour, alpha=0.5,
                              label=f"{who}, {kind}")
        axes.set_yscale("log")
        axes.set_title(direction)
        axes.set_xlabel("s")
    all_axes[0].set_ylabel("one-way delay, ms")
    all_axes[0].legend(fontsize="small")
    return figure


def arq_throughput(measured):
    figure, all_axes = panels(2, sharey=True)
    for axes, direction in zip(all_axes, ("downlink", "uplink")):
        names, sides = ["TCP, without", "TCP, ARQ", "UDP, without", "UDP, ARQ"], []
        for (who, colour), figures in zip(SIDES, (measured.published, measured.field, measured.lab)):
            of = figures.get(direction) or {}
            sides.append((who, colour, {f"{kind.upper()}, {said}": (of.get(case) or {}).get(f"{kind}_kbps") for kind in ("tcp", "udp")
                                        for case, said in (("without", "without"), ("arq", "ARQ"))}))
        bars(axes, names, sides, "kb/s")
        axes.set_title(direction)
    all_axes[0].legend(fontsize="small")
    return figure
