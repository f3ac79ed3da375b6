"""Count how much work a function does: the same number on every machine, however busy it is."""

import sys


def lines_run(function, *arguments):
    """Return how many lines of Python a call runs, counting each turn of a loop, and the call's result."""
    lines = 0

    def count(frame, event, argument):
        nonlocal lines
        lines += event == "line"
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        found = function(*arguments)
    finally:
        sys.settrace(before)
    return lines, found
