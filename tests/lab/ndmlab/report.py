# SPDX-License-Identifier: GPL-2.0
"""One HTML page with tables and plots of every set that has results: published beside reproduced."""
import html
import shutil

from . import metrics, plots
from .machine import BUILD

FOLDER = BUILD / "report"
TRACE_SEED = 2
TRACED = ("ndm_v1", "ndm_v4", "cubic")

STYLE = """body{font:15px/1.5 sans-serif;max-width:64em;margin:2em auto;padding:0 1em;color:#222}
table{border-collapse:collapse;margin:.6em 0}td,th{padding:.2em .8em;border-bottom:1px solid #ddd;text-align:right}
td:first-child,th:first-child{text-align:left}img{max-width:100%}code{background:#f3f3f3;padding:0 .3em}
.best{font-weight:bold}.note{color:#666}"""


def group_results(cells, results):
    """scenario -> algorithm -> results, in the order of the cells."""
    groups, scenarios = {}, {}
    for cell, result in zip(cells, results, strict=True):
        if result is not None:
            scenarios[cell.scenario.name] = cell.scenario
            groups.setdefault(cell.scenario.name, {}).setdefault(cell.algorithm, []).append(result)
    return groups, scenarios


def summarize(results):
    megabytes = sum(map(metrics.megabytes, results))
    total = sum(map(metrics.retransmissions, results))
    return {"rate": metrics.mean_interval(map(metrics.goodput, results)),
            "count": metrics.mean_interval(map(metrics.retransmissions, results)),
            "per": megabytes / total if total else None,
            "spurious": metrics.mean_interval(map(metrics.spurious_ratio, results))[0],
            "srtt": tuple(metrics.mean_interval(metrics.srtt(result, quantile) for result in results)[0] for quantile in (50, 95))}


def row_of(algorithm, summary, published, fewest):
    rate, count = summary["rate"], summary["count"]
    there = published.get(algorithm)
    cells = [f"<td>{html.escape(algorithm)}</td>",
             f"<td>{rate[0]:.2f} &plusmn; {rate[1]:.2f}</td>", f"<td>{there[0]:g}</td>" if there else "<td></td>",
             f"<td{' class=best' if count[0] == fewest else ''}>{count[0]:.1f} &plusmn; {count[1]:.1f}</td>",
             f"<td>{there[1]:g} in {there[2]:g} s</td>" if there else "<td></td>",
             f"<td>{summary['per']:.2f}</td>" if summary["per"] else "<td>&infin;</td>",
             f"<td>{there[0] * there[2] / 8 / there[1]:.2f}</td>" if there else "<td></td>",
             f"<td>{summary['spurious']:.3f}</td>", "<td>{:.1f} / {:.1f}</td>".format(*summary["srtt"])]
    return f"<tr>{''.join(cells)}</tr>"


def section_of(scenario, groups, set_name):
    summaries = {algorithm: summarize(results) for algorithm, results in groups.items()}
    fewest = min(summary["count"][0] for summary in summaries.values())
    image = f"{set_name}-{scenario.name}.png"
    plots.plot_bars(FOLDER / image, {name: (summary["rate"], summary["count"]) for name, summary in summaries.items()}, scenario.published)
    count = min(len(results) for results in groups.values())
    rows = "\n".join(row_of(name, summary, scenario.published, fewest) for name, summary in summaries.items())
    return f"""<h3>{html.escape(scenario.name)}: {html.escape(scenario.about)}</h3>
<p><code>{html.escape(scenario.path)}</code>, {scenario.seconds:g} s, {count} seeds, mean &plusmn; 95 % interval</p>
<table><tr><th>algorithm</th><th>Mbit/s</th><th>published</th><th>retransmissions</th><th>published</th><th>MB/retr.</th><th>published</th>
<th>spurious ratio</th><th>srtt p50 / p95, ms</th></tr>
{rows}</table>
<p><img src="{image}" alt="goodput and retransmissions"></p>
"""


def trace_section(scenario, traces, set_name):
    image = f"{set_name}-{scenario.name}-trace.png"
    plots.plot_traces(FOLDER / image, traces)
    return f'<p class=note>One run over time, seed {TRACE_SEED}:</p><p><img src="{image}" alt="cwnd, srtt and entropy over time"></p>\n'


def write_report(store, sets, trace):
    """`sets`: name -> cells; `trace(scenario, algorithm)` gives samples over time. Returns the page's path."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    body = []
    for name, cells in sets.items():
        groups, scenarios = group_results(cells, [store.get(cell) for cell in cells])
        if not groups:
            continue
        body.append(f"<h2>Set {html.escape(name)}</h2>")
        for scenario_name, by_algorithm in groups.items():
            scenario = scenarios[scenario_name]
            body.append(section_of(scenario, by_algorithm, name))
            traced = {algorithm: trace(scenario, algorithm) for algorithm in TRACED if algorithm in by_algorithm}
            if any(traced.values()):
                body.append(trace_section(scenario, traced, name))
    page = FOLDER / "index.html"
    page.write_text(f"""<!DOCTYPE html><html lang=en><meta charset=utf-8><title>ndm-tcp: the lab</title><style>{STYLE}</style>
<h1>ndm-tcp: the virtual-time lab</h1>
<p>Stock Debian kernel {html.escape(store.machine.kernel.release)}, module {store.module}, machine {html.escape(store.machine.key)}.
Repeat with <code>make lab SET=&hellip; SEEDS=&hellip;</code> and <code>make lab-report</code>; the same inputs give the same figures to the
last digit. Bold: the fewest retransmissions. Diamonds and columns <em>published</em>: one run each by the author of NDM-TCP, on a host's loopback.
Spurious ratio: retransmissions beyond what the path dropped, over segments sent; where ACKs are dropped as well it may be negative.</p>
{''.join(body)}</html>
""")
    return page
