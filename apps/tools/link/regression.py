#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Points of the error-rate curves against stored references: a receiver that became worse fails.

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
# Block errors of a case may exceed the reference by this many standard deviations of the difference.
ALLOWED_SIGMA = 4.0
TEST_SEED, REFERENCE_SEED = 1, 2
REFERENCE_FACTOR = 5  # blocks of a reference per block of a test


def measure(tool, case, seed, factor):
    options = {name: value for name, value in case.items() if name not in ("snr_db", "blocks", "reference")}
    options |= {"snr_db": f"{case['snr_db']}:1:{case['snr_db']}", "blocks": case["blocks"] * factor, "errors": 10**9,
                "seed": seed, "json": "-"}
    command = [tool] + [part for name, value in options.items() for part in ("--" + name.replace("_", "-"), str(value))]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)["points"][0]


def sigmas(case, point):
    """How many standard deviations `point` lies above the reference. Blocks of one burst share a channel: what counts
    as independent is the burst."""
    reference = case["reference"]
    bursts = [side["blocks"] / case.get("symbols", 1) for side in (point, reference)]
    pooled = (point["block_errors"] + reference["block_errors"]) / (point["blocks"] + reference["blocks"])
    deviation = math.sqrt(max(pooled * (1 - pooled), 1e-12) * sum(1 / count for count in bursts))
    return (point["block_errors"] / point["blocks"] - reference["block_errors"] / reference["blocks"]) / deviation


def name_of(case):
    plain = ("channel", "direction")
    return " ".join(str(value) if name in plain else f"{name} {value}" for name, value in case.items()
                    if name not in ("blocks", "reference"))


def check(tool, cases, only):
    worse = 0
    for case in (case for case in cases if only in name_of(case)):
        point = measure(tool, case, TEST_SEED, 1)
        distance = sigmas(case, point)
        verdict = "WORSE" if distance > ALLOWED_SIGMA else "better, regenerate" if distance < -ALLOWED_SIGMA else "ok"
        worse += verdict == "WORSE"
        reference = case["reference"]["block_errors"] / case["reference"]["blocks"]
        print(f"{name_of(case):95} PER {point['per']:.4f}, reference {reference:.4f}, {distance:+.1f} sigma: {verdict}")
    return worse


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
    parser.add_argument("--only", default="", help="part of the description of the cases wanted")
    options = parser.parse_args()
    with open(REFERENCES) as file:
        cases = json.load(file)
    if options.regenerate:
        return regenerate(options.tool, cases, options.only)
    worse = check(options.tool, cases, options.only)
    sys.exit(f"{worse} points are worse than their references" if worse else 0)


if __name__ == "__main__":
    main()
