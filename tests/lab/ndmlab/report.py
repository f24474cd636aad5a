# SPDX-License-Identifier: GPL-2.0
"""One HTML page: a screen of pictures, then tables and plots of every set that has results, published beside reproduced."""
import html
import itertools
import shutil

from . import metrics, pictures, plots, table
from .machine import BUILD, LabError
from .sets import SETS

FOLDER = BUILD / "report"
TRACE_SEED = 2
TRACED = ("ndm_v1", "ndm_v4", "cubic")

STYLE = """body{font:15px/1.5 sans-serif;max-width:64em;margin:2em auto;padding:0 1em;color:#222}
table{border-collapse:collapse;margin:.6em 0}td,th{padding:.2em .8em;border-bottom:1px solid #ddd;text-align:right}
td:first-child,th:first-child{text-align:left}img{max-width:100%}code{background:#f3f3f3;padding:0 .3em}
.best{font-weight:bold}.note{color:#666}figure{margin:0;text-align:center}figcaption{color:#666;font-size:85%}
.screen{display:grid;grid-template-columns:3fr 5fr;gap:.5em;align-items:center}.screen .map,.screen .note{grid-column:1/-1}.screen img{max-height:42vh}"""


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


def published_table(rows):
    """Published beside reproduced, for the paths that the author measured."""
    summaries = {row.algorithm: summarize(row.results) for row in rows}
    fewest = min(summary["count"][0] for summary in summaries.values())
    lines = "\n".join(row_of(name, summary, rows[0].scenario.published, fewest) for name, summary in summaries.items())
    return f"""<table><tr><th>algorithm</th><th>Mbit/s</th><th>published</th><th>retransmissions</th><th>published</th><th>MB/retr.</th><th>published</th>
<th>spurious ratio</th><th>srtt p50 / p95, ms</th></tr>
{lines}</table>"""


def plain_table(rows, set_name):
    """The columns that `lab run` prints."""
    columns = SETS[set_name].columns
    heading = "".join(f"<th>{html.escape(heading)}</th>" for heading, _, _ in columns)
    lines = "\n".join(f"<tr><td>{html.escape(row.algorithm)}</td>" + "".join(f"<td>{show(row).replace('+-', '&plusmn;')}</td>" for _, _, show in columns) + "</tr>"
                      for row in rows)
    return f"<table><tr><th>algorithm</th>{heading}</tr>\n{lines}</table>"


def section_of(rows, set_name):
    scenario = rows[0].scenario
    image = f"{set_name}-{scenario.name}.png"
    plots.plot_bars(FOLDER / image, {row.algorithm: (metrics.mean_interval(map(metrics.goodput, row.results)), metrics.mean_interval(map(metrics.retransmissions, row.results)))
                                     for row in rows}, scenario.published)
    count = min(len(row.results) for row in rows)
    return f"""<h3>{html.escape(scenario.name)}: {html.escape(scenario.about)}</h3>
<p><code>{html.escape(scenario.path)}</code>, {count} seeds, mean &plusmn; 95 % interval</p>
{published_table(rows) if scenario.published else plain_table(rows, set_name)}
<p><img src="{image}" alt="goodput and retransmissions"></p>
"""


def trace_section(scenario, traces, set_name):
    image = f"{set_name}-{scenario.name}-trace.png"
    plots.plot_traces(FOLDER / image, traces)
    return f'<p class=note>One run over time, seed {TRACE_SEED}:</p><p><img src="{image}" alt="cwnd, srtt and entropy over time"></p>\n'


CAPTIONS = {"goodput": "A path of each kind.",
            "map": "Who is best where: a square for each path with one flow alone. Pale: no difference beyond chance or 2 %.",
            "plane": "What is bought with queuing delay: a dot a path, large the middle of an algorithm's dots.",
            "grid": "Round trips by rates: what one flow has of the link, retransmissions a MB, p95 of the queue's delay over a full queue's, Jain's index when another joins."}


def overview(sets):
    """The first screen; a picture whose results are not there yet says so. sets: name -> (cells, results)"""
    parts = []
    for name, (draw, wanted) in pictures.PICTURES.items():
        try:
            draw({key: sets[key] for key in wanted if key in sets}, FOLDER / f"{name}.svg")
        except (LabError, KeyError) as error:
            parts.append(f"<p class=note>No picture <em>{name}</em> yet, of {' and '.join(wanted)}: {html.escape(str(error))}</p>")
            continue
        parts.append(f'<figure class="{name}"><img src="{name}.svg" alt="{html.escape(CAPTIONS[name])}"><figcaption>{html.escape(CAPTIONS[name])}</figcaption></figure>')
    links = " ".join(f'<a href="#{html.escape(name)}">{html.escape(name)}</a>' for name in sets)
    return f'<div class=screen>{"".join(parts)}</div>\n<p>Sets: {links}</p>'


def write_report(sets, trace):
    """`sets`: name -> store, cells; `trace(store, scenario, algorithm)` gives samples over time. Returns the page's path."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    known = {name: (cells, [store.get(cell) for cell in cells]) for name, (store, cells) in sets.items() if cells}
    body = [overview(known)]
    for name, (store, cells) in sets.items():
        rows = table.rows_of(cells, [store.get(cell) for cell in cells])
        if not rows:
            continue
        body.append(f"<h2 id={html.escape(name)}>Set {html.escape(name)}</h2>\n<p class=note>Engine {store.machine.engine}, kernel {html.escape(store.machine.kernel.release)}, "
                    f"module {store.module}, machine {html.escape(store.machine.key)}</p>")
        for scenario, group in itertools.groupby(rows, lambda row: row.scenario):
            group = list(group)
            body.append(section_of(group, name))
            traced = {row.algorithm: trace(store, scenario, row.algorithm) for row in group if row.algorithm in TRACED} if scenario.published else {}
            if any(traced.values()):
                body.append(trace_section(scenario, traced, name))
    page = FOLDER / "index.html"
    page.write_text(f"""<!DOCTYPE html><html lang=en><meta charset=utf-8><title>ndm-tcp: the lab</title><style>{STYLE}</style>
<h1>ndm-tcp: the virtual-time lab</h1>
<p>Repeat with <code>make lab SET=&hellip; SEEDS=&hellip;</code> and <code>make lab-report</code>; the same inputs give the same figures to the
last digit. Bold: the fewest retransmissions. Diamonds and columns <em>published</em>: one run each by the author of NDM-TCP, on a host's loopback.
Spurious ratio: retransmissions beyond what the path dropped, over segments sent; where ACKs are dropped as well it may be negative.</p>
{''.join(body)}</html>
""")
    return page
