#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Points of the error-rate curves against stored references: a receiver that became worse fails, at one point or a little
at all of them; and so does one that became better, until its references are stored again.

regression.py TOOL                 measures every case of references.json with wimax-link and compares
regression.py TOOL --regenerate    measures them with more blocks and other seeds, and stores what it finds
regression.py TOOL --only TEXT     cases whose description contains this text, with or without --regenerate"""
import argparse
import json
import math
import os
import subprocess
import sys

REFERENCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "references.json")
# Block errors of a case may be off the reference by this many standard deviations of the difference, either way; and the
# mean of all cases, times the root of their number, by this many.
ALLOWED_SIGMA, ALLOWED_MEAN_SIGMA = 3.6, 3.3
TEST_SEED, REFERENCE_SEED = 1, 2
REFERENCE_FACTOR = 5  # blocks of a reference per block of a test


def measure(tool, case, seed, factor):
    options = {name: value for name, value in case.items() if name not in ("snr_db", "blocks", "reference")}
    options |= {"snr_db": f"{case['snr_db']}:1:{case['snr_db']}", "blocks": case["blocks"] * factor, "errors": 10**9,
                "seed": seed, "json": "-"}
    command = [tool] + [part for name, value in options.items() for part in ("--" + name.replace("_", "-"), str(value))]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)["points"][0]


def sigmas(case, point):
    """Standard deviations by which `point` lies above the reference. Blocks of one burst share a channel: bursts count as
    independent, and in white noise blocks."""
    reference = case["reference"]
    shared = 1 if case.get("channel") == "awgn" else case.get("symbols", 1)
    counts = [side["blocks"] / shared for side in (point, reference)]
    pooled = (point["block_errors"] + reference["block_errors"]) / (point["blocks"] + reference["blocks"])
    deviation = math.sqrt(max(pooled * (1 - pooled), 1e-12) * sum(1 / count for count in counts))
    return (point["block_errors"] / point["blocks"] - reference["block_errors"] / reference["blocks"]) / deviation


def judge(distance, allowed):
    return "WORSE" if distance > allowed else "BETTER, regenerate" if distance < -allowed else "ok"


def mean_sigmas(distances):
    """Combined deviation of independent cases, each with a deviation of 1; it also has a deviation of 1."""
    return sum(distances) / math.sqrt(len(distances))


def name_of(case):
    plain = ("channel", "direction")
    return " ".join(str(value) if name in plain else f"{name} {value}" for name, value in case.items()
                    if name not in ("blocks", "reference"))


def check(tool, cases, only):
    """Number of verdicts that are not "ok"."""
    distances, verdicts = [], []
    for case in (case for case in cases if only in name_of(case)):
        point = measure(tool, case, TEST_SEED, 1)
        distances.append(sigmas(case, point))
        verdicts.append(judge(distances[-1], ALLOWED_SIGMA))
        reference = case["reference"]["block_errors"] / case["reference"]["blocks"]
        print(f"{name_of(case):95} PER {point['per']:.4f}, reference {reference:.4f}, {distances[-1]:+.1f} sigma: "
              f"{verdicts[-1]}", flush=True)
    if distances:
        verdicts.append(judge(mean_sigmas(distances), ALLOWED_MEAN_SIGMA))
        print(f"all {len(distances)} together: {mean_sigmas(distances):+.1f} sigma: {verdicts[-1]}")
    return sum(verdict != "ok" for verdict in verdicts)


def regenerate(tool, cases, only):
    for case in (case for case in cases if only in name_of(case)):
        point = measure(tool, case, REFERENCE_SEED, REFERENCE_FACTOR)
        case["reference"] = {name: point[name] for name in ("blocks", "block_errors")}
    with open(REFERENCES, "w") as file:
        file.write("[\n" + ",\n".join(json.dumps(case) for case in cases) + "\n]\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tool", help="path of wimax-link")
    parser.add_argument("--regenerate", action="store_true", help="store new references instead of comparing")
    parser.add_argument("--only", default="", help="run only cases whose description contains this text")
    options = parser.parse_args()
    with open(REFERENCES) as file:
        cases = json.load(file)
    if options.regenerate:
        return regenerate(options.tool, cases, options.only)
    off = check(options.tool, cases, options.only)
    sys.exit(f"{off} verdicts other than ok" if off else 0)


if __name__ == "__main__":
    main()
