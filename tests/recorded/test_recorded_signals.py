# SPDX-License-Identifier: GPL-3.0-or-later
"""Signals: what the transmitter makes, what the receivers measure and decode, and error rates of short runs.
Arguments: the programs wimax-iq, wimax-link and wimax-acquisition."""
import copy
import hashlib
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy
import yaml

import recorded

HERE = Path(__file__).resolve().parent
PARTS = 24  # of a recording, whose sums are recorded
FEW = 2     # blocks or frames of a run of error rates


def call(program, *arguments):
    done = subprocess.run([str(a) for a in (program, *arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        raise RuntimeError(f"{program}: {done.stderr}")
    return done.stdout


def filled(value):
    """Payloads by their length: octets that a generator gives."""
    if isinstance(value, dict):
        return {k: filled(v) for k, v in value.items()}
    if isinstance(value, list):
        return [filled(v) for v in value]
    length = re.fullmatch(r"\$(\d+)", value) if isinstance(value, str) else None
    return numpy.random.default_rng(int(length[1])).bytes(int(length[1])).hex() if length else value


def sums(path):
    """Figures of a recording: any change of a sample changes one of them."""
    samples = numpy.fromfile(path, numpy.complex64).astype(numpy.complex128)
    weights = numpy.exp(2j * numpy.pi * 0.37 * numpy.arange(samples.size))  # samples that change places change the sum
    parts = numpy.array_split(samples * weights, PARTS)
    return {"samples": samples.size, "power": [float(numpy.mean(abs(p) ** 2)) for p in parts], "peak": float(abs(samples).max()),
            "real": [round(float(p.sum().real), 3) for p in parts], "imaginary": [round(float(p.sum().imag), 3) for p in parts]}


def shorter(value):
    if isinstance(value, dict):
        return {k: hashlib.sha256(v.encode()).hexdigest()[:16] if k == "payload" else shorter(v) for k, v in value.items() if k != "provenance"}
    return [shorter(v) for v in value] if isinstance(value, list) else value


def signal(programs, case):
    with tempfile.TemporaryDirectory(prefix="wimax-recorded-") as folder:
        folder = Path(folder)
        spec, sent, heard = folder / "spec.json", folder / "sent.cf32", folder / "heard.cf32"
        spec.write_text(json.dumps(filled(case["spec"])), encoding="utf-8")
        call(programs["iq"], "generate", "--spec", spec, "--out", sent)
        if "impair" in case:
            options = [word for key, value in case["impair"].items() for word in (f"--{key}", value)]
            call(programs["iq"], "impair", "--in", sent, "--out", heard, "--bandwidth-hz", case["spec"]["bandwidth_hz"], *options)
        wanted = copy.deepcopy(filled(case["spec"])) | case.get("decode", {})
        spec.write_text(json.dumps({k: v for k, v in wanted.items() if v is not None}), encoding="utf-8")
        decoded = json.loads(call(programs["iq"], "decode", "--in", heard if "impair" in case else sent, "--spec", spec))
        return {"sent": sums(sent), "decoded": shorter(decoded)}


def tool(programs, case):
    name, *options = case["command"]
    return shorter(json.loads(call(programs[name], *options, "--threads", 1, "--json", "-")))


def main():
    iq, link, acquisition, *argv = sys.argv[1:]
    programs = {"iq": iq, "link": link, "acquisition": acquisition}
    cases = {case["signal"]: case for case in yaml.safe_load((HERE / "signals.yml").read_text(encoding="utf-8"))}

    def tolerance(name):  # an outcome at a limit changes with the rounding
        return recorded.Tolerance(cases[name]["tolerance"], few=FEW) if "tolerance" in cases[name] else recorded.ROUNDED

    def run(name):
        return (tool if "command" in cases[name] else signal)(programs, cases[name])
    return recorded.main(cases, run, HERE / "signals.json.xz", argv, tolerance)


if __name__ == "__main__":
    sys.exit(main())
