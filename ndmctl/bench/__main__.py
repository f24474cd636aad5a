# SPDX-License-Identifier: GPL-2.0
"""ndmctl bench: which algorithm is faster on a real path? ndmctl runs this; see ndmctl-bench(8).

  options.py, target.py      what the user wants
  plan.py, campaign.py       which flow comes when; one after the other
  flow.py, tcp.py            one flow, its socket
  iperf3.py, ssh.py, https.py  far ends: each opens channels for flows
  machine.py                 this machine: what it is, what else it does
  results.py                 the file of a result, written and read
  stats.py, analysis.py      what follows from the flows
  report.py, page.py         in words, in pictures
"""
import json
import os
import signal
import sys
import time

import analysis
import machine
import report
import results
import tcp
from campaign import Campaign, Stopped
from options import Options
from plan import BASE, Plan
from target import Target
from words import FAILED, Problem, Speaker, shown

DEFAULT_ALGORITHMS = ("ndm_v5", "bbr")


def open_far_end(target, speaker):
    import far_ends
    return far_ends.open_far_end(target, speaker)


def choose_algorithms(options, speaker):
    """Those that were named must be there; of the default ones, those that are."""
    names = options.algorithms if options.algorithms is not None else DEFAULT_ALGORITHMS
    problem = tcp.why_not(BASE)
    if problem:
        raise problem
    chosen = []
    for name in names:
        problem = tcp.why_not(name) if name != BASE else None
        if problem and options.algorithms is not None:
            raise problem
        if problem:
            speaker.note("note: %s is left out: %s; %s" % (name, problem.cause, problem.hint))
        elif name != BASE:
            chosen.append(name)
    if not chosen and options.algorithms is None:
        raise Problem(FAILED, "there is no algorithm to compare with Cubic", "sudo ndmctl load; or name some: --algorithms reno", "algorithm")
    return chosen


def measure(options, speaker):
    target = Target(options.words[0])
    plan = Plan(choose_algorithms(options, speaker), options.blocks, options.seconds, options.budget_bytes, options.seed)
    if options.has("dry-run"):
        print_text("".join("would: %s\n" % shown(line) for line in report.plan_lines(plan, target)))
        return 0
    outputs = {name: results.Output(*options.file(name)) for name in ("output", "html") if options.has(name)}
    for output in outputs.values():
        output.try_it()
    if os.geteuid() == 0:
        speaker.note("note: bench needs no root")
    far_end = open_far_end(target, speaker)
    run = {"schema": results.SCHEMA, "command": "bench", "ndmctl": options.values.get("version"),
           "began": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "ended": "running", "warning": far_end.warning,
           "target": target.public_name(options.has("with-addresses")), "machine": machine.facts(), "plan": plan.as_json(),
           "sent_bytes": 0, "flows": []}
    unwritten = []

    def keep(campaign):
        """A disk that is full ends nothing: the report is still to come."""
        run.update(ended=campaign.ended.replace(" ", "-"), sent_bytes=campaign.spent_bytes, flows=campaign.flows)
        try:
            write(outputs, run)
            unwritten.clear()
        except Problem as problem:
            if not unwritten:
                speaker.problem(problem)
            unwritten.append(problem)
    try:
        for line in report.plan_lines(plan, target):
            speaker.note(line)
        campaign = Campaign(plan, far_end, speaker, keep)
        campaign.run()
    finally:
        far_end.close()
    return conclude(campaign, run, options, speaker) or (FAILED if unwritten else 0)


def write(outputs, run):
    """What follows from the flows, only when there will be no more: to compute it takes a moment, which a pause should not wait for."""
    is_over = run["ended"] != "running"
    if "output" in outputs:
        result = dict(run, paths=analysis.paths_of([run])) if is_over else run
        outputs["output"].write(json.dumps(result, separators=(",", ":")) + "\n")
    if "html" in outputs and is_over and run["flows"]:
        import page
        outputs["html"].write(page.page(analysis.paths_of([run]), [run]))


def conclude(campaign, run, options, speaker):
    if not any(flow["ok"] for flow in campaign.flows):
        if campaign.signal:
            return 128 + campaign.signal
        raise campaign.problem or Problem(FAILED, "no flow was measured: the budget is too small", "a larger --budget, or fewer --seconds")
    show(options, [run])
    if campaign.ended == "budget":
        speaker.note("note: the budget is spent after %d of %d flows" % (len(campaign.flows), campaign.plan.flows()))
    if campaign.problem:
        speaker.problem(campaign.problem)
        return FAILED
    return 128 + campaign.signal if campaign.signal else 0


def show(options, runs):
    paths = analysis.paths_of(runs)
    if options.has("json"):
        data = dict(runs[0], paths=paths) if not options.has("show") else {"schema": results.SCHEMA, "command": "bench", "paths": paths}
        print_text(json.dumps(data, separators=(",", ":")) + "\n")
    elif options.has("plain"):
        print_text(report.plain(paths))
    else:
        print_text(report.text(paths, runs))


def show_files(options):
    output = results.Output(*options.file("html")) if options.has("html") else None
    runs = [results.read(name) for name in options.words]
    if output and not options.has("dry-run"):
        import page
        output.write(page.page(analysis.paths_of(runs), runs))
    show(options, runs)
    return 0


def print_text(text):
    """Not by sys.stdout, which complains once more at the end of the program."""
    data = text.encode()
    try:
        while data:
            data = data[os.write(1, data):]
    except BrokenPipeError:
        sys.exit(128 + signal.SIGPIPE)
    except OSError:
        raise Problem(FAILED, "standard output cannot be written: it is closed, or its device is full", "df shows full devices") from None


def stop(number, _frame):
    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(each, signal.SIG_DFL)    # a second one ends it at once
    raise Stopped(number)


def main(words):
    speaker = Speaker("--quiet" in words)
    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(each) is not signal.SIG_IGN:    # as nohup has it
            signal.signal(each, stop)
    try:
        options = Options(words)
        return show_files(options) if options.has("show") else measure(options, speaker)
    except Problem as problem:
        speaker.problem(problem)
        return problem.code
    except Stopped as stopped:
        return 128 + stopped.number


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
