# SPDX-License-Identifier: BSD-3-Clause
"""Compares the scalar formulas of every dtype with NumPy 2, Python integers and mpmath.

    python3 check.py [--cc gcc] [--flags="-O3 -march=x86-64-v3"] [--build DIR] [dtype ...]
"""
import argparse
import sys
import tempfile

import build
import check_complex
import check_float
import check_integer


class Report:
    """Counts comparisons and prints the first few failures of each row."""

    def __init__(self):
        self.failures = self.comparisons = 0

    def expect(self, dtype, row, good, describe):
        """good: an array of booleans; describe(i) tells about a failed one."""
        good = good.reshape(-1)
        self.comparisons += good.size
        bad = (~good).nonzero()[0]
        self.failures += len(bad)
        for i in bad[:4]:
            print("%s %s: %s" % (dtype, row, describe(i)))
        if len(bad) > 4:
            print("%s %s: and %d more" % (dtype, row, len(bad) - 4))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--flags", default="-O3 -march=native")
    parser.add_argument("--build")
    parser.add_argument("dtypes", nargs="*")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        formulas = build.build(args.build or scratch, args.cc, args.flags.split())
        report = Report()
        checks = {"BOOL": check_integer, "SINT": check_integer, "UINT": check_integer,
                  "FLOAT": check_float, "COMPLEX": check_complex}
        for name, formula in formulas.items():
            if not args.dtypes or name in args.dtypes:
                unchecked = set(formula.rows) - checks[formula.kind].check(formula, report)
                if unchecked:
                    report.failures += 1
                    print("%s: no check for %s" % (name, ", ".join(sorted(unchecked))))
    print("%d comparisons, %d failures" % (report.comparisons, report.failures))
    return 1 if report.failures else 0


if __name__ == "__main__":
    sys.exit(main())
