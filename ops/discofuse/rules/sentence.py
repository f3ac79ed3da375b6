"""One sentence of an annotation, as the rules ask about it: clauses, subjects, edges of subtrees.

Belongs here: questions about the parse of one sentence. Not here: any rule, forms of words (morphology.py).
"""

from __future__ import annotations

from collections.abc import Sequence

from ops.discofuse.build.annotation import Annotation
from ops.discofuse.rules.operations import TokenList

SUBJECTS = frozenset({"nsubj", "nsubjpass", "csubj", "csubjpass", "expl"})
AUXILIARIES = frozenset({"aux", "auxpass"})
FINITE = frozenset({"VBD", "VBP", "VBZ", "MD"})
VERBS = frozenset({"VB", "VBD", "VBG", "VBN", "VBP", "VBZ"})
NAMES = frozenset({"NNP", "NNPS"})
NOUNS = NAMES | {"NN", "NNS"}
#: "who", "which", "whose", "where".
WH_WORDS = frozenset({"WDT", "WP", "WP$", "WRB"})
#: Types of entities.
TIMES = frozenset({"DATE", "TIME"})
_NO_PART_OF_CLAUSES = frozenset({"punct", "cc"})


class ParsedSentence:
    """A span of an annotation, without white space at its ends; all positions are the document's.

    `lower` holds the document's words in small letters. What costs time is found when it is asked for.
    """

    __slots__ = (
        "_children", "_positions", "_root", "_text", "annotation",
        "before", "dependencies", "end", "heads", "lower",
        "start", "tags", "words",
    )  # fmt: skip

    def __init__(
        self,
        annotation: Annotation,
        lower: Sequence[str],
        start: int,
        end: int,
        before: ParsedSentence | None = None,
    ) -> None:
        self.annotation = annotation
        self.words, self.lower = annotation.words, lower
        self.tags, self.dependencies, self.heads = annotation.tags, annotation.dependencies, annotation.heads
        while start < end and not lower[end - 1].strip():
            end -= 1
        while start < end and not lower[start].strip():
            start += 1
        self.start, self.end = start, end
        self.before = before
        self._children: list[list[int]] | None = None
        self._positions: dict[frozenset[str], list[int]] = {}
        self._root = -1
        self._text: str | None = None

    @property
    def root(self) -> int:
        """The head of the sentence, the first where there are several."""
        if self._root < 0:
            heads = self.heads
            self._root = next((at for at in range(self.start, self.end) if heads[at] == at), self.start)
        return self._root

    def text(self) -> str:
        """Return the sentence with a blank between two tokens."""
        if self._text is None:
            text = " ".join(self.words[self.start : self.end])
            odd = not text.isascii() or "\n" in text or "\t" in text or "  " in text
            self._text = " ".join(text.split()) if odd else text
        return self._text

    def positions(self, words: frozenset[str]) -> list[int]:
        """Return where any of `words` (small letters) stands; several rules ask for the same."""
        found = self._positions.get(words)
        if found is None:
            lower = self.lower
            found = self._positions[words] = [at for at in range(self.start, self.end) if lower[at] in words]
        return found

    def tokens(self, start: int | None = None, end: int | None = None) -> TokenList:
        """Return the tokens from `start` to before `end`."""
        return list(range(self.start if start is None else start, self.end if end is None else end))

    def children(self, token: int) -> list[int]:
        """Return what depends on a token of this sentence, from left to right."""
        if self._children is None:
            start, end, heads = self.start, self.end, self.heads
            self._children = [[] for _ in range(end - start)]
            for at in range(start, end):
                head = heads[at]
                if head != at and start <= head < end:
                    self._children[head - start].append(at)
        return self._children[token - self.start]

    def child(self, token: int, *labels: str) -> int | None:
        """Return the first token that depends on `token` by one of `labels`."""
        return next((at for at in self.children(token) if self.dependencies[at] in labels), None)

    def left(self, token: int) -> int:
        """Return the first token of the subtree of `token`."""
        while (children := self.children(token)) and children[0] < token:
            token = children[0]
        return token

    def right(self, token: int) -> int:
        """Return the last token of the subtree of `token`."""
        while (children := self.children(token)) and children[-1] > token:
            token = children[-1]
        return token

    def subject(self, verb: int) -> int | None:
        """Return the subject of a verb ("there" where it stands for one), which parsers at times hang on its
        auxiliary."""
        dependencies = self.dependencies
        auxiliary = None
        for at in self.children(verb):
            if dependencies[at] in SUBJECTS:
                return at
            if dependencies[at] in AUXILIARIES and auxiliary is None:
                auxiliary = at
        return None if auxiliary is None else self.child(auxiliary, *SUBJECTS)

    def auxiliaries(self, verb: int) -> list[int]:
        """Return a verb's auxiliaries before it."""
        return [at for at in self.children(verb) if self.dependencies[at] in AUXILIARIES]

    def is_finite(self, verb: int) -> bool:
        """Tell whether a verb or its first auxiliary is finite; a participle with a subject alone is taken
        for a past tense, which a tagger often confuses with it.
        """
        auxiliaries = self.auxiliaries(verb)
        if auxiliaries:
            return self.tags[auxiliaries[0]] in FINITE or (
                self.tags[verb] in FINITE and self.tags[auxiliaries[0]] != "TO"
            )
        tag = self.tags[verb]
        return tag in FINITE or (tag in ("VBN", "VB") and self.subject(verb) is not None)

    def is_clause(self, verb: int) -> bool:
        """Tell whether `verb` is finite and has a subject."""
        return self.subject(verb) is not None and self.is_finite(verb)

    def head_of(self, start: int, end: int) -> int | None:
        """Return the one token of a part whose head is not in it, None where there are none or several.

        Punctuation and conjunctions do not count.
        """
        found = None
        heads, dependencies = self.heads, self.dependencies
        for at in range(start, end):
            head = heads[at]
            if (head == at or not start <= head < end) and dependencies[at] not in _NO_PART_OF_CLAUSES:
                if found is not None:
                    return None
                found = at
        return found

    def verb_group(self, verb: int) -> int:
        """Return the token that carries a verb's tense: its first auxiliary, or itself."""
        auxiliaries = self.auxiliaries(verb)
        return auxiliaries[0] if auxiliaries and self.tags[verb] not in ("VBD", "VBP", "VBZ") else verb

    def noun_phrase_before(self, noun: int, end: int) -> int | None:
        """Return where the noun phrase of `noun` begins if it ends right before `end`, else None."""
        last = noun
        for at in self.children(noun):
            if noun < at < end:
                last = self.right(at)
        return self.left(noun) if last == end - 1 else None
