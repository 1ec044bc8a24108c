#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws random programs, runs each with the library and with NumPy 2, and compares every variable after every
statement.  A mismatch is shrunk and printed with the seed that finds it again.

    differential.py [LIBRARY] [--seed N] [--count N] [--seconds N] [--device cpu] [--ops add,sort,...]

The library is an argument, GARRAY_LIBRARY, or build/src/libgarray.so.  --ops takes names of families
(--list shows them) or of functions.  Ends with 77 (skipped) without NumPy 2."""

import argparse
import os
import sys
import time
import traceback
import warnings

PROGRAM_SECONDS = 20  # for one program; they take milliseconds
HERE = os.path.dirname(os.path.abspath(__file__))


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "library",
        nargs="?",
        default=os.environ.get(
            "GARRAY_LIBRARY", os.path.join(HERE, "..", "..", "build", "src", "libgarray.so")
        ),
    )
    parser.add_argument(
        "--seed", type=int, default=1, help="program i of a seed is always the same (default 1)"
    )
    parser.add_argument("--start", type=int, default=0, help="number of the first program")
    parser.add_argument("--count", type=int, default=2000, help="how many programs (default 2000)")
    parser.add_argument("--seconds", type=float, help="stop after so many seconds")
    parser.add_argument("--device", default=os.environ.get("GARRAY_TEST_DEVICE", "cpu"))
    parser.add_argument("--ops", help="families or functions, separated by commas")
    parser.add_argument(
        "--large", action="store_true", help="arrays of up to a million elements: threads, blocks"
    )
    parser.add_argument(
        "--keep-going", type=int, default=5, metavar="N", help="stop after N mismatches (default 5)"
    )
    parser.add_argument("--list", action="store_true", help="list the families")
    return parser.parse_args()


def skip(reason):
    print("skipped: " + reason)
    sys.exit(77)


try:
    import numpy as np
except ImportError:
    skip("no NumPy")
if int(np.__version__.split(".")[0]) < 2:
    skip("NumPy %s is older than 2" % np.__version__)

import families  # noqa: E402
import fixed  # noqa: E402
import shrink  # noqa: E402
from draw import Drawer  # noqa: E402
from library import OPS, Failure, Library  # noqa: E402
from limit import Slow, limit  # noqa: E402
from program import Mismatch, run  # noqa: E402


def chosen_families(text):
    """(function, weight, names) per family asked for."""
    everything = {name: (function, weight, None) for name, (function, weight) in families.FAMILIES.items()}
    if not text:
        return everything
    found = {}
    for word in text.split(","):
        if word in everything:
            found[word] = everything[word]
        elif word in OPS:
            found.setdefault("elementwise", (families.elementwise, 1, []))[2].append(word)
        elif word in ("sum", "prod", "min", "max", "mean", "any", "all", "count_nonzero"):
            found.setdefault("reduction", (families.reduction, 1, []))[2].append(word)
        else:
            sys.exit("no family or function %r" % word)
    return found


def draw_program(library, rng, chosen, large):
    """The statements drawn, and the text of a mismatch or None."""
    d = Drawer(library, rng)
    d.most = 1000000 if large else d.most
    names = list(chosen)
    weights = np.array([chosen[name][1] for name in names], float)
    try:
        for _ in range(int(rng.integers(1, 5))):
            function, _, only = chosen[names[rng.choice(len(names), p=weights / weights.sum())]]
            function(d, only) if only else function(d)
        return d.statements, None
    except Mismatch as mismatch:
        return d.statements, str(mismatch)
    except Exception as error:
        return d.statements, "the driver failed: %s\n%s" % (error, traceback.format_exc(limit=-4))
    finally:
        d.close()


def main():
    options = arguments()
    warnings.simplefilter("ignore")  # NumPy's, about empty slices and complex casts
    if options.list:
        print("\n".join(families.FAMILIES))
        return 0
    try:
        library = Library(options.library, options.device)
    except Failure as failure:
        if options.device != "cpu" and failure.status == "GARRAY_ERR_NO_DEVICE":
            skip(str(failure))
        raise
    chosen = chosen_families(options.ops)
    start, mismatches, calls, programs, slow = time.monotonic(), 0, 0, 0, 0
    if not options.ops:
        mismatches += fixed.check(library, report)
    for number in range(options.start, options.start + options.count):
        if options.seconds and time.monotonic() - start > options.seconds:
            break
        try:
            with limit(PROGRAM_SECONDS):
                statements, text = draw_program(
                    library, np.random.default_rng([options.seed, number]), chosen, options.large
                )
        except Slow:
            slow += 1
            library.tensors.clear()
            print(
                "given up after %d s: seed %d, program %d" % (PROGRAM_SECONDS, options.seed, number), flush=True
            )
            continue
        programs += 1
        calls += len(statements)
        if library.tensors:
            text = text or "%d imported tensors were not given back" % len(library.tensors)
            library.tensors.clear()
        if text:
            mismatches += 1
            report(
                "seed %d, program %d" % (options.seed, number), *shrink.shrink(statements, text, library, run)
            )
            print(
                "again: --seed %d --start %d --count 1%s\n"
                % (
                    options.seed,
                    number,
                    (" --ops " + options.ops if options.ops else "") + (" --large" if options.large else ""),
                ),
                flush=True,
            )
            if mismatches >= options.keep_going:
                break
    print(
        "%d programs of %d statements, %d mismatches, %d given up, %.1f s"
        % (programs, calls, mismatches, slow, time.monotonic() - start)
    )
    return 1 if mismatches else 0


def report(title, statements, text):
    print("MISMATCH: " + title)
    for statement in statements:
        print("    " + repr(statement))
    print("  " + text.replace("\n", "\n  "))


if __name__ == "__main__":
    sys.exit(main())
