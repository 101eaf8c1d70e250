#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pictures and the table of docs/performance.md from measured JSON.

published: the JSON of published.py; a bar a row, and the table as Markdown on standard output.
scaling: the JSON of `chainwalk bench cuda --scaling --json`; microseconds over each size.
Needs matplotlib.
"""

import argparse
import json
import sys

COLOURS = {"none": "#2a7f62", "raw": "#3b6ea5", "bf16": "#7a5195", "fp8": "#d1793c", "int4": "#a0466a"}
LABELS = {
    "streams": ("num_parallel", "streams P (hd 1024)"),
    "columns": ("head_dim", "head size (P 4)"),
    "members": ("members", "members of a group (hd 1024, P 4)"),
    "hot": ("num_parallel", "streams P, half of the writes on 64 slots"),
}


def plot_library():
    try:
        import matplotlib
    except ImportError as missing:
        sys.exit(f"pictures.py: error: {missing}")
    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "chainwalk", "font.size": 9})
    from matplotlib import pyplot

    return pyplot


def save(pyplot, figure, path):
    figure.tight_layout()
    figure.savefig(path, format="svg", metadata={"Date": None})
    pyplot.close(figure)


def draw_published(rows, path):
    pyplot = plot_library()
    figure, axes = pyplot.subplots(figsize=(8, 0.18 * len(rows) + 1))
    places = range(len(rows))
    axes.barh(places, [r["ratio"] for r in rows], color=[COLOURS[r["snapshot"]] for r in rows])
    axes.set_yticks(places, [f"{r['case']}, {r['bank']}, {r['snapshot']}" for r in rows], fontsize=7)
    for place, row in zip(places, rows):
        axes.text(row["ratio"] + 0.03, place, f"{row['ratio']:.2f}", va="center", fontsize=7)
    axes.axvline(1, color="#555", linewidth=0.8)
    axes.invert_yaxis()
    axes.margins(y=0.01)
    axes.set_xlabel("microseconds of the published package over ours: right of 1 is faster")
    axes.spines[["top", "right"]].set_visible(False)
    save(pyplot, figure, path)


def print_table(rows):
    print("| problem | bank | rows | ours, us | dependent, us | published, us | published / ours "
          "| GB/s | share of the floor | share of a copy | kernel |")  # fmt: skip
    print("| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |")
    for r in rows:
        print(f"| {r['case']} | {r['bank']} | {r['snapshot']} | {r['ours_us']:.2f} "
              f"| {r['dependent_us_per_step']:.2f} | {r['theirs_us']:.2f} | {r['ratio']:.2f} "
              f"| {r['gb_per_s']:.0f} | {100 * r['share_of_floor']:.0f} % "
              f"| {100 * r['share_of_copy']:.0f} % | `{r['kernel']}` |")  # fmt: skip


def size_of(row, series):
    return int(row["case"].split()[-1]) if series == "members" else row[LABELS[series][0]]


def draw_scaling(rows, path):
    pyplot = plot_library()
    figure, panels = pyplot.subplots(1, len(LABELS), figsize=(14, 3.6))
    for axes, (series, (_, label)) in zip(panels, LABELS.items()):
        lines = {}
        for row in rows:
            if row["case"].split()[0] == series and not row["error"]:
                points = lines.setdefault(row["snapshot"], [])
                points.append((size_of(row, series), row["us_per_step"], row["floor_us"]))
        for form, points in lines.items():
            sizes, ours, floors = zip(*sorted(points))
            axes.plot(sizes, ours, marker="o", markersize=3, color=COLOURS[form], label=form)
            axes.plot(sizes, floors, linestyle=":", color=COLOURS[form], linewidth=1)
        axes.set_xscale("log", base=2)
        axes.set_yscale("log", base=2)
        axes.minorticks_off()
        axes.set_xticks(sizes, [str(size) for size in sizes], fontsize=7)
        ticks = [2**i for i in range(0, 10) if axes.get_ylim()[0] <= 2**i <= axes.get_ylim()[1]]
        axes.set_yticks(ticks, [str(tick) for tick in ticks], fontsize=7)
        axes.set_xlabel(label)
        axes.spines[["top", "right"]].set_visible(False)
    panels[0].set_ylabel("microseconds a step (dotted: the floor)")
    panels[0].legend(frameon=False, fontsize=7)
    save(pyplot, figure, path)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("kind", choices=["published", "scaling"])
    parser.add_argument("json", help="what was measured")
    parser.add_argument("svg", help="the picture to write")
    options = parser.parse_args()
    with open(options.json) as file:
        measured = json.load(file)
    if options.kind == "published":
        rows = [row for row in measured if not row["error"]]
        draw_published(rows, options.svg)
        print_table(rows)
    else:
        draw_scaling(measured["rows"], options.svg)


if __name__ == "__main__":
    main()
