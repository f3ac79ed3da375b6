"""How much work a function does, counted: the same on every machine, however busy it is."""

import sys


def lines_run(function, *arguments):
    """How many lines of Python run meanwhile, each turn of a loop anew, and what the function returns."""
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
