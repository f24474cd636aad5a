# SPDX-License-Identifier: GPL-2.0
"""A page for each set, and RESULTS.md, which sums them up. Written only from stored results; a missing one is an error."""
import re

from ..judge import verdicts
from . import table
from ..run.cells import seeds_of
from ..run.machine import TOP
from .page import markdown
from ..sets import SETS
from .stored import Incomplete, command_of

INDEX = TOP / "tests/lab/RESULTS.md"
PAGES = TOP / "tests/lab/results"
HEAD = """# Results of the lab

`tests/lab/lab results` writes a page for each set, from stored results of even seeds, of the module that it names. Where
module, kernel and guest (its programs) are the same, so is each digit. How v5 decides, and what that costs, is in [its own
page](../../src/module/v5/README.md). [How to run, read and extend the lab](README.md), with a glossary.
"""
TAIL = """## How to read a page

Figures are the mean ± 95 % interval over the seeds (Student's t); without an interval, nothing is random. One flow:
Mbit/s / retransmissions, and where the queue matters, the 95th percentile of its delay (on recorded links p50 / p95).
Beside other flows: its rate : their rate, and the harm, the share of their goodput alone that they lose; beside the same
algorithm, Jain's index. Short flows and chunks of a video: the time to complete.

A goal has a margin, negative where it is not reached, with its 95 % interval. """ + verdicts.RULE + "\n"
BACK = "[All sets, and how to read this](../RESULTS.md)"


def judged_text(of, cells, results):
    """How many goals of that set v5 reaches, and every one that it does not."""
    groups = table.by_path(cells, results)
    judged = verdicts.judge(of.goals, groups)
    if len(judged) != len(of.goals):
        there = {(row.goal.path, row.goal.what) for row in judged}
        lost = next(goal for goal in of.goals if (goal.path, goal.what) not in there)
        raise Incomplete(f"of {len(of.goals)} goals of set {of.name} {len(judged)} can be judged; not, among others, {lost.path}: {lost.what}", f"tests/lab/lab run {of.name}")
    counts = verdicts.counts_of(judged)
    text = f"**{counts['reached']} of {len(judged)} goals are reached, {counts['undecided']} undecided, {counts['missed']} missed.**"
    open_ones = [[goal.path, goal.what, f"{own:.4g}", f"{'>=' if goal.sign > 0 else '<='} {limit:.4g}", f"{margin:+.3g} ±{'-' if half is None else f'{half:.2g}'}", word]
                 for goal, own, limit, margin, half, word in judged if word != "reached"]
    if open_ones:
        text += "\n\n" + markdown(["path", "what", "v5", "goal", "margin (negative: missed)", ""], open_ones)
    return text


def page(of, cells, results, module):
    part = of.page
    commands = " and ".join(f"`{command_of(of.name, [group], part.seeds)}`" for group in part.groups())
    texts = [f"# {part.title}", BACK, f"{commands}: {len({cell.scenario.name for cell in cells})} paths, {engine_of(results)}, module {module}. {part.about}"]
    if of.goals:
        texts.append(judged_text(of, cells, results))
    if part.shows:
        texts.append(part.shows(part, cells, results))
    return "\n\n".join(texts)


def engine_of(results):
    [(engine, kernel, machine)] = {(result["engine"], result["kernel"], result["machine"]) for result in results}
    return f"engine `{engine}`, kernel {kernel}, guest {machine.removeprefix(f'{kernel}-')}"


def pages(stored, names=(), seeds=None):
    """The pages by set: of all, or of those. Raises Incomplete with all that is missing."""
    chosen, missing = {}, []
    for name in (name for name in SETS if not names or name in names):
        part = SETS[name].page
        try:
            chosen[name] = stored.choose(name, part.groups(), seeds_of(seeds or part.seeds, "even"))
        except Incomplete as error:
            missing.append(error)
    if missing:
        raise Incomplete("\n     ".join(str(error).split("; run\n")[0] for error in missing), "\n     ".join(error.command for error in missing))
    return {name: page(SETS[name], *found, stored.module) for name, found in chosen.items()}


def summary_of(name, text):
    """The line of RESULTS.md about a set, from the text of its page; empty for none."""
    part = SETS[name].page
    if not text:
        return [f"`{name}`", part.title, "", "", "", "no page yet"]
    counts = re.search(r"\*\*(\d+) of \d+ goals are reached, (\d+) undecided, (\d+) missed", text)
    return [f"[`{name}`](results/{name}.md)", part.title, *(counts.groups() if counts else ("", "", "")), re.search(r", module (\w+)\.", text)[1]]


def index(texts):
    """RESULTS.md, from the texts of the pages by set."""
    lines = [summary_of(name, texts.get(name, "")) for name in SETS]
    return "\n".join([HEAD, markdown(["set", "about", "goals reached", "undecided", "missed", "module"], lines), "", TAIL])


def write(texts):
    """These pages, and the index of all that are there."""
    PAGES.mkdir(exist_ok=True)
    for name, text in texts.items():
        (PAGES / f"{name}.md").write_text(text + "\n")
    INDEX.write_text(index({path.stem: path.read_text() for path in PAGES.glob("*.md")}))
