#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws ratios to the fastest peer as an SVG: one bar a case, grouped by family, on a logarithmic scale.

    plot.py FILE.jsonl ... --device cpu|cuda > ratios.svg

The files hold lines as garray-bench and peers/bench_peers.py print them.  A bar to the right: garray is faster than
the fastest peer by that factor; to the left: slower.  Lines of lib "direct" (ceilings, vendor libraries) are no peers.
"""
import argparse
import html
import json
import math
import sys

ROW, LEFT, WIDTH, TOP = 16, 220, 460, 56
LOW, HIGH = 0.25, 16.0


def read(files):
    mine, peers = {}, {}
    for name in files:
        with open(name) as file:
            for text in file:
                line = json.loads(text)
                if not line.get("ms"):
                    continue
                key = (line["device"], line["case"])
                if line["lib"] == "garray":
                    mine[key] = line
                elif line["lib"] != "direct":
                    best = peers.get(key)
                    if best is None or line["ms"] < best["ms"]:
                        peers[key] = line
    return mine, peers


def x_of(ratio):
    ratio = min(max(ratio, LOW), HIGH)
    return LEFT + WIDTH * math.log(ratio / LOW) / math.log(HIGH / LOW)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--device", default="cuda")
    args = parser.parse_args()
    mine, peers = read(args.files)
    rows, family = [], None
    for (device, case), line in mine.items():
        other = peers.get((device, case))
        if device != args.device or other is None or other["n"] != line["n"]:
            continue
        if line.get("family") != family:
            family = line.get("family")
            rows.append((family, None, None))
        rows.append((case, other["ms"] / line["ms"], other["lib"]))
    if not rows:
        sys.exit(f"plot.py: no case of garray on {args.device} has a peer in these files")
    height = TOP + ROW * len(rows) + 30
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + 120} {height}" '
           'font-family="sans-serif" font-size="11">',
           '<rect width="100%" height="100%" fill="white"/>',
           f'<text x="10" y="20" font-size="14">Time of the fastest peer over garray\'s time, {args.device}</text>']
    for tick in (0.25, 0.5, 1, 2, 4, 8, 16):
        x = x_of(tick)
        out.append(f'<line x1="{x:.1f}" y1="{TOP - 8}" x2="{x:.1f}" y2="{height - 24}" '
                   f'stroke="{"#444" if tick == 1 else "#ddd"}"/>')
        out.append(f'<text x="{x:.1f}" y="{TOP - 14}" text-anchor="middle" fill="#555">{tick:g}</text>')
    y = TOP
    for name, ratio, lib in rows:
        if ratio is None:
            out.append(f'<text x="10" y="{y + 12}" font-weight="bold">{html.escape(name or "")}</text>')
        else:
            one, x = x_of(1), x_of(ratio)
            colour = "#4e79a7" if ratio >= 1 else "#e15759"
            out.append(f'<text x="{LEFT - 8}" y="{y + 12}" text-anchor="end">{html.escape(name)}</text>')
            out.append(f'<rect x="{min(one, x):.1f}" y="{y + 3}" width="{max(abs(x - one), 1):.1f}" height="{ROW - 6}" '
                       f'fill="{colour}"><title>{html.escape(name)}: {ratio:.2f} (fastest peer: {lib})</title></rect>')
            out.append(f'<text x="{max(x, one) + 5:.1f}" y="{y + 12}" fill="#333">{ratio:.2f} {lib}</text>')
        y += ROW
    out.append("</svg>")
    print("\n".join(out))


if __name__ == "__main__":
    main()
