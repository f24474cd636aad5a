# SPDX-License-Identifier: GPL-2.0
"""Pictures of a report, as SVG. Text in them is escaped here, and nowhere else."""
import math

from words import escaped, rate

WIDTH, LABEL, RIGHT, ROW = 760, 130, 130, 34
PLOT = WIDTH - LABEL - RIGHT
COLORS = ("#555555", "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#f0e442")    # told apart by the colour-blind


def color(index):
    return COLORS[index % len(COLORS)]


def svg(height, title, parts):
    return '<svg viewBox="0 0 %d %d" role="img"><title>%s</title>%s</svg>' % (WIDTH, height, escaped(title), "".join(parts))


def text(x, y, words, anchor="start", style=""):
    return '<text x="%.1f" y="%.1f" text-anchor="%s"%s>%s</text>' % (x, y, anchor, ' class="%s"' % style if style else "", escaped(words))


def line(x1, y1, x2, y2, style):
    return '<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" class="%s"/>' % (x1, y1, x2, y2, style)


def goodputs(algorithms, flows):
    """A bar for the median of each algorithm, and a dot for each flow."""
    most = max([flow["goodput_bits_per_second"] for flow in flows] + [1])
    parts = []
    for index, algorithm in enumerate(algorithms):
        y, median = index * ROW, algorithm["goodput_median_bits_per_second"]
        parts.append(text(LABEL - 10, y + 21, algorithm["algorithm"], "end"))
        if median is None:
            parts.append(text(LABEL, y + 21, "no flow worked"))
            continue
        parts.append('<rect x="%d" y="%d" width="%.1f" height="22" fill="%s" fill-opacity="0.35"/>' % (LABEL, y + 5, PLOT * median / most, color(index)))
        parts += ['<circle cx="%.1f" cy="%d" r="3" fill="%s"/>' % (LABEL + PLOT * flow["goodput_bits_per_second"] / most, y + 16, color(index))
                  for flow in flows if flow["algorithm"] == algorithm["algorithm"]]
        parts.append(text(WIDTH - RIGHT + 12, y + 21, rate(median)))
    return svg(len(algorithms) * ROW + 4, "Goodput of each flow, and the median of each algorithm", parts)


def ratios(rows):
    """(name, comparison): the ratio to Cubic with its interval, on a logarithmic scale. Cubic against itself shows the noise."""
    ends = [abs(value) for _, c in rows for value in (c["log_ratio"], c["log_ratio_low"], c["log_ratio_high"]) if value is not None]
    widest = max(ends + [math.log(1.25)]) * 1.1
    height = len(rows) * ROW

    def at(log_ratio):
        return LABEL + PLOT * (0.5 + 0.5 * log_ratio / widest)
    parts = [line(at(0), 0, at(0), height, "axis")]
    for tick in ticks(widest):
        parts += [line(at(tick), 0, at(tick), height, "grid"), text(at(tick), height + 18, "%.3g x" % math.exp(tick), "middle", "small")]
    for index, (name, c) in enumerate(rows):
        y = index * ROW + 16
        parts.append(text(LABEL - 10, y + 5, name, "end"))
        if c["log_ratio_low"] is not None:
            parts.append(line(at(c["log_ratio_low"]), y, at(c["log_ratio_high"]), y, "interval"))
        parts.append('<circle cx="%.1f" cy="%d" r="5"/>' % (at(c["log_ratio"]), y))
        parts.append(text(WIDTH - RIGHT + 12, y + 5, "%.2f x" % math.exp(c["log_ratio"])))
    return svg(height + 26, "Goodput in relation to Cubic, with 95 % intervals", parts)


def ticks(widest):
    """Logarithms of round ratios on both sides of 1; few enough to be read."""
    found = [0.0]
    for ratio in (1.1, 1.25, 1.5, 2, 3, 5, 10, 30, 100, 1000):
        if found[-1] + widest / 5 < math.log(ratio) <= widest:
            found.append(math.log(ratio))
    return [-tick for tick in found[:0:-1]] + found


def over_time(algorithms, flows, skipped_s):
    """The mean of all flows of an algorithm, second by second; a line after the first seconds, which do not count."""
    curves = [(index, second_by_second([f for f in flows if f["algorithm"] == a["algorithm"]])) for index, a in enumerate(algorithms)]
    most = max([max(curve) for _, curve in curves if curve] + [1])
    longest = max([len(curve) for _, curve in curves] + [2])
    parts = [line(LABEL, 200, LABEL + PLOT, 200, "axis"), text(LABEL - 10, 16, rate(most), "end", "small"), text(LABEL - 10, 204, "0", "end", "small"),
             text(LABEL + PLOT, 220, "%d s" % longest, "end", "small")]
    if skipped_s < longest:
        dropped = LABEL + PLOT * skipped_s / longest
        parts += [line(dropped, 10, dropped, 200, "grid"), text(dropped, 220, "measured from %g s on" % skipped_s, "middle", "small")]
    for index, curve in curves:
        points = " ".join("%.1f,%.1f" % (LABEL + PLOT * i / max(1, longest - 1), 200 - 190 * value / most) for i, value in enumerate(curve))
        parts.append('<polyline points="%s" fill="none" stroke="%s" stroke-width="2"/>' % (points, color(index)))
        parts.append('<rect x="%d" y="%d" width="12" height="12" fill="%s"/>' % (WIDTH - RIGHT + 12, 10 + 20 * index, color(index)))
        parts.append(text(WIDTH - RIGHT + 30, 20 + 20 * index, algorithms[index]["algorithm"]))
    return svg(226, "Goodput over the time of a flow, mean of all flows", parts)


def second_by_second(flows):
    """Bits per second, the mean over flows; as long as the shortest of them."""
    sums = []
    for flow in flows:
        steps = max(1, round(1000 / max(1, flow["series"]["step_ms"])))
        acked = flow["series"]["acked_bytes"]
        sums.append([8 * sum(acked[i:i + steps]) for i in range(0, len(acked) - steps + 1, steps)])
    return [sum(values) / len(values) for values in zip(*sums)]
