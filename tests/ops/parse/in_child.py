"""Functions for a bounded child: normal ones, excessive ones, and some that behave like no parser."""

import os
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from silverloom.ops.parse.bounded.messages import ChildMessage, send
from silverloom.ops.parse.decoding import json_value
from silverloom.ops.parse.papers.xml_tree import root_of
from silverloom.ops.parse.source import ParseError, Raw


def same(value) -> Any:
    return value


def process() -> int:
    return os.getpid()


def spin() -> int:
    while True:
        pass


def sleep() -> int:
    time.sleep(60)


def grow() -> int:
    return len(bytearray(2**30))


def nest(depth=0) -> int:
    return nest(depth + 1)


def large() -> str:
    return "x" * 2**21


def crash() -> int:
    os.kill(os.getpid(), signal.SIGSEGV)


def refuse() -> int:
    raise ParseError("line 3: it is odd")


def fail() -> int:
    return {}["missing"]


def lies() -> int:
    return "one"


def half() -> str:
    return "\ud800"


def fill_json() -> int:
    return len(json_value(b"[" + b'{"a":1},' * 2_000_000 + b"1]"))


def fill_xml() -> int:
    return len(root_of(b"<a>" + b"<b/>" * 4_000_000 + b"</a>", "a"))


def abort() -> int:
    os.abort()


class Place(NamedTuple):
    name: str
    at: float | None = None


@dataclass(frozen=True)
class Places:
    text: str
    found: tuple[Place, ...]
    by_name: Mapping[str, Sequence[Place]]


def half_within() -> Places:
    return Places("a\nb\udfff", (), {})


def places() -> Places:
    found = (Place("é\x00", 0.1 + 0.2), Place(""))
    return Places("\u202e", found, {"all": list(found)})


def answers(*messages: ChildMessage) -> int:
    """Misbehave: send forged messages in the name of the child."""
    frame = sys._getframe()
    while "stream" not in frame.f_locals:
        frame = frame.f_back
    for message in messages:
        send(frame.f_locals["stream"], message)
    time.sleep(60)


class Evil:
    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


def digests(first: Raw, second: Raw) -> list[str]:
    return [first.md5, second.md5]
