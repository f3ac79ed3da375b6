"""What a rule is, what it takes, and what it returns.

Belongs here: the rule, its result and its params; a parsed sentence as rules read it; a fusion example as in
the released dataset. Not here: the rules themselves, what they do to token lists (operations.py), writing a
token list as text (writing.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

from pydantic import Field

from silverloom.ops.core.params import Params
from silverloom.ops.coreference.links import Link
from silverloom.ops.discofuse.annotation import Annotation

#: The position of a token in its document, or a word that is not in the document.
Token: TypeAlias = int | str
TokenList: TypeAlias = list[Token]

DiscourseType: TypeAlias = Literal[
    "PAIR_ANAPHORA",
    "PAIR_CONN",
    "PAIR_CONN_ANAPHORA",
    "PAIR_NONE",
    "SINGLE_APPOSITION",
    "SINGLE_CATAPHORA",
    "SINGLE_CONN_INNER",
    "SINGLE_CONN_INNER_ANAPHORA",
    "SINGLE_CONN_START",
    "SINGLE_RELATIVE",
    "SINGLE_S_COORD",
    "SINGLE_S_COORD_ANAPHORA",
    "SINGLE_VP_COORD",
]

DISCOURSE_TYPES: tuple[DiscourseType, ...] = get_args(DiscourseType)


class FusionExample(NamedTuple):
    """A text and the two independent sentences that it was split into; space-tokenised, true-cased."""

    coherent_first_sentence: str
    coherent_second_sentence: str
    """Empty if the text is one sentence (SINGLE_*)."""
    incoherent_first_sentence: str
    incoherent_second_sentence: str
    discourse_type: DiscourseType
    connective_string: str
    """In lower case, with its comma: "however ,", ", but"; empty without a connective."""
    has_coref_type_pronoun: float
    has_coref_type_nominal: float


class Candidate(NamedTuple):
    """The result of one rule, or of two combined, for one text of a document, before any filter."""

    example: FusionExample
    fused_detokenised: str
    """The coherent text as in the document, on one line."""
    unfused_detokenised: str
    """The two incoherent sentences, with the document's spacing."""
    sentence: int
    """The index in the document, from 0; the first of two sentences."""
    rule: str
    """The name of the rule, "anaphora" or "control"; with "+anaphora" appended for a combination."""
    replaced: tuple[Link, ...]
    """The links whose mention was replaced by its antecedent."""

    @property
    def score(self) -> float | None:
        """The least score of the links that were used, None if no link was used."""
        return min((link.score for link in self.replaced), default=None)


SUBJECTS = frozenset({"nsubj", "nsubjpass", "csubj", "csubjpass", "expl"})
AUXILIARIES = frozenset({"aux", "auxpass"})
FINITE = frozenset({"VBD", "VBP", "VBZ", "MD"})
VERBS = frozenset({"VB", "VBD", "VBG", "VBN", "VBP", "VBZ"})
NAMES = frozenset({"NNP", "NNPS"})
NOUNS = NAMES | {"NN", "NNS"}
#: "who", "which", "whose", "where".
WH_WORDS = frozenset({"WDT", "WP", "WP$", "WRB"})
#: "The token SHOULD be hard to guess": taggers take these for nouns.
LOUD_MODALS = frozenset({"CAN", "COULD", "MAY", "MIGHT", "MUST", "SHALL", "SHOULD", "WILL", "WOULD"})
TIMES = frozenset({"DATE", "TIME"})
#: Fission-fusion has a dash in many texts.
_HYPHENS = frozenset({"-", "–"})
_NO_PART_OF_CLAUSES = frozenset({"punct", "cc"})
_NONE: tuple[int, ...] = ()
_BETWEEN_WORDS = "\x1f"


def in_one_line(text: str) -> str:
    """Return a text with each run of white space as one blank, and none at the ends."""
    plain = text.isprintable() and "  " not in text and text[:1] != " " and text[-1:] != " "
    return text if plain else " ".join(text.split())


class ParsedDocument:
    """An annotation of T tokens, and what the rules read in all its sentences."""

    __slots__ = ("annotation", "lower", "written")

    def __init__(self, annotation: Annotation) -> None:
        self.annotation = annotation
        #: T words in lower case.
        self.lower = _lowered(annotation.words)
        #: Twice T texts: each word, followed by a blank or nothing.
        self.written = [""] * (2 * len(self.lower))
        self.written[::2] = annotation.words
        self.written[1::2] = [" " if space else "" for space in annotation.spaces]


def _lowered(words: Sequence[str]) -> list[str]:
    """Return the words in lower case; all at once takes a fifth of the time of one by one."""
    lower = _BETWEEN_WORDS.join(words).lower().split(_BETWEEN_WORDS)
    return lower if len(lower) == len(words) else [word.lower() for word in words]


class ParsedSentence:
    """A span of a document, without white space at its ends; all positions are those in the document.

    Expensive properties are computed when first needed.
    """

    __slots__ = (
        "_children", "_root", "_running", "_text", "annotation", "before",
        "dependencies", "document", "end", "heads", "known", "links", "lower",
        "start", "tags", "words",
    )  # fmt: skip

    def __init__(
        self, document: ParsedDocument, start: int, end: int, before: ParsedSentence | None = None
    ) -> None:
        self.document = document
        self.annotation = annotation = document.annotation
        self.words, self.lower = annotation.words, document.lower
        self.tags, self.dependencies, self.heads = annotation.tags, annotation.dependencies, annotation.heads
        lower = self.lower
        while start < end and not lower[end - 1].strip():
            end -= 1
        while start < end and not lower[start].strip():
            start += 1
        self.start, self.end = start, end
        self.before = before
        self.links: Sequence[Link] = ()
        #: Results that several rules need, by the function that computes them.
        self.known: dict[Callable[..., Any], Any] = {}
        self._children: dict[int, list[int]] | None = None
        self._root = -1
        self._running: str | None = None
        self._text: str | None = None

    @property
    def root(self) -> int:
        """The head of the sentence; the first one if there are several."""
        if self._root < 0:
            self._root = self.start
            for at, head in enumerate(self.heads[self.start : self.end], self.start):
                if head == at:
                    self._root = at
                    break
        return self._root

    def text(self) -> str:
        """Return the sentence with a blank between tokens."""
        if self._text is None:
            text = " ".join(self.words[self.start : self.end])
            odd = not text.isascii() or "\n" in text or "\t" in text or "  " in text
            self._text = " ".join(text.split()) if odd else text
        return self._text

    def running(self) -> str:
        """Return the sentence as in the document, on one line."""
        if self._running is None:
            self._running = in_one_line("".join(self.document.written[2 * self.start : 2 * self.end - 1]))
        return self._running

    def positions(self, words: frozenset[str]) -> list[int]:
        """Return the positions of any of `words` (lower case)."""
        inside = enumerate(self.lower[self.start : self.end], self.start)
        return [at for at, word in inside if word in words]

    def tokens(self, start: int | None = None, end: int | None = None) -> TokenList:
        """Return the tokens from `start` up to, but not including, `end`."""
        return list(range(self.start if start is None else start, self.end if end is None else end))

    def children(self, token: int) -> Sequence[int]:
        """Return the dependents of a token in this sentence, from left to right."""
        if self._children is None:
            children: dict[int, list[int]] = {}
            for at, head in enumerate(self.heads[self.start : self.end], self.start):
                if head == at:
                    continue
                if head in children:
                    children[head].append(at)
                else:
                    children[head] = [at]
            self._children = children
        return self._children.get(token, _NONE)

    def child(self, token: int, *labels: str) -> int | None:
        """Return the first dependent of `token` with one of these labels."""
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
        """Return the subject of a verb, which may be an expletive "there". Parsers sometimes attach it to the
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
        """Return the auxiliaries before a verb."""
        return [at for at in self.children(verb) if self.dependencies[at] in AUXILIARIES]

    def is_finite(self, verb: int) -> bool:
        """Return whether a verb or its first auxiliary is finite. A participle with a subject but no
        auxiliary counts as past tense, because taggers often confuse the two.
        """
        auxiliaries = self.auxiliaries(verb)
        if auxiliaries:
            return self.tags[auxiliaries[0]] in FINITE or (
                self.tags[verb] in FINITE and self.tags[auxiliaries[0]] != "TO"
            )
        tag = self.tags[verb]
        return tag in FINITE or (tag in ("VBN", "VB") and self.subject(verb) is not None)

    def is_clause(self, verb: int) -> bool:
        """Return whether `verb` is finite and has a subject."""
        return self.subject(verb) is not None and self.is_finite(verb)

    def head_of(self, start: int, end: int) -> int | None:
        """Return the only token of a span whose head is outside it, or None unless there is exactly one;
        punctuation and conjunctions are ignored."""
        top = None
        for at, head in enumerate(self.heads[start:end], start):
            if head == at or not start <= head < end:
                if self.dependencies[at] in _NO_PART_OF_CLAUSES:
                    continue
                if top is not None:
                    return None
                top = at
        return top

    def verb_group(self, verb: int) -> int:
        """Return the token that carries a verb's tense: its first auxiliary, or the verb."""
        auxiliaries = self.auxiliaries(verb)
        return auxiliaries[0] if auxiliaries and self.tags[verb] not in ("VBD", "VBP", "VBZ") else verb

    def is_stranded(self, end: int) -> bool:
        """Return whether a preposition without a noun directly precedes `end`: "what he asked for"."""
        last = end - 1
        return (
            last > self.start
            and self.dependencies[last] == "prep"
            and self.tags[last] in ("IN", "TO")
            and not self.children(last)
            and self.dependencies[self.heads[last]]
            not in ("relcl", "acl", "ccomp", "pcomp", "advcl", "xcomp")
        )

    def continues_word(self, token: int) -> bool:
        """Return whether a hyphen ties a token in the sentence to the one before: "grown" of "home-grown"."""
        hyphen = token - 1
        if not self.start < hyphen < self.end - 1:
            return False
        torn = self.lower[hyphen] in _HYPHENS and not self.annotation.spaces[hyphen]
        return torn or self.tags[hyphen] == "HYPH"


RuleName = Literal[
    "Discourse connective",
    "Anaphora",
    "Forward connective",
    "Inner connective",
    "Cataphora",
    "Sentence coordination",
    "Verb phrase coordination",
    "Relative clause",
    "Apposition",
]


FinalRelatives: TypeAlias = Literal["none", "sure", "all"]
Faithfulness: TypeAlias = Literal["strict", "released"]


class RuleParams(Params, section="discofuse.rules"):
    """When a rule applies."""

    profile: Faithfulness = "strict"
    """"released" also splits what the authors' data splits but a careful builder would not: links may be less
    certain, clauses may be fragments, and text between commas may be about another noun."""
    pronoun_score: float = Field(default=0.8, ge=0, le=1)
    """Least score of a link for replacing a pronoun."""
    thing_score: float = Field(default=0.8, ge=0, le=1)
    """The same for "it" and "they", whose scores are less reliable; `pronoun_score` also applies to them."""
    subject_score: float = Field(default=0.8, ge=0, le=1)
    """The same for "he" and "she" as a subject whose antecedent is the subject of the first sentence."""
    thing_subject_score: float = Field(default=0.5, ge=0, le=1)
    """The same for "it" and "they"."""
    continued_score: float = Field(default=0.4, ge=0, le=1)
    """The same for "he" and "she" where all such pronouns before it surely refer to the same person."""
    name_score: float = Field(default=0.85, ge=0, le=1)
    """Least score for "he" and "she" to refer to a one-word name that was tagged as a place."""
    nominal_score: float = Field(default=0.8, ge=0, le=1)
    """Least score for replacing a nominal ("the team")."""
    final_relatives: FinalRelatives = "sure"
    """Which relative clauses with "which" at a sentence's end are split, where "which" may refer to the whole
    sentence: those that are surely about a noun, all that the verb does not exclude, or none."""
    connective_within: int = Field(default=5, ge=1, json_schema_extra={"paper": "5"})
    """A discourse connective begins within this many first tokens of the second sentence (Table 14: 5)."""
    conjunct_within: int = Field(default=5, ge=1, json_schema_extra={"paper": "5"})
    """The verb of a second conjunct is at most this many tokens after its conjunction (Table 14: 5)."""
    clause_within: int | None = Field(default=None, ge=1, json_schema_extra={"paper": "5"})
    """The same for a clause with its own subject (Table 14: 5); null: its subject is near. 5 loses 13 %."""


class RuleResult(NamedTuple):
    """The result of a rule for a text."""

    first: TokenList
    second: TokenList
    connective: str = ""
    """As in the released data: lower case, with its comma; empty without a connective."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A phenomenon: how to detect it in a text, and the operations that remove it.

    A rule for pairs gets the second sentence, whose `before` is the first one.
    """

    name: str
    row: RuleName
    """The row of the paper's Table 14."""
    discourse_type: DiscourseType
    detect: Callable[[ParsedSentence, RuleParams], Iterator[Any]]
    """Yields a match for every place where the rule applies; it alone decides this."""
    apply: Callable[[ParsedSentence, Any], RuleResult | None]
    """Carries out the operations for one match; None if they give no sentence."""
    triggers: frozenset[str] = frozenset()
    """A text without any of these lower-case words cannot match; empty: any text may match."""
    with_anaphora: DiscourseType | None = None
    """The type if the anaphora rule also applies; None if the paper does not combine them."""
    of_pairs: bool = False
