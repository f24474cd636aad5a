# SPDX-License-Identifier: GPL-2.0
"""PNG plots: bars with intervals, and a connection over time."""
import matplotlib

matplotlib.use("Agg")  # no screen
from matplotlib import pyplot  # noqa: E402  the backend comes first

COLOURS = {"ndm_v1": "#1b7f5c", "ndm_v4": "#7fbf3f", "cubic": "#2f6fb0", "reno": "#8a8a8a", "bbr": "#c8553d"}
OTHER_COLOUR = "#b09a2f"


def colour_of(algorithm):
    return COLOURS.get(algorithm, OTHER_COLOUR)


def save(figure, path):
    figure.savefig(path, dpi=110, metadata={"Software": None})  # no version of the library: same data, same bytes
    pyplot.close(figure)


def plot_bars(path, rows, published):
    """Goodput and retransmissions side by side. `rows`: algorithm -> ((mean, half), (mean, half)); `published`: algorithm ->
    (Mbit/s, retransmissions), drawn as a diamond."""
    figure, axes = pyplot.subplots(1, 2, figsize=(9, 2.9), constrained_layout=True)
    names = list(rows)
    for index, (axis, title) in enumerate(zip(axes, ("goodput, Mbit/s", "retransmissions"), strict=True)):
        means = [rows[name][index][0] for name in names]
        halves = [rows[name][index][1] for name in names]
        axis.bar(names, means, yerr=halves, capsize=4, color=[colour_of(name) for name in names])
        marks = [(name, published[name][index]) for name in names if name in published]
        if marks:
            axis.plot(*zip(*marks, strict=True), "D", color="black", markersize=5, label="published")
            axis.legend(fontsize="small")
        axis.set_title(title, fontsize="medium")
        axis.set_ylim(bottom=0)
        axis.tick_params(axis="x", labelrotation=20)
    save(figure, path)


def plot_traces(path, traces):
    """cwnd, srtt and entropy over time. `traces`: algorithm -> samples of `traffic ... trace=1`."""
    figure, axes = pyplot.subplots(3, 1, figsize=(9, 6), sharex=True, constrained_layout=True)
    for algorithm, samples in traces.items():
        times = [sample["t"] for sample in samples]
        style = {"color": colour_of(algorithm), "linewidth": 1, "label": algorithm}
        axes[0].plot(times, [sample["cwnd"] for sample in samples], **style)
        axes[1].plot(times, [sample["srtt_us"] / 1000 for sample in samples], **style)
        if any(sample["verdict"] for sample in samples):
            axes[2].plot(times, [sample["entropy"] for sample in samples], **style)
    axes[2].axhline(700, color="black", linewidth=0.6, linestyle="--")
    for axis, title in zip(axes, ("cwnd, packets", "srtt, ms", "entropy, of 1000 (dashed: threshold)"), strict=True):
        axis.set_title(title, fontsize="medium", loc="left")
    axes[2].set_ylim(0, 1000)
    axes[2].set_xlabel("seconds")
    axes[0].legend(fontsize="small", ncols=5)
    save(figure, path)
