# SPDX-License-Identifier: GPL-2.0
"""The options that ndmctl hands over: its grammar has checked their names, this their values."""
import os
import re

from words import USAGE, Problem, shown

NAME = re.compile(r"[a-z0-9][a-z0-9_.-]{0,14}")    # TCP_CA_NAME_MAX
WORDS_WITHOUT_VALUE = ("json", "plain", "quiet", "show", "dry-run", "with-addresses")
WORDS_WITH_VALUE = ("version", "algorithms", "blocks", "seconds", "budget", "seed", "output", "html")


class Options:
    def __init__(self, words):
        self.values, self.words = {}, []
        for position, word in enumerate(words):
            if word == "--":
                self.words = words[position + 1:]
                break
            name, equals, value = word[2:].partition("=")
            if name not in (WORDS_WITH_VALUE if equals else WORDS_WITHOUT_VALUE):
                raise Problem(USAGE, "bench: unknown option %s" % shown(word), "ndmctl help bench")
            self.values[name] = value if equals else True
        if not self.has("show"):
            self.blocks = self.whole("blocks", 8, 1, 200)
            self.seconds = self.whole("seconds", 20, 1, 600)
            self.seed = self.whole("seed", None, 0, 2 ** 31 - 1)
            budget_mb = self.whole("budget", None, 1, 10 ** 7)
            self.budget_bytes = None if budget_mb is None else budget_mb * 10 ** 6
            self.algorithms = self.names()
            self.refuse_one_file_for_two()
            if len(self.words) != 1:
                raise Problem(USAGE, "bench: TARGET is missing" if not self.words else "bench: one word too many: '%s'" % shown(self.words[1], 60),
                              "ndmctl bench iperf3://HOST; ndmctl help bench")
        else:
            if not self.words:
                raise Problem(USAGE, "bench --show: FILE is missing", "ndmctl bench --show FILE ...")
            for name in ("algorithms", "blocks", "seconds", "seed", "budget", "output", "with-addresses"):
                if self.has(name):
                    raise Problem(USAGE, "bench: --show and --%s exclude each other: nothing is measured" % name, "ndmctl bench --show FILE ...")

    def has(self, name):
        return name in self.values

    def whole(self, name, default, least, most):
        text = self.values.get(name)
        if text is None:
            return default
        if not re.fullmatch(r"[0-9]{1,12}", text) or not least <= int(text) <= most:
            raise Problem(USAGE, "--%s: '%s' is no number from %d to %d" % (name, shown(text, 30), least, most), "ndmctl help bench")
        return int(text)

    def names(self):
        """None: those that are there."""
        text = self.values.get("algorithms")
        if text is None:
            return None
        names = text.split(",")
        for name in names:
            if not NAME.fullmatch(name):
                raise Problem(USAGE, "--algorithms: '%s' is no name of an algorithm" % shown(name, 30), "names with commas between: --algorithms ndm_v5,bbr")
        return list(dict.fromkeys(names))

    def file(self, name):
        """Of --output and --html, which ndmctl passes as DESCRIPTOR:NAME: an open directory, and the name in it."""
        text = self.values.get(name)
        if text is None:
            return None
        fd, _, file = text.partition(":")
        return int(fd), file

    def refuse_one_file_for_two(self):
        files = [self.file(name) for name in ("output", "html") if self.has(name)]
        if len(files) == 2 and files[0][1] == files[1][1] and os.path.sameopenfile(files[0][0], files[1][0]):
            raise Problem(USAGE, "--output and --html name the same file", "--output result.json --html page.html")
