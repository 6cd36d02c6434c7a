# SPDX-License-Identifier: GPL-3.0-or-later
"""What functions of the tools in Python return, print and pass on for drawn arguments, without programs and without a network: instruments, clocks
and processes are stand-ins. Also every constant of a module and every default value."""
import contextlib
import dataclasses
import hashlib
import importlib
import inspect
import io
import itertools
import json
import os
import pathlib
import random
import re
import runpy
import socket
import sys
import tempfile
import types
from pathlib import Path
from unittest import mock

import recorded
import test_recorded_pages as pages
import test_recorded_variants as variants

HERE = Path(__file__).resolve().parent
TOP = HERE.parents[1]
TOOLS = TOP / "apps/tools/python"
LONGEST = 60  # characters of a value that is recorded as it is
TOGETHER = 20  # outcomes of a hash
HERE_TEXT = re.compile(r"(?<![\w.-])" + re.escape(str(TOP)) + r"(?![\w-])")  # a tree in /wimax, too: ./wimax and wimax-sim are no paths of it
OURS = ("wimax_tools.", "wimax.")
# Modules that no other one imports: the sampler of faults runs a test for the modules that it names.
PROGRAMS = ("wimax_tools.bench.clean_up", "wimax_tools.ctl.command", "wimax_tools.explain", "wimax_tools.metrics.command", "wimax_tools.radio.capture", "wimax_tools.speed.tables",
            "wimax_tools.watch.command", "wimax_tools.watch.watcher")


def plain(value):
    """As JSON has it, without what depends on the machine."""
    if isinstance(value, dict):
        return {str(plain(k)): plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, (set, frozenset)):
        return sorted((plain(v) for v in value), key=str)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return plain(vars(value))
    if isinstance(value, re.Pattern):
        return value.pattern
    if value is None or isinstance(value, (bool, int, float)):
        return f"{value:.5g}" if isinstance(value, float) else value
    if isinstance(value, (str, bytes, pathlib.PurePath)):
        return HERE_TEXT.sub("TOP", str(value))
    return value.tolist() if hasattr(value, "tolist") else getattr(value, "__name__", type(value).__name__)


def outcome(work, *arguments, **more):
    """Result and print; of a fault its kind, and its words where they are ours."""
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
        try:
            result = plain(work(*arguments, **more))
        except SystemExit as ended:
            result = ["exit", plain(ended.code)]
        except Exception as fault:  # pylint: disable=broad-except  # the kind is the result
            result = [type(fault).__name__, plain(str(fault)) if type(fault).__module__.startswith(OURS) else ""]
    return [result, *(HERE_TEXT.sub("TOP", stream.getvalue()) for stream in (out, err))]


def hashed(value):
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()[:8]


def calls(work, inputs):
    """Hashes of the outcomes of many calls, in groups."""
    found = [outcome(work, *one) for one in inputs]
    assert not all(isinstance(one[0], list) and one[0][:1] == ["TypeError"] for one in found), "the inputs fit no call"
    return [hashed(found[n:n + TOGETHER]) for n in range(0, len(found), TOGETHER)]


def short(value):
    text = json.dumps(plain(value), sort_keys=True)
    return text if len(text) <= LONGEST else hashed(text)


def hashes_of(*works):
    found = {}
    for work in works:
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            found[work.__name__] = {key: short(value) for key, value in work().items()}
    return found


class Clock:
    """Wall clock that only sleeping and each look at it advance."""

    def __init__(self, look_s=0.001):
        self.now_s, self.look_s = 1000.0, look_s

    def sleep(self, seconds):
        self.now_s += seconds

    def __call__(self):
        self.sleep(self.look_s)
        return self.now_s


def stand_ins():
    """Libraries that need not be installed."""
    def part(*words, **more):
        return contextlib.nullcontext(("address", plain(words), sorted(more.items(), key=str)))
    dask = types.SimpleNamespace(config=types.SimpleNamespace(set=lambda keys: contextlib.nullcontext(keys)))
    distributed = types.SimpleNamespace(Security=types.SimpleNamespace, LocalCluster=part, Client=part, TimeoutError=TimeoutError, wait=mock.Mock())
    return mock.patch.dict(sys.modules, dask=dask, distributed=distributed)


def modules():
    for path in sorted([*TOOLS.glob("wimax_tools/**/*.py"), *TOOLS.glob("wimax/*.py")]):
        parts = path.relative_to(TOOLS).with_suffix("").parts
        if not parts[-1].startswith(("test_", "__")) and "examples" not in parts:
            yield ".".join(parts)


def functions_of(holder, module):
    for name, value in sorted(vars(holder).items()):
        value = getattr(value, "__func__", getattr(value, "fget", None) or value)
        if inspect.isclass(value) and value.__module__ == module and value is not holder:
            yield from ((f"{name}.{inner}", one) for inner, one in functions_of(value, module))
        elif inspect.isfunction(value) and value.__module__ == module:
            yield name, value


def constants():
    """A hash of each module's constants and of the default values of its functions."""
    found = {}
    for name in sorted({*modules(), *PROGRAMS}):
        module = importlib.import_module(name)
        kept = {key: value for key, value in vars(module).items() if key.isupper() and not isinstance(value, (types.ModuleType, pathlib.PurePath))}
        defaults = {key: [p.default for p in inspect.signature(function).parameters.values() if p.default not in (p.empty, os.environ)] for key, function in functions_of(module, name)}
        found[name] = hashed(plain([kept, {key: values for key, values in defaults.items() if values}]))
    return found


# ---- campaigns ----

CAMPAIGN = {"title": "A sweep", "kind": "link", "base": {"channel": "awgn", "blocks": 100}, "parameters": {"rate": [4, 6], "snr_db": [12, 13.5]}, "repeat": 2, "seed": 7,
            "figures": {"per": "points.0.per"}, "until": {"figure": "per", "relative": 0.1, "most": 5}, "timeout_s": 2.5,
            "plots": [{"x": "snr_db", "y": "per", "by": "rate", "log": "y", "xlabel": "a", "ylabel": "b", "title": "c"}, {"x": "rate", "y": ["per", "snr_db"]}]}
CASES_OF = {**{k: v for k, v in CAMPAIGN.items() if k not in ("parameters", "until", "repeat")}, "cases": [{"rate": [4, 6], "snr_db": [12]}, {"rate": [0], "way": ["up"]}]}


def described(document, text=None):
    from wimax_tools.campaign import description
    Path("c.yml").write_text(json.dumps(document) if text is None else text, encoding="utf-8")
    one = description.read("c.yml")
    return vars(one), one.points(), one.points(3)[-2:], one.names(), one.fingerprint()


def descriptions():
    draw, inputs = random.Random(1), []
    for known in (CAMPAIGN, CASES_OF):
        inputs += [(known,), *((variants.variant(known, draw),) for _ in range(250))]
    limits = {"repeat": (0, 1, 10_000, 10_001), "seed": (-1, 0, 2**63 - 1, 2**63, True), "timeout_s": (0.5, 1, 86_400, 86_401), "title": ("", 5, None)}
    inputs += [({**CAMPAIGN, key: value},) for key, values in limits.items() for value in values]
    inputs += [({**CAMPAIGN, "until": {**CAMPAIGN["until"], key: value}},) for key, values in {"relative": (0, 1e-6, 1, 1.1), "most": (0, 1, 10_000, 10_001)}.items() for value in values]
    inputs += [({**CAMPAIGN, "parameters": {"rate": list(range(count))}, "repeat": 10_000},) for count in (99, 100, 101)]
    return [*inputs, *((None, text) for text in ("", "- 1\n", "a: [\n", "kind: sim\nparamters: {}\n", "plots: 5\nfigures: 5\nbase: 5\ncases: 5\n", "\tx"))]


class Client:
    """Of a scheduler whose workers are done at once, later, never or with a fault."""
    scheduler_info = staticmethod(lambda: {"workers": [1, 2, 3]})

    def __init__(self, ends):
        self.ends, self.asked = iter(ends), []

    def submit(self, *words, **more):
        self.asked.append([plain(words), sorted(more.items())])
        status, looks = next(self.ends)
        looks = iter(range(looks))
        return types.SimpleNamespace(done=lambda: next(looks, None) is None, status=status, exception=lambda: ValueError("the point's words"),
                                     result=lambda n=len(self.asked): {"seed": words[4], "rate": n, "per": 0.5, "cpu_s": 0.25 * n})


def runs():
    """A campaign from its first point to its last."""
    from wimax_tools.campaign import description, runner
    found, clock = {}, Clock()
    for ahead, ends in ((256, [("finished", 0)] * 9), (2, [("finished", 1), ("error", 3), ("lost", 0), *[("finished", 2)] * 9])):
        rows, shown, client, waits = {}, [], Client(ends), []
        store = types.SimpleNamespace(rows=rows, repeated=3, add=lambda row, rows=rows: rows.setdefault((row["group"], row["seed"]), row))
        one = description.Campaign("t", "link", {"base": 1}, [{"rate": [1, 2]}], {"per": "p"}, seed=5, repeat=3, timeout_s=9)
        wait = lambda flying, w=waits, **more: (w.append([len(flying), more]), clock.sleep(0.2))  # noqa: E731
        with mock.patch.object(runner, "AHEAD", ahead), mock.patch("wimax_tools.provenance.commit", lambda: "0123456"), mock.patch.object(runner.distributed, "wait", wait), \
                mock.patch("time.monotonic", clock):
            run = runner.Runner(one, store, client, lambda now: shown.append([now.planned(), len(now.flying), now.workers, now.computed]))
            run.run()
            found[str(ahead)] = {"asked": client.asked, "rows": sorted(map(plain, rows.values()), key=str), "waits": waits, "shown": shown, "failed": sorted(run.failed.values()),
                                 "summary": run.summary()}
    options = {"scheduler": None, "workers": None, "tls_ca_file": None, "tls_cert": "c", "tls_key": "k"}
    for more in ({}, {"workers": 3}, {"scheduler": "tcp://h:1"}, {"scheduler": "tls://h:1", "tls_ca_file": "a"}):
        with mock.patch("os.cpu_count", lambda: 5), runner.connected(types.SimpleNamespace(**{**options, **more})) as client:
            found[str(more)] = re.sub("wimax-campaign-[a-z0-9_]+", "", str(client))
    return plain(found)


def points():
    """Commands of points, and what becomes of their output."""
    from wimax_tools.campaign import tasks
    settings = {"link": ({"channel": "awgn"}, {"rate": 6, "snr_db": 13.5}), "sim": ({"a": {"b": [1, 2]}}, {"a.b.1": 7, "c.d": 5, "e": 2}), "bench": ({"out": "x"}, {"snr_db": 20}),
                "curves": ({"effort": 0.5}, {"what": "bits"})}
    outputs = [(0, '{"points": [{"per": 0.5}, {"per": 1}]}', ""), (3, "", "no  such\nrate " + 600 * "x"), (0, "{}", ""), (0, '{"points": 5}', ""), (0, '{"points": []}', "")]
    found = {}
    for kind, (base, parameters) in settings.items():
        for n, (code, out, err) in enumerate(outputs):
            asked = []

            def run(command, asked=asked, code=code, out=out, err=err, **more):
                asked.append([re.sub("wimax-point-[a-z0-9_]+", "", str(command)), sorted(more.items())])
                return types.SimpleNamespace(returncode=code, stdout=out, stderr=err)
            clock, used = Clock(0.25), iter((1.0, 3.5))
            with mock.patch("subprocess.run", run), mock.patch("time.monotonic", clock), mock.patch.object(tasks, "cpu_s", lambda used=used: next(used)), \
                    mock.patch("wimax_tools.provenance.commit", lambda: "aaa"), mock.patch("socket.gethostname", lambda: "host"), \
                    mock.patch("wimax_tools.provenance.machine", lambda: "host, processor, 2 cores"), mock.patch("wimax_tools.provenance.version", lambda: "0.1.0"), \
                    mock.patch.dict(os.environ, WIMAX_BUILD_DIR="/b"), mock.patch("sys.executable", "python"):
                result = outcome(tasks.run, kind, base, parameters, 4, {"a": "points.0.per", "b": "points.1"}, 7.5, "aaa")
                found[f"{kind} {n}"] = [re.sub("wimax-point-[a-z0-9_]+", "", json.dumps(result)), asked]
    found["put"] = calls(lambda path: (lambda into: (tasks.put(into, path, 9), into))({"a": [1, {"b": 2}], "c": {}})[1], [(p,) for p in (["a", "0"], ["a", "1", "b"], ["c", "d", "e"], ["a", "7"])])
    return plain(found)


def campaign_commands():
    """Arguments of `wimax campaign`, and those of Dask's programs."""
    from wimax_tools.campaign import __main__ as main
    found = {"parse": [outcome(lambda argv=argv: vars(main.parse(argv))) for argv in (
        ["a/b.yml"], ["x.yml", "--out", "y", "--workers", "3", "--json", "-"], ["x"] + ["--workers", "1024"], ["x", "--workers", "1025"], ["x", "--workers", "1"], ["x", "--workers", "-1"],
        ["x", "--scheduler", "tcp://h:1"], ["x", "--scheduler", "tls://h:12"], ["x", "--scheduler", "tcp://h:1x"], ["x", "--scheduler", "udp://h:1"], ["x", "--tls-ca-file", "a"],
        ["x", "--tls-ca-file", "a", "--tls-cert", "b"], ["x", "--tls-ca-file", "a", "--tls-cert", "b", "--tls-key", "c", "--scheduler", "tls://h:1"])]}
    with mock.patch("runpy.run_module") as ran:
        for argv in (["scheduler"], ["worker", "tcp://h:1"], ["worker", "--nthreads=2", "--host", "h"], ["worker", "--help"], ["scheduler", "--interface=e"],
                     ["worker", "--contact-address", "x"], ["scheduler", "--listen-address", "x", "--help"]):
            with mock.patch.object(sys, "argv", []):
                main.main(argv)
                found[" ".join(argv)] = [sys.argv, plain(ran.call_args)]
    return found


def simulation_pictures():
    """Of results with late, few and no packets."""
    from wimax_tools.simulation import plot
    with pages.shown() as figures:
        for stations, share in ((1, 1e-5), (3, 1e-6), (2, None)):
            delays = {"delay_cdf": [[5, 0.2], [9, 0.9], [20, 1 - share], [30, 1.0]] if share else [], "delay_ms": {"mean": 7.25, "p50": 7, "p99": 19.5, "p999": 20}}
            total = {way: {**delays, "station_bps": [n * 1500.0 for n in range(stations, 0, -1)], "jain": 0.98765} for way in plot.DIRECTIONS}
            heard = {key: {"requests": 9 + n, "collided": 2 * n} for n, (key, _) in enumerate(plot.CONTENTION)}
            plot.draw({"total": total, "stations": stations, "virtual_s": 2.5, "profile": "5MHz-10ms", "seed": 7, "throughput": {"interval_s": 0.5, "downlink_bps": [1e5, 2e5], "uplink_bps": [5e4, 0]}, **heard}, "p")
        files = sorted(os.listdir("p"))
    return {"files": files, "figures": [hashed(plain(figure)) for figure in figures]}


def campaigns():
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        read = calls(described, descriptions())
    return {**hashes_of(runs, points, campaign_commands, simulation_pictures), "read": read}


# ---- commands of this host ----

def supervised():
    """What `wimax up`, down, status, restart and logs ask and print, of programs in every state."""
    from wimax_tools.upkeep import command, processes, supervision
    found, states = {}, ("RUNNING", "STARTING", "EXITED", "FATAL", "STOPPED", "BACKOFF")
    Path("bs.macd.log").write_text("first\nwimax-macd: a\x07b \n\n", encoding="utf-8")
    infos = [{"name": name, "statename": state, "spawnerr": words, "start": 100, "now": 100 + age, "pid": pid, "stdout_logfile": f"{name}.log"} for state in states
             for words in ("", "terminated by SIGKILL", *(f"exit status {n}" for n in range(6))) for name, age, pid in (("bs.macd", 3725, 7), ("channeld", 5, 0), ("ss.phyd", 4, 9))]
    for work in (supervision.why_ended, supervision.ended_for_good, supervision.why_not_up, supervision.last_line):
        found[work.__name__] = calls(work, [(info,) for info in infos])
    Path("sub").mkdir()
    for name in ("channeld.yml", "bs.phyd.yaml", "a.macd.yml", "b.macd.yml", "macd.txt", "x.yml", "macd.yml", "sub/a.macd.yml"):
        Path(name).touch()
    one, found["programs"] = supervision.Supervisor("run"), [short(re.sub(os.getcwd(), "HERE", json.dumps(outcome(supervision.programs_of, names)))) for names in (
        ["a.macd.yml", "b.macd.yml", "channeld.yml", "bs.phyd.yaml"], ["none.yml"], ["macd.txt"], ["x.yml"], ["macd.yml"], ["a.macd.yml", "sub/a.macd.yml"], ["sub"], [])]
    programs = [supervision.Program(*words) for words in (("channeld", "channeld", Path("/c/100%.yml")), ("bs.macd", "macd", Path("/c/bs.macd.yml")))]
    for uid in (0, 1000):
        with mock.patch("os.geteuid", lambda uid=uid: uid):
            ini = supervision.configuration(programs, Path("/b%"), Path("/run/w%"), Path("/log%"))
            found[f"ini {uid}"] = {section: short(dict(ini[section])) for section in ini}
            found[f"places {uid}"] = [str(supervision.place_of(path)) for path in ("/run/wimax/", "/a b/c")]
    found["logs"] = [str(supervision.log_folder(environment, uid)) for environment in ({"HOME": "/h"}, {"HOME": "/h", "XDG_STATE_HOME": "/x"}) for uid in (0, 4_000_000)]
    draw, clock = random.Random(4), Clock()
    with mock.patch("time.monotonic", clock), mock.patch("time.sleep", clock.sleep):
        for n in range(60):
            course = [[dict(draw.choice(infos), name=name, start=draw.randrange(4)) for name in ("bs.macd", "ss.phyd", "other")] for _ in range(draw.randrange(1, 9))]
            looks = iter(course)
            with mock.patch.object(one, "kept", lambda looks=looks, last=course[-1]: next(looks, last)), mock.patch.object(one, "is_up", lambda info, endpoint, ask: info["start"] > 1):
                begin = clock.now_s
                found[f"watch {n}"] = short([outcome(one.watch, {"bs.macd": "ipc://x", "ss.phyd": ""}, None), round(clock.now_s - begin)])
    with mock.patch.object(processes, "holder_of", lambda path: 7 if "x.ctl" in str(path) else None):
        replies = {"ipc://run/x.ctl": {"status": 1}, "tcp://h:1": {}, "ipc:///a/x.ctl": {}}
        found["is_up"] = [one.is_up(info, endpoint, lambda address: lambda request: replies.get(address)) for info in infos[:3]
                          for endpoint in ("", "ipc://{run}/x.ctl", "ipc:///a/x.ctl", "ipc:///a/y.ctl", "tcp://h:1", "tcp://h:2", "ipc:///b/x.ctl")]
    cell = pages.recorded_cell()["statuses"]
    for name, status in cell.items():
        kind = "channeld" if "radios" in status else "phyd" if "radio_open" in status else "macd"
        found[f"words {name}"] = variants.hashes(lambda status, kind=kind: command.in_words(kind, status), status, 60)
    stalled = next(status for status in cell.values() if "stalled_s" in status)
    found["stalled"] = [command.in_words("macd", {**stalled, "phy_alive": True, "stalled_s": s}) for s in (0.9, 1, 1.1, 2)] + [command.in_words("macd", None)]
    found["duration"] = [command.duration(s) for s in (0, 59.9, 60, 61.5, 3599, 3600, 3661, 100_000)]
    stack = types.SimpleNamespace(down=lambda: [], restart=lambda name, ask: [], programs=lambda: None, one=lambda name: {"stdout_logfile": f"of/{name}"}, folder="RUN", watch=lambda *words: [], up=lambda *words: [processes.Process(9, "left.macd", "macd", "")])
    with mock.patch.object(command, "Supervisor", lambda: stack), mock.patch.object(command, "log_folder", Path), mock.patch("subprocess.run") as ran, mock.patch.object(command, "check", lambda *w: {}), \
            mock.patch.dict(os.environ, WIMAX_BUILD_DIR="/b", WIMAX_SOURCE_DIR="."):
        for words in (["down"], ["restart", "x"], ["logs", "bs.macd"], ["logs", "../bs.macd", "-f", "-n", "3"], ["logs", "none"], ["up", "a.macd.yml"], ["up"]):
            options = command.parser(words[0]).parse_args(words[1:])
            options.verb = words[0]
            found[" ".join(words)] = [re.sub(os.getcwd(), "HERE", json.dumps(outcome(command.run, options, None))), plain(ran.call_args)]
    return found


def pictures():
    """Shortened paths and numbers of an SVG, and a whole one."""
    from wimax_tools import pictures as svg
    draw = random.Random(8)
    found = {"numbers": calls(svg.number, [(draw.choice((-1, 1)) * 10 ** draw.uniform(-4, 4), draw.randrange(3)) for _ in range(100)])}
    walks = []
    for n in range(80):
        x, y, walk = 10 * draw.random(), 30 * draw.random(), []
        for _ in range(draw.randrange(2, 40)):
            walk.append((x, y))
            x, y = x + draw.choice((0, 0.01, 1, 1, -2)), y + draw.choice((0, 0, 0.05, draw.uniform(-3, 3)))
        walks.append(walk)
    found["simple"] = calls(svg.simplified, [(walk, 0.1) for walk in walks])
    ways = ["".join(f"{'M' if i % 17 == 0 else 'L'} {x:.6f} {y:.6f} " for i, (x, y) in enumerate(walk)) + draw.choice(("", "z")) for walk in walks]
    found["paths"] = calls(svg.short_path, [(way, decimals, tolerance) for way in [*ways, "M 0 0 C 1 2 3 4 5 6.123456", "M 1.55555 2 L 3 4 z"] for decimals, tolerance in ((1, 0.1), (1, 0), (0, 0.1))])
    use = "".join(f'<use xlink:href="#m" x="{n}.123" y="{n * n}.5" style="stroke: #112233"/>' for n in range(4))
    groups = "".join(f'<g id="g{n}"><path d="M 0 {n}.26 L 50.04 {n}.26" clip-path="url(#c)" style="fill: none; stroke: #0011{n}{n}"/></g>' for n in (0, 0, 1))
    axis = '<g id="matplotlib.axis_1"><g><text style="a:b" transform="translate(1.23456 2) rotate(-0 1 2)">7</text></g><g><use xlink:href="#t" x="1" y="2"/></g><g><path d="M 0 0 L 9 9" style="fill: none"/></g></g>'
    for n, inside in enumerate((use, groups, axis, use + axis + groups, use.replace("<use", "<g/><use", 1))):
        text = f'<svg xmlns="{svg.SVG}" xmlns:xlink="{svg.XLINK}" width="72pt"><metadata/><defs><style>x</style><path id="m" d="M 0 1.5 L 1 0" style="stroke: #112233"/><path id="t" d="M 0 0"/></defs>'
        found[f"svg {n}"] = short(svg.compact(f'{text}<g id="f"><path/>{inside}<rect x="1.26" y="0.04" width="50%" height="3pt"/></g><defs><clipPath id="c"><rect x="1" y="2"/></clipPath></defs></svg>'.replace('"50%"', '"5"')))
    return found


# ---- measurements ----

def command_lines():
    """Replies, tables, folders and names of the commands; what `wimax bench` understands."""
    from wimax_tools import control
    from wimax_tools.bench import run
    from wimax_tools.keys import command, store
    draw, station = random.Random(12), {"station": "x", "sfid": 5}
    found = {"asked": calls(control.asked, [(lambda _, reply=reply: reply, {}) for reply in (None, {}, {"error": ["a", "b"]}, {"error": ["x", "possible later: y"]}, {"ok": True})]),
             "columns": [control.columns([{"a": v, "bb": "x\x07"}, {"a": 123456.7}], ("a", "bb")) for v in (1.23456, 9999.9, 10000.0, -10000.5, -9999.0, 5, None, station)],
             "folders": [control.runtime_folder({"WIMAX_RUN": run_, "SUDO_UID": sudo, "XDG_RUNTIME_DIR": runtime}, uid) for run_, sudo, runtime, uid in
                         itertools.product(("", "/r/", "/"), ("", "4000001", "x"), ("", "/x"), (0, 4_000_000))],
             "verbs": calls(lambda *words: control.with_station(list(words), ("list", "add")), [("ipc://a", "list"), ("list", "add"), ("-x", "list"), ("a",), ("ipc://a", "b"), ("a", "list")]),
             "faults": calls(control.say_fault, [("x", fault) for fault in (control.Refused("a"), control.Refused("a", 4), control.Failed("b\x07"))]),
             "keys": [calls(work, [(text,) for text in texts]) for work, texts in ((command.days, ("0", "1", "36500", "36501", "x", "-1")), (store.serial_text, (0xABC, 0xABCD)), (
                 store.mac_text, ("02:00:00:00:AB:01", "03:00:00:00:00:01", "00:00:00:00:00:00", "02:00:00:00:00", "02:00:00:00:00:0g", "2:00:00:00:00:011", "00:01:00:00:00:00")))]}
    options = ("--stations", "0", "1", "64", "65", "2"), ("--profile", "7MHz-5ms", "x"), ("--dl-rate", "auto", "0", "7"), ("--ul-rate", "6", "x"), ("--channel", "sui3", "x"), ("--snr-db", "-5", "200"), (
        "--personality", "b210", "n310,b210", "x", "a,b,c"), ("--seed", "-1", "0"), ("--mode", "free", "rt", "x"), ("--fpga", None), ("--duration", "0", "1", "1e9"), ("--lates", "0", "1"), ("--matrix", None), (
        "--experiment", "A1", "all", "A77"), ("--quick", None), ("--json", "-", "r.json", "none/x"), ("--keep-logs", "logs"), ("--pcap", "caps"), ("--both-ways", None)
    lines = [[word for name, *values in draw.sample(options, draw.randrange(1, 4)) for word in (name, draw.choice(values)) if word] for _ in range(500)]
    found["bench"] = calls(lambda line: (lambda args: {**vars(args), "channel": os.path.basename(args.channel)})(run.parse(line)), [(line,) for line in lines])
    return {**found, "folders made": sorted(os.listdir())}


def drawn_points(draw, count=8):
    found = []
    for n in range(count):
        blocks = draw.choice((500, 1000, 20_000))
        per = min(1.0, 10 ** (0.5 - draw.uniform(0.2, 0.9) * n)) if draw.randrange(9) else 0.0
        found.append({"snr_db": 3 + 0.5 * n, "blocks": blocks, "block_errors": round(per * blocks), "per": round(per * blocks) / blocks, "ber": per / 9, "missed": n % 3, "symbols": draw.choice((1, 2)),
                      "rate_id": draw.randrange(2), "estimation": draw.choice(("real", "genie")), "direction": "uplink", "doppler_hz": 0.5 * n, "midamble_interval": 0, "commit": draw.choice("aab")})
    return found


def error_rates():
    """Curves: what a task asks wimax-link, where curves cross, and files of points."""
    from wimax_tools.campaign import tasks
    from wimax_tools.curves import measure, points, threshold
    draw, found, asked = random.Random(9), {}, []
    curves = [drawn_points(draw) for _ in range(60)]
    for work in (threshold.rough_crossing, threshold.crossing, threshold.ber_crossing, threshold.line_around, lambda curve: threshold.line_around(curve, 1e-6, 40, True)):
        found[f"crossing {len(found)}"] = calls(work, [(curve,) for curve in curves])
    found["gap"] = calls(threshold.gap, zip(curves, curves[1:]))
    answers = iter(range(10_000))

    def link(command, timeout_s):
        asked.append([command[1:], timeout_s])
        return {"points": [{**one, "per_low": 0.0, "per_high": 1.0, "estimation": command[command.index("--estimation") + 1]} for one in curves[next(answers) % 40]]}
    with mock.patch.object(tasks, "finished", link), mock.patch("wimax_tools.provenance.record", lambda *words: plain(words)), mock.patch.object(sys, "argv", ["x", "y"]):
        for words in ("blocks awgn uplink 3", "blocks sui3 downlink 0", f"blocks {measure.SETS[-1]} uplink 6", "bits - downlink 2", "mobility - - -", "blocks - uplink 3", "bits awgn uplink 1", "mobility - uplink -"):
            options = [word for name, value in zip(("what", "set", "direction", "rate"), words.split()) if value != "-" for word in (f"--{name}", value)]
            for more in (["--effort", "0.01"], ["--json", "-", "--seed", "4"], ["--json", "p.json", "--effort", "0.5"], ["--effort", "0"], ["--effort", "100"], ["--effort", "101"])[:6 if words[:3] == "blo" else 2]:
                found[f"{words} {more}"] = [outcome(measure.main, [*options, *more]), asked[:], Path("p.json").exists() and Path("p.json").read_text(encoding="utf-8")]
                asked.clear()
        for fault, file in itertools.product((tasks.PointFault("words"), KeyboardInterrupt()), ("-", "q.json")):
            with mock.patch.object(measure, "simulate", mock.Mock(side_effect=[[], [], fault])):
                found[f"{type(fault).__name__} {file}"] = [outcome(measure.main, ["--what", "bits", "--direction", "uplink", "--rate", "1", "--json", file]), os.path.exists(file)]
    for n, curve in enumerate(curves[:12]):
        name = ("a.json", "a.json.xz")[n % 2]
        points.write(name, curve)
        found[f"file {n}"] = [points.read(name), Path(name).read_text(encoding="utf-8") if n % 2 == 0 else ""]
    return found


def instruments():
    """Traces of TCP, levels along paths, reports of iperf3, checks of a host, and the arguments of a cell in Python."""
    from wimax import stack as api, test_calls
    from wimax_tools.bench import doctor, figure, traffic, transfers
    from wimax_tools.bench.instruments import rssi, tcp_trace
    from wimax_tools.bench.studies import frame_rule
    draw, found = random.Random(10), {}
    traces = []
    for _ in range(60):
        at, begin, data, acks = 0.0, 0, [], []
        for n in range(draw.randrange(1, 60)):
            at += draw.choice((0.0005, 0.001, 0.01, 0.0125))
            data.append(tcp_trace.Segment(at, max(0, begin - draw.choice((0, 0, 0, 500, 1500))), 1000, 0))
            begin = data[-1].begin + 1000
            if draw.randrange(2):
                acks.append(tcp_trace.Segment(at + draw.choice((0.0, 0.02)), 0, 0, draw.choice((begin, begin - 1000, 500))))
        traces.append(tcp_trace.Transfer(data, acks))
    times = [[one.at_s for one in trace.data] for trace in traces]
    for name, work, inputs in (("again", lambda t: tcp_trace.sent_again(t.data), [(t,) for t in traces]), ("trips", tcp_trace.round_trips, [(t,) for t in traces]), ("flight", tcp_trace.in_flight, [(t,) for t in traces]),
                               ("frames", tcp_trace.by_frames, [(t, f) for t in [*times, []] for f in (0.005, 0.01)]), ("gaps", tcp_trace.gaps, [(t, 0.01) for t in times]),
                               ("modes", tcp_trace.modes, [([round(1e4 * v) % 97 for v in t], 10) for t in times]), ("mean", tcp_trace.batched_mean, [(t,) for t in times]),
                               ("unwrapped", tcp_trace.unwrapped, [([draw.choice((5, 2**31, 2**31 - 1, 2**32 - 3, 900)) for _ in range(6)], first) for first in (None, 7) for _ in range(20)]),
                               ("share", figure.share_figure, [(n, of) for of in (0, 1, 20, 500) for n in (0, 1, of // 2, of)]), ("figure", figure.mean_figure, [(t, d) for t in times if t for d in (1, 3)]),
                               ("lead", frame_rule.lead_ms, [([(1e3 * t + 3, 1e3 * t + 11 + n % 3) for n, t in enumerate(one)], 10.0) for one in times if one]), ("place", frame_rule.place, [(t, 0.01) for t in times if t]),
                               ("percentile", traffic.percentile, [(t, s) for t in [*times[:9], []] for s in (0, 0.5, 0.99, 1)]), ("jain", transfers.jain, [(t,) for t in [*times, [0, 0]]])):
        found[name] = calls(work, inputs)
    for name, path in rssi.PATHS.items():
        found[name] = [calls(rssi.Journey(path, seed, speed).rssi_dbm, [(second,) for second in range(0, 900, 90)]) for seed, speed in ((1, 1.4), (2, 8.3))]
    report_of = {"end": {"sum_received": {"bytes": 9000, "seconds": 2.5, "lost_packets": 5, "packets": 90}, "sum_sent": {"bytes": 9900, "retransmits": 3},
                         "streams": [{"sender": {"mean_rtt": 2100}, "udp": {"out_of_order": 2}}, {"udp": {}}]}, "server_output_json": {"intervals": [{"sum": {"start": 0, "end": 1, "bytes": 7}}]}}
    found["iperf"] = [variants.hashes(lambda one, udp=udp: traffic.figures(one, udp, 3), report_of, 100) for udp in (False, True)]
    for radio, *good in itertools.product(((), ("--radio", "type=b200")), *[(True, False)] * 4):
        checks = [lambda one=one: (one, " what", "./wimax setup") for one in good]
        with mock.patch.multiple(doctor, CHECKS=checks[:2], ADVICE_ONLY=set(checks[:1])), mock.patch.object(doctor.RadioHost, "checks", lambda _, last=checks[2], advice=good[3]: [(last, advice)]):
            found[f"doctor {radio} {good}"] = outcome(doctor.main, radio)
    known = {"stations": 2, "profile": "5MHz-10ms", "channel": "awgn", "snr_db": 30.0, "dl_rate": 6, "ul_rate": 6, "seed": 1, "pace": "free", "offer_kbps": None, "settings": None}
    others = {"stations": (0, 1, 64, 65), "profile": ("7MHz-5ms-cp4", "5MHz", "1MHz-5ms", "1.25MHz-20ms", "28MHz-20ms-cp32", "29MHz-5ms", "5MHz-6ms"), "channel": ("sui6", "x"), "snr_db": (-30, -30.1, 100, 100.1, float("nan")),
              "dl_rate": (0, 6, 7, -1, "auto", "16-QAM 3/4", "x"), "ul_rate": ("QPSK 1/2", 7), "seed": (-1, 0, 2**63 - 1, 2**63), "pace": ("paced", "rt", "fast"),
              "offer_kbps": ({}, {"uplink": 1}, {"uplink": 0.9}, {"downlink": 1e6}, {"downlink": 1.1e6}, {"side": 5}, {"downlink": 5, "uplink": 9}),
              "settings": ({"bs": {"a": 1}, "ss2.phyd": {"b": 2}, "channeld": {"time": {"x": 1}}}, {"ss3": {}}, {"bs.macd": {}}, {"ss2": {"c": 3}})}
    with mock.patch("wimax.stack.programs.Stack", test_calls.World):
        for key, value in ((key, value) for key, values in others.items() for value in values):
            made = api._faults(**{**known, key: value})
            faults = outcome(list, made)
            found[f"cell {key} {value}"] = [faults, faults[0] == [] and plain(api.Stack(**{**known, key: value})._programs.words)]
    return found


def wires():
    """Programs of the instruments on a socket that receives every 30 ms, and the probe of a model."""
    from wimax_tools.bench import cable
    from wimax_tools.bench.profiles import Profile
    found = {}
    for line in ("video send a 5 0.04 26", "video receive 5 0.5", "video receive 5 0.1", "stream send a 5 99 0.02 9", "stream receive 5 3 0.5", "stream receive 5 90 0.1",
                 "probe probe a 5 99 0.01 0.05 4 1", "probe echo 5 3 0.5", "probe echo 5 90 0.1", "video x"):
        module, *words = line.split()
        clock, kinds, sock, left = Clock(), [], mock.MagicMock(), [bytes([0, 0, 0, n, 0, n, 0, 9]) for n in range(8)]

        def recv(most, clock=clock, left=left):
            clock.sleep(0.03)
            if not left:
                raise socket.timeout
            return left.pop()[:most]
        sock.__enter__.return_value, sock.recv, sock.recvfrom = sock, recv, lambda most, recv=recv: (recv(most), ("b", 7))
        with mock.patch("time.monotonic", clock), mock.patch("time.sleep", clock.sleep), mock.patch("select.select", lambda some, *_, left=left: (some if left else [], [], [])), \
                mock.patch("socket.socket", lambda *kind, kinds=kinds, sock=sock: kinds.append(kind) or sock), mock.patch.object(sys, "argv", ["x", *words]):
            found[line] = [outcome(runpy.run_module, f"wimax_tools.bench.instruments.{module}", run_name="__main__")[1], kinds, str(sock.method_calls)]
    channel = types.SimpleNamespace(terminate=lambda: print("terminate"), wait=lambda: print("wait"))
    for code in (0, 3):
        with mock.patch("subprocess.Popen", lambda words, **more: print(words, Path(words[-1]).read_text(encoding="utf-8"), more) or channel), \
                mock.patch("subprocess.run", lambda *words, code=code, **more: print(words, more) or types.SimpleNamespace(returncode=code, stdout='{"a": 1}', stderr="one\ntwo\n")):
            found[f"model {code}"] = re.sub(r"[^\s=]*/wimax-probe-\w+", "", json.dumps(outcome(cable.probe, Path("/b"), "b210", Profile.parse("5MHz-10ms"))))
    return found


def words_of_commands():
    """Spellings of options, progress, the origin of results, and ends of `wimax bench`."""
    from wimax_tools import command_line, progress, provenance
    from wimax_tools.bench import run
    found, draw = {"origin": [], "bench": []}, random.Random(13)
    words = ("--json", "-", "r.json", "a/b", "--dl-rate", "--dl_rate=3", "--dl_rat", "--port", "0", "65535", "65536", "--", "x", "list", "lists", "--host", "h", "--share", "1", "1.5", "nan")
    for bare, known in itertools.product((True, False), (("list", "add"), None)):
        parser = command_line.Parser(prog="wimax x")
        command_line.add_json(parser, bare=bare)
        command_line.add_listener(parser, "localhost", 5)
        parser.add_argument("--dl-rate", type=command_line.within(0, 3, int), required=not bare)
        parser.add_argument("--share", type=command_line.within(0, 1))
        parser.add_argument("verb", nargs="?", choices=known)
        found[f"{bare} {known}"] = hashed(calls(lambda line, parser=parser: vars(parser.parse_args(line)), [(draw.sample(words, draw.randrange(1, 5)),) for _ in range(200)]))
    for terminal in (True, False):
        bar = progress.Progress("x", types.SimpleNamespace(isatty=lambda terminal=terminal: terminal, write=print, flush=print), Clock(0.13 if terminal else 7))
        found[f"progress {terminal}"] = [outcome(lambda n, bar=bar: (bar.show(n / 100, f"part {n}"), n % 7 == 3 and bar.clear()), n) for n in range(99)]
    for installed, code, status in itertools.product((True, False), (0, 1), ("", " M a")):
        with mock.patch.object(provenance, "INSTALLED", installed), mock.patch("subprocess.run", lambda words, code=code, status=status, **_: print(words) or types.SimpleNamespace(
                returncode=code, stdout=status if "status" in words else "abc\n")):
            found["origin"] += [outcome(provenance.commit, "/nowhere"), *map(provenance.to_type, ("./wimax build", "./wimax up; build/bin/wimax-macd"))]
    for fault, missing in itertools.product((None, KeyboardInterrupt(), run.StackError("s"), OSError("o")), ([], ["m"])):
        for words in (["--json", "-"], ["--json", "r.json"], ["--experiment", "A1"]):
            one = mock.Mock(return_value={"figures": 5}, side_effect=fault)
            with mock.patch.multiple(run, measure=one, measure_experiments=one), mock.patch("signal.signal"), mock.patch.object(run.doctor, "faults_for", lambda *_, m=missing: m), mock.patch.dict(os.environ):
                found["bench"] += [outcome(run.main, words), os.path.exists("r.json") and Path("r.json").read_text(encoding="utf-8")]
    return found


def pages_of_programs():
    """The live page's changes and forms, the dashboard, and the page of a signal."""
    from wimax_tools.metrics import dashboard
    from wimax_tools.signal.page import Page
    from wimax_tools.watch import changes, heard, reference, test_page
    draw, found, lines = random.Random(11), {"dashboard": dashboard.dashboard()}, test_page.REFERENCE.splitlines()
    document = {"bs": {"stations": [{"mac": "02:00:00:00:00:0A", "flows": ["a", "b"]}, {"mac": "02:00:00:00:00:02"}], "service_flows": [{"name": "a", "rate": 1}, {"name": "b"}], "profile": {"x": 1}}}
    value = {"station": "02:00:00:00:00:0a", "name": "b", "rate": 5, "sfid": 3, "id": 7, "state": "active", "classifiers": [1]}
    for key in ("profile", "flows.add", "flows.change", "flows.delete", "log.mac"):
        found[f"into {key}"] = variants.hashes(lambda both, key=key: [changes.into_file(both["document"], key, both["value"], both["was"]), both["document"]],
                                               {"document": document, "value": value, "was": {"station": "02:00:00:00:00:0a", "name": "a"}}, 120)
    texts = ["\n".join(lines)] + ["\n".join(line for line in lines if draw.randrange(20)) for _ in range(80)] + ["\n".join(line.replace(*draw.choice(((":", ""), ("; allowed", ""), ("..", ","), ("[", ""), ("  ", " ")))) if not draw.randrange(9) else line for line in lines) for _ in range(80)]
    found["forms"] = calls(reference.forms, [(text,) for text in texts])
    burst = {"direction": "uplink", "kind": "data", "cid": 5, "iuc": 3, "points": [1], "channels": [2], "snr_db": 5}
    signal = {"radio_open": True, "sample_rate_hz": 5, "spectrum_dbm": [1], "bursts": [{**burst, "kind": "ranging"}, burst, {**burst, "direction": "downlink", "iuc": 2}, {**burst, "cid": 4}]}
    found["heard"] = [variants.hashes(lambda one, key=key: heard.heard(one, key), signal, 100) for key in ("", "uplink data 5", "downlink data 5 2", "x")] + [heard.heard(None)]
    page = Page(Path("."))
    page.heading("h <1>")
    page.note("n")
    page.facts([("a", 1), ("b", ""), ("c", None), ("d", 0)])
    page.table(["x", "y"], [[1, "<2>"], ["pass", "fail"]])
    page.write("title", "subtitle")
    found["page"] = Path("index.html").read_text(encoding="utf-8")
    return found


def main():
    with stand_ins(), mock.patch.dict(os.environ, NO_COLOR="1", COLUMNS="100", WIMAX_SOURCE_DIR=str(TOP), WIMAX_BUILD_DIR="/b", WIMAX_RUN="/r"):
        cases = {"constants": constants, "campaigns": campaigns, "commands": lambda: hashes_of(supervised, pictures, command_lines, words_of_commands),
                 "measurements": lambda: hashes_of(error_rates, instruments, wires, pages_of_programs)}
        return recorded.main(cases, lambda name: cases[name](), HERE / "calls.json.xz", ["--jobs", "1", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
