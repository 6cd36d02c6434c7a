# SPDX-License-Identifier: GPL-3.0-or-later
"""What the bench starts, asks and computes in each of its experiments, on a host that only exists as numbers (world.py)."""
import contextlib
import hashlib
import io
import json
import os
import re
import sys
from pathlib import Path
from unittest import mock

import recorded
import test_recorded_calls as calls
import test_recorded_pages as pages
import world
from wimax_tools.bench import cable, matrix, page, run, studies
from wimax_tools.bench.experiment import Kept, measured_case
from wimax_tools.bench.profiles import Profile

HERE = Path(__file__).resolve().parent
BY_TCPDUMP = ("A6", "A7")  # captures: test_bench_tcp_trace
ENDS = cable.Cable(6.25e6, 60.0, cable.End("x310-ubx", 11.0, 20.0, None), cable.End("b210", 40.0, 30.0, 6.25e6), 0.5)
LONG = {name: ("--duration", "8") for name in ("C2", "arq", "fading")}  # experiments whose whole run takes too long


def args_of(*words):
    with mock.patch.dict(os.environ):
        args = run.parse(list(words))
    args.out = args.json = None
    return args


def shown(host):
    """What was started and set. Libraries of numbers differ in the last digits."""
    said = re.sub(r"\d+\.\d+(e-?\d+)?", lambda number: f"{float(number[0]):.6g}", "\n".join(host.said))
    digest = hashlib.sha256(said.encode()).hexdigest()[:16]
    return {"count": len(host.said), "digest": digest, "asked": host.asked, "wall_s": round(host.wall_s, 3)}


def short(value):
    """Series as their number and two sums."""
    if isinstance(value, dict):
        return {str(k): short(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return sums(value) if len(value) > 4 else [short(v) for v in value]
    return float(value) if isinstance(value, float) else value


def sums(value):
    found = list(numbers(value))
    return [len(found), sum(found), sum((1 + n % 7) * one for n, one in enumerate(found))]


def numbers(value):
    for one in value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else [value]:
        if isinstance(one, (dict, list, tuple)):
            yield from numbers(one)
        elif isinstance(one, (int, float)):
            yield float(one)
            yield from (bound or 0.0 for bound in (getattr(one, "low", 0.0), getattr(one, "high", 0.0)))


@contextlib.contextmanager
def texts():
    """What is printed."""
    with contextlib.redirect_stdout(io.StringIO()) as printed, contextlib.redirect_stderr(printed):
        yield printed


def experiment(name):
    """Figures of the quick run, and sums that include their bounds; of the whole one in another network sums alone."""
    one, found, quick = studies.EXPERIMENTS[name], {}, []
    for words in (["--quick"], [*LONG.get(name, ()), "--mode", "free", "--profile", "7MHz-5ms"]):
        args = args_of("--experiment", name, *words)
        for which, case, extra, arguments in one.plan(args.profile):
            with world.world() as host, texts():
                result = measured_case(one.measure, lambda extra, **more: run.entered(args, extra, **more), extra, arguments)  # noqa: B023
            quick += [result] if words == ["--quick"] else []
            figures = {key: result[key] for key in ("error", "figures", "series", "realtime_factor", "host_stolen_share", "seconds") if key in result}
            found[f"{words[0]} {which} {case}"] = {**(short(figures) if words == ["--quick"] else {}), "sums": sums(figures), "host": shown(host)}
    return json.loads(json.dumps({**found, "written": written(one, quick)}))


def written(one, results):
    """Page, its pictures and the index that are made of the results of all cases, and of those of the others where the first failed."""
    def texts_of(made):
        said, left = [], iter(made)
        with mock.patch("wimax_tools.bench.experiment.measured_case", lambda *_: next(left)), mock.patch("wimax_tools.provenance.commit", lambda: "0123456"), \
                mock.patch("wimax_tools.provenance.machine", lambda: "host, processor, 2 cores"), mock.patch("wimax_tools.provenance.version", lambda: "0.1.0"), \
                mock.patch.object(sys, "argv", ["x", "y"]), pages.shown() as figures:
            result, measured = one.run(None, Kept("."), said.append, args_of("--quick"))
            files = [page.write(one, result, measured, "r"), page.write_index("r"), *Path("cases").iterdir()]
            return [said, figures, sorted(path.read_text(encoding="utf-8") for path in files)]
    failed = {"commit": "0123456", "seconds": 5.0, "error": "ended"}
    return calls.hashed([calls.hashed(calls.outcome(texts_of, made)) for made in (results, [failed, *results[1:]])])


def bench(*words):
    args = args_of(*words)
    with world.world() as host, mock.patch.object(run, "cable_of", lambda args: ENDS if args.personality else None), texts() as printed:
        result = run.measure(args)
    result.pop("provenance")
    return json.loads(json.dumps({"result": short(result), "host": shown(host), "printed": printed.getvalue().splitlines()}))


def cells(*words):
    with world.world() as host, mock.patch.object(cable, "plan", lambda *_: ENDS), texts() as printed:
        result = matrix.run(args_of("--matrix", *words), printed, host.say)
    return json.loads(json.dumps({"result": short({n: cell for n, cell in enumerate(result)}), "host": shown(host), "printed": printed.getvalue().splitlines()}))


def main():
    os.environ.setdefault("WIMAX_BUILD_DIR", "/build")
    cases = {name: lambda name=name: experiment(name) for name in studies.EXPERIMENTS if name not in BY_TCPDUMP}
    cases.update(bench=lambda: bench("--stations", "2", "--both-ways", "--dl-rate", "auto", "--ul-rate", "3"), cable=lambda: bench("--personality", "x310-ubx,b210", "--mode", "rt"),
                 fpga=lambda: bench("--fpga", "--mode", "free", "--duration", "2"), lates=lambda: bench("--lates", "500", "--stations", "2"),
                 matrix=lambda: cells("--mode", "free"), matrix_rt=lambda: cells("--mode", "rt", "--personality", "b210"))
    return recorded.main(cases, lambda name: cases[name](), HERE / "measures.json.xz", ["--jobs", "1", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
