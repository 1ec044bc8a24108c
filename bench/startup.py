#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Times whole processes from their start to a first result: startup.py NAME=COMMAND ... [--runs N]

Prints a JSON line for each: the median and the least of the runs, taken in turn so that all see the same machine.
"""
import argparse
import json
import statistics
import subprocess
import time


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="+", metavar="NAME=COMMAND")
    parser.add_argument("--runs", type=int, default=9)
    args = parser.parse_args()
    programs = [text.split("=", 1) for text in args.programs]
    samples = {name: [] for name, _ in programs}
    for run in range(args.runs + 1):
        for name, command in programs:
            start = time.perf_counter()
            subprocess.run(command, shell=True, check=True)
            if run:                     # the first fills the disk cache
                samples[name].append((time.perf_counter() - start) * 1e3)
    for name, taken in samples.items():
        print(json.dumps(dict(startup=name, ms=round(statistics.median(taken), 2), min_ms=round(min(taken), 2), runs=len(taken))))


if __name__ == "__main__":
    main()
