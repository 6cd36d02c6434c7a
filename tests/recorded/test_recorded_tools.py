# SPDX-License-Identifier: GPL-3.0-or-later
"""Command lines of the tools, with exit status, output and complaints: each value of specifications and trees at its limits, recordings in which
nothing is found, reports, random signals, options of runs. Arguments: the programs wimax-iq, wimax-link and wimax-pdu."""
import copy
import hashlib
import json
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy
import yaml

import recorded
from test_recorded_signals import filled, shorter

HERE = Path(__file__).resolve().parent
GIVEN = yaml.safe_load((HERE / "tools.yml").read_text(encoding="utf-8"))
SPECS, BURST, FRAME, SEARCH = (filled(GIVEN[name]) for name in ("specs", "burst", "frame", "search"))
NO_PAGE = "import os, sys\nif 'wimax_tools' in str(sys.orig_argv): os._exit(0)\n"  # what a report's page is made of remains
NUMBER = re.compile(r"-?\d+\.?\d*(?:e[-+]?\d+)?")
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "PYTHONPATH": "."}


class Tool:
    """Calls of the programs in a folder of their own."""

    def __init__(self, programs, folder):
        self.programs, self.folder = programs, Path(folder)
        self.write("sitecustomize.py", NO_PAGE.encode())

    def call(self, name, *arguments, stdin=b""):
        command = [self.programs[name], *map(str, arguments)]
        done = subprocess.run(command, cwd=self.folder, input=stdin, capture_output=True, check=False, env=ENVIRONMENT)
        return done.returncode, done.stdout, done.stderr.decode(errors="replace").splitlines()

    def write(self, name, content):
        if isinstance(content, numpy.ndarray):
            content = content.astype("<c8").tobytes()
        (self.folder / name).write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        return name

    def generate(self, spec):
        status, _, said = self.call("iq", "generate", "--spec", self.write("s.json", filled(spec)), "--out", "x.cf32")
        if status:
            raise RuntimeError(said)
        return numpy.fromfile(self.folder / "x.cf32", "<c8")

    def decode(self, spec, *options, source="x.cf32"):
        wanted = self.write("d.json", {k: v for k, v in spec.items() if k not in ("payload", "stc_bursts")})
        status, out, said = self.call("iq", "decode", "--in", source, "--spec", wanted, *options)
        return [status, [parts(line) for line in said], [summary(frame) for frame in json.loads(out)["frames"]] if out else None]


def parts(line):
    """A line's words, then its numbers, which may be rounded otherwise on another processor."""
    return [NUMBER.sub("#", line), *(float(n) if re.search(r"[.e]", n) else int(n) for n in NUMBER.findall(line))]


def summary(frame):
    bursts = [[*(b[k] for k in ("rate_id", "start_symbol", "data_symbols", "fec_ok", "corrected_bytes", "evm_db", "cinr_db")), b["fec_ok"] and b["payload"][:4]]
              for b in frame["bursts"]]
    return {k: v for k, v in frame.items() if k != "cp"} | {"bursts": bursts}


def row(numbers):
    """Any change of a number changes one of the sums."""
    numbers = numpy.nan_to_num(numpy.asarray(numbers).ravel(), nan=-99)
    weighted = numpy.array_split(numbers * numpy.cos(numpy.arange(numbers.size)), 2)
    return [int(numbers.size), *(float(v) for part in weighted for v in ((abs(part) ** 2).sum(), part.sum().real))]


def places(value, path=()):
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield (*path, key)
        yield from places(inner, (*path, key))


def changed(tree, path, value):
    """`...`: without it."""
    out = inner = copy.deepcopy(tree)
    for key in path[:-1]:
        inner = inner[key]
    if value is ...:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return out


def digest(answers):
    """Of exact texts, in place of many of them."""
    return hashlib.sha256(json.dumps(answers).encode()).hexdigest()[:8]


def keys(tool, spec):
    """Each value of a specification absent, of another kind, and at the limits that the complaint states."""
    def answer(purpose, path, value):
        tool.write("s.json", changed(spec, path, value))
        status, out, said = tool.call("iq", purpose, "--spec", "s.json", *(("--out", "-") if purpose == "generate" else ("--in", "x.cf32")))
        return [status, len(out) if purpose == "generate" else 0, *said]
    tool.write("x.cf32", bytes(8 * 900))
    out = {}
    for path in places(spec):
        wrong = answer("generate", path, "x")
        stated = re.search(r"from (-?[\d.]+) to (-?[\d.]+)", "".join(wrong[2:]))
        low, high = (int(float(bound)) for bound in stated.groups()) if stated else (0, 10 ** 9)
        values = (..., None, True, 0.5, *((low - 1, low, high, high + 1) if high < 1e5 else ()))
        answers = [wrong, *(answer("generate", path, value) for value in values), *(answer("decode", path, value) for value in ("x", ...))]
        out[str(path)] = digest(answers)
    return out


def nothing(tool):
    frame, burst, rng = tool.generate(SPECS["frames"] | {"bsid": "000000000001"}), tool.generate(BURST), numpy.random.default_rng(3)

    def noise(count, level=0.1):
        return level * (rng.standard_normal(count) + 1j * rng.standard_normal(count))
    tone, data = numpy.exp(2j * numpy.pi * 0.0313 * numpy.arange(60000)), tool.generate(BURST | {"data_symbols": 60})[1188:]
    wide = numpy.interp(numpy.arange(0, frame.size, 5.6 / 5.76 / 1.4), numpy.arange(frame.size), frame)
    steps = noise(50000) * numpy.repeat(rng.integers(0, 9, 50), 1000)
    found = (numpy.zeros(5000), noise(768), noise(767), noise(9000, 3e-6), noise(9000, 1e-5), noise(90000), tone, tone * 0.3 + noise(60000), frame.conj(), wide, burst, data, steps)
    ranging = tool.generate(BURST | {"ranging": True, "bsid": "000000000003"})
    cases = [*((SEARCH, samples) for samples in found), (SEARCH | {"cp": "1/16"}, frame), (BURST | {"cp": "1/4"}, burst), (BURST | {"start_sample": 3000}, burst),
             (BURST, burst.conj()), (BURST, frame), (BURST, ranging), (BURST, noise(511)), (BURST, noise(512))]
    return [tool.decode(spec, source=tool.write("n.cf32", samples)) for spec, samples in cases]


def report(folder):
    """What a report's page is made of; long rows by their sums."""
    data = json.loads((folder / "decoded.json").read_text(encoding="utf-8"))
    rows = {name: row(data[part].pop(name)) for part, names in (("power", ("energy", "peak")), ("repetition", ("long_preamble", "short_preamble"))) if part in data for name in names}
    rows["trend"] = row(numpy.fromfile(folder / "trend.f64"))
    for frame in data["frames"]:
        symbols = frame.pop("symbols", [])
        rows[f"symbols {frame['start_sample']}"] = [row([s[key] for s in symbols]) for key in ("burst_index", "symbol", "response_window", "phase_rad", "delay_samples")]
    for path in folder.glob("*.cf32"):
        rows[path.name] = row(numpy.fromfile(path, "<c8"))
        path.unlink()
    return {**shorter({k: v for k, v in data.items() if k not in ("provenance", "limits", "recording", "trend_columns")}), "rows": rows}


def reports(tool):
    rng, out = numpy.random.default_rng(5), {}
    many = SPECS["frames"] | {"frames": [SPECS["frames"]["frames"][n % 2] | {"frame_number": n} for n in range(9)]}
    for name, spec, level in (*((n, s, 0.03) for n, s in SPECS.items()), ("many", many, 0.3), ("nothing", SPECS["burst"], 9)):
        samples = tool.generate(spec)
        turned = samples * (1 if name == "codes" else numpy.exp(0.004j * numpy.arange(samples.size)))
        tool.write("x.cf32", turned + level * (rng.standard_normal(samples.size) + 1j * rng.standard_normal(samples.size)))
        out[name] = [tool.decode(spec, "--report", "r")[:2], report(tool.folder / "r")]
    return out


def drawn(tool):
    """Random signals through random channels: what is decoded of them."""
    rng, out = random.Random(31), []
    for n in range(36):
        spec = (FRAME if n % 2 else BURST) | {"bandwidth_hz": rng.choice([1750000, 3500000, 7000000, 20000000]), "cp": rng.choice(["1/4", "1/8", "1/16", "1/32"])}
        spec |= {} if n % 2 else {"rate_id": rng.randrange(7), "data_symbols": rng.randrange(24, 50), "midamble_interval": rng.randrange(4), "payload": "010203",
                                  "subchannel_index": rng.randrange(1, 32)}
        tool.generate(spec)
        impaired = {"snr-db": rng.choice([8, 16, 24, 40]), "cfo-hz": rng.uniform(-700, 700), "sfo-ppm": rng.uniform(-20, 20), "seed": n, "delay-samples": rng.uniform(0, 99),
                    "bandwidth-hz": spec["bandwidth_hz"], "channel": rng.choice(["awgn", "sui1", "pedestrian-a", "vehicular-a"]), "dc-dbc": rng.uniform(-60, -10)}
        tool.call("iq", "impair", "--in", "x.cf32", "--out", "y.cf32", *(word for key, value in impaired.items() for word in (f"--{key}", value)))
        out.append(tool.decode({k: v for k, v in spec.items() if n % 6 != 3 or k not in ("cp", "bursts")}, source="y.cf32"))
    return out


def runs(tool):
    """Error rates with each option, a result and a table."""
    usual, *given = GIVEN["link"]
    out = {}
    for options in (one for part in given for one in part):
        words = [word for key, value in {**usual, **options}.items() for word in (f"--{key}", value)]
        status, result, said = tool.call("link", *words, "--json", "-")
        points = shorter(json.loads(result))["points"] if result else []
        out[str(options)] = [status, said, [list(p.values()) if not options else [p[k] for k in ("snr_db", "block_errors", "missed", "ber", "doppler_hz")] for p in points]]
    out["table"] = [parts(line) for line in tool.call("link", *(word for key, value in usual.items() for word in (f"--{key}", value)))[1].decode().splitlines()]
    return out


def trees(tool):
    """Octets of trees with one value changed each, or complaints; trees of octets that are cut."""
    out = {}
    for name, tree in GIVEN["trees"].items():
        what, key = {"message": "message", "prefix": "dlfp"}.get(name, "pdus"), ("--tek", name) if name.isdigit() else ()
        for path in places(tree):
            given = [json.dumps(changed(tree, path, value)).encode() for value in (..., -1, 1, 16, 2048, 65536, "xy", [])]
            answers = [tool.call("pdu", "encode", "--json", "-", *key, stdin=text) for text in given]
            out[f"{name} {path}"] = digest([[status, octets.decode(), *said] for status, octets, said in answers])
        octets = tool.call("pdu", "encode", "--json", "-", *key, stdin=json.dumps(tree).encode())[1].decode().strip()
        for cut in (len(octets), 2, 12, 14, 20, len(octets) - 2):
            status, found, said = tool.call("pdu", "decode", "--what", what, "--hex", octets[:cut], *key)
            out[f"decode {name} {cut}"] = [status, found.decode(), *said]
    return out


CASES = {**{f"keys of {name}": lambda tool, spec=spec: keys(tool, spec) for name, spec in SPECS.items()}, "nothing": nothing, "reports": reports, "drawn": drawn, "trees": trees, "runs": runs}


def main():
    programs = dict(zip(("iq", "link", "pdu"), sys.argv[1:4]))

    def run(name):
        with tempfile.TemporaryDirectory(prefix="wimax-recorded-") as folder:
            return CASES[name](Tool(programs, folder))

    def tolerance(name):
        return recorded.ROUNDED if name == "trees" or name.startswith("keys") else recorded.Tolerance(1e-2, 1, few=2)
    return recorded.main(CASES, run, HERE / "tools.json.xz", sys.argv[4:], tolerance)


if __name__ == "__main__":
    sys.exit(main())
