# SPDX-License-Identifier: GPL-2.0
"""What is said, and how: errors with a cause and a hint, and text of others made safe for a terminal and for HTML."""
import html
import sys
import threading

# As in ndmctl(8), EXIT STATUS.
FAILED, USAGE, UNSUPPORTED = 1, 2, 5


class Problem(Exception):
    """An error for the user. `kind` is one word for a stored result, which has no addresses and no words of the far end."""

    def __init__(self, code, cause, hint, kind="failed"):
        super().__init__(cause)
        self.code, self.cause, self.hint, self.kind = code, cause, hint, kind


def shown(text, most=200):
    """Printable ASCII only, so that no name or answer of others moves the cursor, changes colours or forges a line."""
    out = "".join(char if " " <= char <= "~" else "\\u%04x" % ord(char) for char in str(text)[:most])
    return out + ("..." if len(str(text)) > most else "")


def escaped(text):
    """For HTML and SVG."""
    return html.escape(shown(text, 2000))


class Speaker:
    """Notes and progress go to standard error; that it is closed stops nothing."""

    def __init__(self, quiet=False):
        self.quiet = quiet
        self.on_terminal = sys.stderr is not None and sys.stderr.isatty()
        self.open_line = False
        self.lock = threading.RLock()    # what ssh says comes from a thread of its own

    def say(self, text):
        try:
            with self.lock:
                if self.open_line:
                    sys.stderr.write("\r\x1b[K")
                    self.open_line = False
                sys.stderr.write(text + "\n")
                sys.stderr.flush()
        except (OSError, ValueError, AttributeError):
            pass

    def note(self, text):
        if not self.quiet:
            self.say(shown(text, 2000))

    def warn(self, text):
        self.say("ndmctl: " + shown(text, 2000))

    def problem(self, problem):
        self.warn(problem.cause)
        self.say("hint: " + shown(problem.hint, 2000))

    def progress(self, text):
        """A line that the next one replaces; nothing where there is no terminal."""
        if self.quiet or not self.on_terminal:
            return
        try:
            with self.lock:
                sys.stderr.write("\r" + shown(text, 150) + "\x1b[K")
                sys.stderr.flush()
                self.open_line = True
        except (OSError, ValueError):
            pass


def rate(bits_per_second):
    """Such as 9.42 Mbit/s."""
    for unit, factor in (("Gbit/s", 1e9), ("Mbit/s", 1e6), ("kbit/s", 1e3)):
        if bits_per_second >= factor:
            return "%.3g %s" % (bits_per_second / factor, unit) if bits_per_second < 999.5 * factor else \
                "%.0f %s" % (bits_per_second / factor, unit)
    return "%.0f bit/s" % bits_per_second


def size(count):
    """Bytes, such as 1.2 GB; powers of ten, as meters count."""
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= factor:
            return "%.1f %s" % (count / factor, unit)
    return "%d bytes" % count


def plural(number, noun):
    return "%d %s%s" % (number, noun, "" if number == 1 else "s")


def duration(seconds):
    """Such as 12 min 30 s."""
    seconds = int(round(seconds))
    if seconds < 60:
        return "%d s" % seconds
    if seconds < 3600:
        return "%d min %02d s" % divmod(seconds, 60)
    return "%d h %02d min" % (seconds // 3600, seconds % 3600 // 60)
