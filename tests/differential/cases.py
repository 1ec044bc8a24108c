# SPDX-License-Identifier: BSD-3-Clause
"""The command line of the programs that compare single calls with NumPy, case by case."""

import argparse

from library import Library


def run(doc, count, one):
    """one(seed, number, library) tells what is wrong with a case, or None. Returns the exit code."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=count)
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    options = parser.parse_args()
    library = Library(options.library, options.device)
    numbers = range(options.first, options.first + options.count)
    wrong = [text for i in numbers if (text := one(options.seed, i, library))]
    print("\n".join(wrong[:20]))
    print(f"{options.count - len(wrong)} passed, {len(wrong)} failed")
    return 1 if wrong else 0
