# SPDX-License-Identifier: GPL-2.0
"""The report as one page: nothing is fetched, and no script runs. Every word of it is escaped here or in pictures.py."""
import pictures
import report
from words import escaped, plural, size

STYLE = """body{font:16px/1.5 sans-serif;max-width:800px;margin:2em auto;padding:0 1em;color:#222;background:#fff}
table{border-collapse:collapse}th,td{padding:.2em .8em;border-bottom:1px solid #ccc;text-align:right}th:first-child,td:first-child{text-align:left}
svg{width:100%;height:auto;font:14px sans-serif}.small{font-size:12px;fill:#666}.axis{stroke:#444}.grid{stroke:#ddd}
.interval{stroke:#222;stroke-width:3}.caution{color:#8a4b00}p.facts{color:#555;font-size:14px}"""
HEAD = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>ndmctl bench</title><style>%s</style></head><body>
<h1>Congestion control on a real path</h1>
""" % STYLE


def html_of(name, words, style=""):
    return "<%s%s>%s</%s>\n" % (name, ' class="%s"' % style if style else "", escaped(words), name)


def page(paths, runs):
    out = [HEAD]
    for path in paths:
        own = [run for run in runs if run["target"] == path["target"]]
        out += section(path, own)
    out.append(html_of("p", "Goodput is what the far end has acknowledged. Each block measures every algorithm once and Cubic twice, in random "
                       "order, one flow at a time; ratios are within blocks. Intervals are by bootstrap, p by sign flips of blocks, adjusted by "
                       "Holm's method.", "facts"))
    out.append("</body></html>\n")
    return "".join(out)


def section(path, runs):
    yield html_of("h2", report.title(path))
    for run in runs:
        yield html_of("p", report.facts_line(run), "facts")
        if run["warning"]:
            yield html_of("p", "Warning: " + run["warning"], "caution")
    yield html_of("p", "%s, %s, %s sent" % (plural(path["blocks"], "block"), plural(path["flows"], "flow"), size(path["sent_bytes"])))
    compared = [(a["algorithm"], a["comparison"]) for a in path["algorithms"] if a["comparison"]]
    yield "<ul>" + "".join(html_of("li", report.sentence(name, c)) for name, c in compared) + html_of("li", report.noise_sentence(path["noise"])) + "</ul>\n"
    for words in report.cautions(path):
        yield html_of("p", words, "caution")
    flows = [flow for run in runs for flow in run["flows"] if flow["ok"]]
    yield html_of("h3", "Goodput")
    yield pictures.goodputs(path["algorithms"], flows)
    if compared:
        yield html_of("h3", "In relation to Cubic")
        yield pictures.ratios(compared + ([("cubic, again", path["noise"])] if path["noise"] else []))
    yield html_of("h3", "Over the time of a flow")
    yield pictures.over_time(path["algorithms"], flows, runs[0]["plan"]["skipped_seconds"])
    yield html_of("h3", "Figures")
    yield table(path["algorithms"])


def table(algorithms):
    rows = ["<tr>" + "".join("<th>%s</th>" % name for name in ("algorithm", "flows", "goodput, median", "sent again", "RTT", "reorderings a GB", "DSACKs a GB"))
            + "</tr>\n"]
    for a in algorithms:
        cells = [a["algorithm"], str(a["flows"])]
        if a["flows"]:
            cells += [report.rate(a["goodput_median_bits_per_second"]), "%.2f %%" % (100 * (a["retransmitted_share"] or 0)),
                      "%.0f ms" % (a["srtt_median_us"] / 1000), report.count(a["reorderings_per_gigabyte"]), report.count(a["dsacks_per_gigabyte"])]
        rows.append("<tr>" + "".join("<td>%s</td>" % escaped(cell) for cell in cells) + "</tr>\n")
    return "<table>" + "".join(rows) + "</table>\n"
