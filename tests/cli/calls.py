# SPDX-License-Identifier: GPL-2.0
"""calls.py LIB: what each file of ndmctl/lib uses of others, functions and global variables: lines "FILE OTHER". A function counts
that is called, or handed on by its name; words in texts and comments do not."""
import collections
import pathlib
import re
import sys


def without_texts(line):
    """The line without comments and quoted texts; what $(...) runs in double quotes stays, and the variables that these name."""
    line = re.sub(r"(^|\s)#.*", "", re.sub(r"'[^']*'", "''", line))

    def rest(text):
        return " ".join(re.findall(r"\$\([^)]*\)|\$\{?[#!]?[A-Z][A-Z_0-9]*", text.group())) or '""'
    return re.sub(r'"[^"]*"', rest, line)


lib = pathlib.Path(sys.argv[1])
text = {str(path.relative_to(lib))[:-3]: path.read_text() for path in sorted(lib.glob("*/*.sh"))}
home = {}
for file, code in text.items():
    for name in re.findall(r"^([a-z_0-9]+)\(\) \{", code, re.M) + re.findall(r"^(?:declare -gA )?(?=[A-Z])(.*)", code, re.M):
        names = [name] if re.fullmatch("[a-z_0-9]+", name) else re.findall(r"(?:^| )([A-Z][A-Z_0-9]*)=", name)
        for each in names:
            if home.setdefault(each, file) != file:
                print("twice", each)
uses = collections.defaultdict(set)
for file, code in text.items():
    code = re.sub(r"awk [^\n]*'\n.*?\n\t*[^\n']*'", "awk", code, flags=re.S)    # programs of awk
    for line in code.split("\n"):
        line = re.sub(r"\bneeds( [a-z]+/[a-z_-]+)+", "", without_texts(line))
        for word in re.findall(r"(?<![\w/.$-])(?<!found )[a-z_][a-z_0-9]*(?![\w/.=-])", line) + re.findall(r"\$\{?[#!]?([A-Z][A-Z_0-9]+)|(?<![\w$])([A-Z][A-Z_0-9]+)(?:\+?=|\[)", line):
            word = "".join(word)
            if home.get(word, file) != file:
                uses[file, home[word]].add(word)
for (file, other), words in sorted(uses.items()):
    print(file, other, *sorted(words) if "-v" in sys.argv else "")
