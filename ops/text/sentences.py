"""Sentence boundaries.

Belongs here: the sentence spans of running text, as offsets, and the decision at each full stop. Not here:
the words that it looks up (abbreviations.py), which lines are running text (ops/parse/papers/body.py), which
sentences are worth keeping (ops/parse/sentences.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from silverloom.ops.text import abbreviations as words

Span = tuple[int, int]

_FINAL = re.compile(r"[.!?:;\u2026][\"')\]\u2019\u201d]{0,3}\Z")
_BLANK_LINE = re.compile(r"\n[ \t\r]*\n\s*|\f\s*|\r[ \t]*\r\s*")

_NUMBERS = r"\d{1,3}(?:\s?[,\u2013-]\s?\d{1,3})*"
_NOTE = rf"\[(?:{_NUMBERS}|[a-z]|(?:note|nb|n) \d{{1,3}}|citation needed)\]"
#: Stands for each character of a mark that is attached to the sentence before it.
_ATTACHED = "\ue000"
_MARKS = re.compile(
    rf"(?<=[.!?\u2026\"')\]\u2019\u201d])(?:(?P<space>\s)|(?=[^\s\[(]))[\[(]?"
    rf"{_ATTACHED}+(?:[\s,;\u2013-]{{1,3}}{_ATTACHED}+)*[\])]?(?(space)(?=\s+[^\sa-z]|\s*\Z)|(?=\s|\Z))"
)
#: Final punctuation, perhaps as a spaced ellipsis, with the closing signs and the notes attached to it.
_STOP = re.compile(
    rf"(?P<stop>[.!?\u2026\u3002\uff01\uff1f]+(?:\s\.(?![\w.]))*)"
    rf"(?P<closing>[\"')\]}}\u2019\u201d\u00bb*_]{{0,5}})"
    rf"(?:{_NOTE})*{_ATTACHED}*(?P<raised>(?<=[a-z)\]\"\u201d.][.!?)\]\"\u201d]){_NUMBERS}(?=\s+[\"'(\u201c]?[A-Z]))?"
)
#: Citations after the full stop belong to the sentence before: "... is common. [10] In many fields ..."
_CITED = re.compile(
    rf"(?:,?\s(?:\[{_NUMBERS}\]|\((?:see )?[A-Z][^().]{{1,60}}\b(?:19|20)\d\d[a-z]?\)))+"
    r"(?:\.(?=\s|\Z))?(?=\s+[\"'(\u201c]?[A-Z]|\s*\Z)"
)
_NEXT = re.compile(
    r"\s*(?P<opening>[\"'(\[{\u201c\u2018\u00ab\u00bf\u00a1]*)(?P<word>\S{0,40})"
    r"(?:\s+(?P<second>\S{0,20}))?"
)
_INITIALS = re.compile(r"(?:-?[A-Za-z]{1,2}\.){1,6}-?[A-Za-z]{1,2}")
_LABEL = re.compile(r"(?:[a-z](?:[\u2013-][a-z])?|[ivx]{2,4})(?:[:.)]|\),)")
#: "... three goals: 1) to", "Steps: 1. Mix it."
_ITEM_INSIDE = re.compile(r":(?:1|\(?\d{1,2}\))|;\(?\d{1,2}\)")
_INITIAL = re.compile(r"(?:-?[A-Z]\.)+,?")
_NUMBERED = re.compile(
    r"[\u2022\u2043*(-]?\s?(?:\d{1,3}(?:\.\d{1,3})*|[A-Za-z]|[ivxIVX]{1,5})\)?|"
    r"(?:Fig(?:ure|\.)?|Table|Box|Scheme|Chapter|Section|Appendix|Step|Theorem|Lemma|Definition|Example)\s(?:[A-Z]|[A-Z]?\d{1,3}[a-z]?(?:\.\d{1,2})?)"
)
_ITEM = re.compile(r"(?<!\S)(?P<number>\d{1,2}|[a-z])(?P<sign>\.\)|[.)])\s(?=[A-Z])")
#: An item is part of a sentence after these.
_INSIDE = re.compile(r"(?:[,;]|\s(?:and|or))\s+\Z")
_BULLET = re.compile(r"[\u2022\u2043\u25cf\u25aa\u25e6\u2023](?<!\S.)(?=\s?\S)")
#: "... of research.We ask ...": the space is missing.
_GLUED = re.compile(r"(?P<word>[A-Z][a-z]{0,10}) [a-z]")
_DASH = re.compile(r"[\u2013\u2014-]+")
#: Of a word that is cut short, as those in names of journals: "Inf."
_CUT_WORD = re.compile(r"[A-Z][a-z]{2,8}\.")
#: The rest of such a name (ISO 4) behind one of its stops: "Process. Manag. 2011", "J. Oper. Res. and".
_NAME_REST = re.compile(
    r"(?P<words>(?:[A-Z][a-z]{0,9}\.?\s){0,5}[A-Z][a-z]{0,9}\.?)(?P<behind>\s(?:[A-Z]\s)?\d|[,;)]|\s[a-z])"
)
_SHORTENED = re.compile(r"[A-Z][a-z]{1,2}[^\Waeiouy\d_]")
_MIXED = re.compile(r"i(?:'\w+)?|[a-z]{1,6}-?[A-Z0-9][\w+/-]*|[\u03b1-\u03c9].*")
_JOINED, _SPACE, _VOWEL = re.compile(r"[\u2014:/]"), re.compile(r"\s*"), re.compile(r"[aeiouy]")
_OPENING = "\"'([{\u201c\u2018\u00ab*#"
_NO_START = frozenset(",;:.!?)]}%=<>\u2264\u2265\u00b1\u00d7/|&\u2019\u201d\u00bb~")
_FURTHEST = 48


def sentence_spans(text: str) -> list[Span]:
    """Return the sentences of `text` as (start, end), in order, without surrounding white space.

    Every character except white space is in exactly one span. At each full stop the words on its two sides
    decide. A blank line ends a sentence, unless the text goes on in lower case. The mark of a citation or a
    note after the full stop belongs to the sentence before, the number of an item to what follows. Time is
    linear.
    """
    return [span for block in _blocks(text) for span in _Block(text, *block).spans()]


def with_marks_attached(text: str, marks: Iterable[Span]) -> str:
    """Return a text of the same length in which these marks of notes and citations cannot open a sentence.

    A mark that follows a full stop ("carry.2,3 Cleaning ...") belongs to the sentence before it, unless there
    is a space between them and a word in lower case follows ("... carry. [2] shows").
    """
    characters = list(text)
    for start, end in marks:
        characters[start:end] = _ATTACHED * (end - start)
    marked = "".join(characters)
    pieces: list[str] = []
    done = 0
    for match in _MARKS.finditer(marked):
        pieces += text[done : match.start()], _ATTACHED * (match.end() - match.start())
        done = match.end()
    return "".join([*pieces, text[done:]])


def is_ended(text: str) -> bool:
    """Say whether `text` ends in final punctuation, a colon or a semicolon, perhaps before closing quotes."""
    return _FINAL.search(text) is not None


def goes_on(before: str, after: str) -> bool:
    """Say whether a sentence that was cut behind a full stop goes on: "... (cf." and "Fig. 3)."""
    before, after = before.rstrip()[-_FURTHEST:], after.lstrip()[: 2 * _FURTHEST]
    if not before.endswith(".") or not after:
        return False
    return all(end != len(before) for _, end in sentence_spans(f"{before} {after}"))


def _blocks(text: str) -> Iterator[Span]:
    """Yield the parts of a text between blank lines at which sentences end."""
    start = 0
    for gap in _BLANK_LINE.finditer(text):
        before, after = text[max(0, gap.start() - 5) : gap.start()], text[gap.end() : gap.end() + 1]
        if after.islower() and not is_ended(before):
            continue
        yield start, gap.start()
        start = gap.end()
    yield start, len(text)


@dataclass(frozen=True)
class _Block:
    """A part of a text in which sentences are looked for."""

    text: str
    start: int
    end: int

    def spans(self) -> Iterator[Span]:
        """Yield the sentences."""
        first = self.start
        for end in [*self._ends(), self.end]:
            sentence = self.text[first:end]
            if sentence.strip():
                left = first + len(sentence) - len(sentence.lstrip())
                yield left, first + len(sentence.rstrip())
            first = max(first, end)

    def _ends(self) -> Iterator[int]:
        """Yield the offsets at which a sentence ends and another one follows."""
        starts = self._marked_starts()
        place, first = 0, self._behind_space(self.start)
        for stop in _STOP.finditer(self.text, self.start, self.end):
            while place < len(starts) and starts[place] <= stop.start():
                first = starts[place]
                yield first
                place += 1
            end = self._end(first, stop)
            if end is not None:
                yield end
                first = self._behind_space(end)
        yield from starts[place:]

    def _behind_space(self, place: int) -> int:
        space = _SPACE.match(self.text, place, self.end)
        return space.end() if space else place

    def _marked_starts(self) -> list[int]:
        """Return where the items of a list begin."""
        first = self._behind_space(self.start)
        starts = [bullet.start() for bullet in _BULLET.finditer(self.text, first, self.end)]
        item = _ITEM.match(self.text, first, self.end)
        if item and item["number"] in ("1", "a"):
            for following in _ITEM.finditer(self.text, item.end(), self.end):
                follows = _order(following["number"]) == _order(item["number"]) + 1
                inside = _INSIDE.search(self.text[following.start() - 5 : following.start()])
                if follows and following["sign"] == item["sign"] and not inside:
                    starts.append(following.start())
                    item = following
        return sorted(starts)

    def _end(self, first: int, stop: re.Match[str]) -> int | None:
        """Return where the sentence from `first` ends at a full stop, or None if it goes on."""
        end = stop.end()
        if self._is_plain(stop):
            return end
        if not self.text[end : end + 1].isspace():
            return end if self._is_glued(stop) else None
        text = self.text
        if text[max(first, stop.start() - 1) : stop.start()] in ("[", "("):  # "[...]" and "(?)"
            return None
        before = text[max(first, stop.start() - _FURTHEST) : stop.start()].rsplit(None, 3)[-3:]
        last = _JOINED.split(before[-1])[-1] if before else ""
        if stop["raised"]:
            return end if len(last) > 1 and last not in words.ABBREVIATIONS else None
        if text[self.start] != "[" and (cited := _CITED.match(text, end, self.end)):
            end = cited.end()  # at the start, a mark would begin an entry of a bibliography
        if _is_number_alone(text[first : stop.start()], stop):
            return None
        following = _NEXT.match(text, end, self.end)
        casual = text[first : first + 1].islower()
        return end if following and _Stop(stop, last, before[:-1], following, casual).ends() else None

    def _is_glued(self, stop: re.Match[str]) -> bool:
        """Say whether only the space between two sentences is missing: "of research.We ask"."""
        following = _GLUED.match(self.text, stop.end(), self.end)
        if following is None or following["word"] not in words.STARTERS or stop["closing"]:
            return False
        before = self.text[max(self.start, stop.start() - 3) : stop.start()]
        return (before.isalpha() and before.islower() and len(before) == 3) or before[-1:] in (")", "]")

    def _is_plain(self, stop: re.Match[str]) -> bool:
        """Say whether a full stop is of the common kind, which needs no closer look: "... words. The ..."."""
        text, start, end = self.text, stop.start(), stop.end()
        if stop[0] != "." or text[end : end + 1] != " " or not text[end : end + 3].istitle():
            return False
        last = text[text.rfind(" ", max(self.start, start - _FURTHEST), start) + 1 : start]
        return len(last) > 3 and last.isalpha() and last.islower() and last not in words.ABBREVIATIONS


def _order(number: str) -> int:
    return int(number) if number.isdecimal() else ord(number)


def _is_number_alone(sentence: str, stop: re.Match[str]) -> bool:
    """Say whether a sentence would be the number of an item, a heading or a figure: "1." or "Figure 3."."""
    return len(sentence) < 20 and stop["stop"] == "." and _NUMBERED.fullmatch(sentence) is not None


class _Stop:
    """A full stop with the words on its two sides."""

    def __init__(
        self, stop: re.Match[str], last: str, before: list[str], following: re.Match[str], casual: bool
    ) -> None:
        """Take the stop, the word before it and the words before that, what follows, and whether the sentence
        begins in lower case."""
        self._casual = casual
        self._sign, self._closing = stop["stop"], stop["closing"]
        self._spaced = stop.string[stop.start() - 1 : stop.start()].isspace()
        self._last = last.lstrip(_OPENING)
        self._opened = last[:1] in _OPENING and last[:1] != ""
        self._before = before[-1] if before else ""
        self._farther = before[-2] if len(before) > 1 else ""
        self._text, self._start = following.string, following.start("word")
        self._opening, self._word = following["opening"], following["word"]
        self._second = following["second"] or ""
        if dash := _DASH.match(self._word):
            rest = self._word[dash.end() :]
            self._word, self._second = (rest, self._second) if rest else (self._second, "")
        self._bare = self._word.rstrip(",;:.!?)]'\"\u2019\u201d").replace("\u2019", "'")

    def ends(self) -> bool:
        """Say whether a sentence ends here."""
        kind = self._kind()
        if kind == "no" or _ITEM_INSIDE.fullmatch(f"{self._before[-1:]}{self._last}"):
            return False
        if self._sign != ".":
            ellipsis = self._spaced and self._sign in ("..", "...", ". . .", "\u2026")
            ellipsis = ellipsis and (not self._is_starter() or self._bare.startswith("I"))
            begins = kind != "lower" or (self._casual and not self._closing and set(self._sign) <= set("!?"))
            return begins and not ellipsis and not self._is_name_or_speech()
        if kind == "lower":
            return self._before_lower()
        if kind == "number":
            if self._is_measure():
                return self._last not in words.FOLLOWED_BY_NUMBERS
            return self._last == "etc" or not (self._is_abbreviation() or self._is_shortened())
        return self._before_capital()

    def _kind(self) -> str:
        """Return what follows: a "capital" (or sign), "lower" case, a "number", or what is "no" beginning."""
        sign = self._word[:1]
        if not sign:
            return "capital" if self._opening else "no"
        if sign.islower():
            label = self._opening == "(" and _LABEL.match(self._word)
            begins = label or self._opening == "[" or _MIXED.fullmatch(self._bare)
            return "capital" if begins else "lower"
        if sign.isdigit() or sign == "#":
            return "number"
        return "no" if sign in _NO_START else "capital"

    def _is_abbreviation(self) -> bool:
        last = self._last
        return (
            last in words.ABBREVIATIONS
            or (len(last) == 1 and last.isalpha() and not self._spaced)
            or _INITIALS.fullmatch(last) is not None
            or (last.isalpha() and not _VOWEL.search(last.lower()) and last[1:].islower())
        )

    def _is_starter(self) -> bool:
        """Say whether the next word begins sentences; in "A. Smith" the letter is an initial."""
        return self._bare in words.STARTERS and not (len(self._bare) == 1 and self._word[1:2] == ".")

    def _is_measure(self) -> bool:
        return self._last in words.UNITS and self._before[-1:].isdigit()

    def _is_name_or_speech(self) -> bool:
        """Say whether what follows belongs to a name ("Yahoo! Inc.") or a quotation ("Stop!" Jo cried)."""
        if words.is_in_name(self._last + self._sign, self._bare):
            return True
        if not self._closing.endswith(('"', "\u201d", "'", "\u2019")):
            return False
        if self._opening:  # a title and its year: "Alive!" (1975)
            return self._sign != "." and self._opening[0] == "("
        return self._second.rstrip(",.") in words.SPEECH

    def _before_lower(self) -> bool:
        last = self._last
        if self._closing or (self._is_abbreviation() and not self._is_measure()):
            return False
        if _LABEL.fullmatch(self._word):
            return True
        if self._opening or self._is_measure():
            return False
        plain = last.isalpha() and (last.islower() or not self._before)
        return (plain and (len(last) > 2 or last.lower() in words.SHORT)) or last[-1:] in (")", "]")

    def _before_capital(self) -> bool:
        last = self._last
        starter = self._is_starter()
        if self._is_measure() or last == "etc" or (last == "No" and not self._before):
            return ")" not in self._closing
        if last in words.NEVER:
            return False
        if len(last) == 1 and last.isalpha():
            return self._after_letter(starter)
        if _INITIALS.fullmatch(last):
            if last.lower() in ("a.m", "p.m"):
                return self._bare not in words.AFTER_TIME
            return starter and ")" not in self._closing
        if last in words.REFERENCES or last in words.COUNTED:
            if any(map(str.isdigit, self._bare)):
                return False
            return last in words.COUNTED or (starter and len(self._bare) > 1)
        if last in words.COMMON:
            return starter and ")" not in self._closing and not self._has_name_behind()
        if self._opened and ")" in self._closing:  # the author of a name: "Quercus petraea (Matt.) Liebl."
            return starter
        return not (self._is_name_or_speech() or self._is_in_run())

    def _is_shortened(self) -> bool:
        """Say whether the last word is like an abbreviation before a number: "Asm. 2", "Syst. 2010"."""
        last = self._last
        if not (last.istitle() and last.isalpha() and self._before) or self._closing:
            return False
        return _SHORTENED.fullmatch(last) is not None or self._follows_abbreviation()

    def _is_in_run(self) -> bool:
        """Say whether the stop is within the name of a journal (ISO 4): "Neural Inf. Process. Syst."."""
        titled = self._last.istitle() and self._last[-1].isalpha()
        counts = words.is_count(self._word, self._second) and not self._before.endswith(".")
        if self._closing or counts or not titled:
            return False
        if self._has_name_behind():
            return True
        if self._last in words.STARTERS or not _CUT_WORD.match(self._word):
            return False
        around = (self._farther, self._before, self._word, self._second)
        known = any(word.rstrip(".,;").lower() in words.COMMON for word in around if _CUT_WORD.match(word))
        return known or self._follows_abbreviation()

    def _has_name_behind(self) -> bool:
        """Say whether words follow of which some are cut, up to a number; or cut ones up to lower case."""
        rest = _NAME_REST.match(self._text, self._start)
        if rest is None:
            return False
        parts = rest["words"].split()
        if any(len(part) > 2 and part.rstrip(".") in words.NOT_OF_JOURNALS for part in parts):
            return False
        initial = _INITIAL.fullmatch(self._before) is not None
        follows = self._follows_abbreviation() or (initial and self._last in words.COMMON)
        if parts[0] in words.STARTERS and not (follows and len(parts[0]) == 1):
            return False
        cut = [part for part in parts if part.endswith(".")]
        if rest["behind"][-1].isdigit():
            return follows or len(cut) > 0
        if cut[-1:] != parts[-1:] or all(len(part) == 2 for part in cut):
            return False
        return len(cut) > 1 or ((follows or initial) and cut == parts)

    def _follows_abbreviation(self) -> bool:
        """Say whether the word before the last one is cut, too, within the same sentence."""
        return _CUT_WORD.fullmatch(self._before) is not None and self._before[:-1] not in words.NEVER

    def _after_letter(self, starter: bool) -> bool:
        """Say whether a sentence ends in a letter: "kinase A. The cell", but "by J. Smith"."""
        before = self._before.lstrip(_OPENING)
        if not before or self._opened or _INITIAL.fullmatch(self._word) or self._second == "et":
            return False
        if self._spaced:
            return True
        if self._last.islower():
            return self._last != "v" or starter
        numbered = before[-1:].isdigit() and self._last not in "NESW"  # "2100 W. Franklin Street"
        if starter or numbered or before.lower() in words.LABELS:
            return True
        if self._last == "I" and before in words.BEFORE_I:
            return True
        listed = before in ("and", "or", "to", "&") and len(self._farther.strip(",(")) == 1
        return listed or words.is_labelled(before)
