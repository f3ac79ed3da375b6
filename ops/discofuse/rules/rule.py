"""What a rule is, what it works on, and what it makes.

Belongs here: the rule, its outcome and its knobs; a parsed sentence as rules read it; the five operations
upon token lists that every rule is made of (Geva et al. 2019, Table 13); a fusion example as the released
dataset has it. Not here: the rules themselves, writing a token list as text (writing.py).

Positions count from 0 here, from 1 in the paper; no list is changed in place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

from pydantic import Field

from ops.core.params import Params
from ops.coreference.links import Link
from ops.discofuse.annotation import Annotation

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
    """A text and the two independent sentences that it was un-fused into; space-tokenised, true-cased."""

    coherent_first_sentence: str
    coherent_second_sentence: str
    """Empty where the text is one sentence (SINGLE_*)."""
    incoherent_first_sentence: str
    incoherent_second_sentence: str
    discourse_type: DiscourseType
    connective_string: str
    """In small letters, with its comma: "however ,", ", but"; empty where there is none."""
    has_coref_type_pronoun: float
    has_coref_type_nominal: float


class Candidate(NamedTuple):
    """What one rule, or a combination of two, makes of one text of a document, before any filter."""

    example: FusionExample
    fused_detokenised: str
    """The coherent text as it stands in the document, in one line."""
    unfused_detokenised: str
    """The two incoherent sentences, with blanks where the document has them."""
    sentence: int
    """Of the document, from 0; the first of two."""
    rule: str
    """The name of the rule that split, "anaphora" or "control"; "+anaphora" behind it for a combination."""
    replaced: tuple[Link, ...]
    """The links whose mention was replaced by its antecedent."""

    @property
    def score(self) -> float | None:
        """The least score of the links that were used, None where none was."""
        return min((link.score for link in self.replaced), default=None)


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
_NONE: tuple[int, ...] = ()


def in_one_line(text: str) -> str:
    """Return a text with one blank for all white space in a row, and none around it."""
    plain = text.isprintable() and "  " not in text and text[:1] != " " and text[-1:] != " "
    return text if plain else " ".join(text.split())


class ParsedSentence:
    """A span of an annotation, without white space at its ends; all positions are the document's.

    `lower` holds the document's words in small letters. What costs time is found when it is asked for.
    """

    __slots__ = (
        "_children", "_positions", "_root", "_running", "_text", "annotation",
        "before", "dependencies", "end", "heads", "known", "lower",
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
        #: What a rule found out that another asks for as well, by the function that finds it.
        self.known: dict[Callable[..., Any], Any] = {}
        self._children: dict[int, list[int]] | None = None
        self._positions: dict[frozenset[str], list[int]] = {}
        self._root = -1
        self._running: str | None = None
        self._text: str | None = None

    @property
    def root(self) -> int:
        """The head of the sentence, the first where there are several."""
        if self._root < 0:
            self._root = self.start
            for at, head in enumerate(self.heads[self.start : self.end], self.start):
                if head == at:
                    self._root = at
                    break
        return self._root

    def text(self) -> str:
        """Return the sentence with a blank between two tokens."""
        if self._text is None:
            text = " ".join(self.words[self.start : self.end])
            odd = not text.isascii() or "\n" in text or "\t" in text or "  " in text
            self._text = " ".join(text.split()) if odd else text
        return self._text

    def running(self) -> str:
        """Return the sentence as it stands in the document, in one line."""
        if self._running is None:
            spaces = self.annotation.spaces[self.start : self.end]
            pairs = zip(self.words[self.start : self.end], spaces, strict=True)
            self._running = in_one_line("".join([word + " " if space else word for word, space in pairs]))
        return self._running

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

    def children(self, token: int) -> Sequence[int]:
        """Return what depends on a token of this sentence, from left to right."""
        if self._children is None:
            found: dict[int, list[int]] = {}
            for at, head in enumerate(self.heads[self.start : self.end], self.start):
                if head != at:
                    if head in found:
                        found[head].append(at)
                    else:
                        found[head] = [at]
            self._children = found
        return self._children.get(token, _NONE)

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
        for at, head in enumerate(self.heads[start:end], start):
            if head == at or not start <= head < end:
                if self.dependencies[at] in _NO_PART_OF_CLAUSES:
                    continue
                if found is not None:
                    return None
                found = at
        return found

    def verb_group(self, verb: int) -> int:
        """Return the token that carries a verb's tense: its first auxiliary, or itself."""
        auxiliaries = self.auxiliaries(verb)
        return auxiliaries[0] if auxiliaries and self.tags[verb] not in ("VBD", "VBP", "VBZ") else verb

    def is_stranded(self, end: int) -> bool:
        """Tell whether a preposition without its noun stands right before `end`: "what he asked for"."""
        last = end - 1
        return (
            last > self.start
            and self.dependencies[last] == "prep"
            and self.tags[last] in ("IN", "TO")
            and not self.children(last)
            and self.dependencies[self.heads[last]]
            not in ("relcl", "acl", "ccomp", "pcomp", "advcl", "xcomp")
        )

    def noun_phrase_before(self, noun: int, end: int) -> int | None:
        """Return where the noun phrase of `noun` begins if it ends right before `end`, else None."""
        last = noun
        for at in self.children(noun):
            if noun < at < end:
                last = self.right(at)
        return self.left(noun) if last == end - 1 else None


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


Faithfulness: TypeAlias = Literal["strict", "released"]


class RuleParams(Params, section="discofuse.rules"):
    """When a rule fires."""

    profile: Faithfulness = "strict"
    """"released" splits what the authors' data splits and a careful builder would leave: surer links are not
    asked for, clauses may be fragments, and what stands between commas may be about another noun."""
    pronoun_score: float = Field(default=0.8, ge=0, le=1)
    """Least score of a link by which a pronoun is replaced."""
    thing_score: float = Field(default=0.8, ge=0, le=1)
    """The same for "it" and "they", whose scores are less sure; `pronoun_score` holds for them as well."""
    subject_score: float = Field(default=0.8, ge=0, le=1)
    """The same for "he" and "she" as the subject of the second sentence, where the antecedent is the subject
    of the first one's main verb."""
    thing_subject_score: float = Field(default=0.5, ge=0, le=1)
    """The same for "it" and "they"."""
    name_score: float = Field(default=0.85, ge=0, le=1)
    """Least score by which "he" and "she" mean a name of one word that was taken for that of a place."""
    nominal_score: float = Field(default=0.8, ge=0, le=1)
    """The same for a nominal ("the team")."""
    connective_within: int = Field(default=5, ge=1)
    """A discourse connective begins among so many first tokens of the second sentence (Table 14: 5)."""
    conjunct_within: int = Field(default=5, ge=1)
    """The verb of a second conjunct is so many tokens behind its conjunction at most (Table 14: 5)."""


class RuleResult(NamedTuple):
    """What a rule makes of a text."""

    first: TokenList
    second: TokenList
    connective: str = ""
    """As the released data writes it: small letters, with its comma; empty where there is none."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A phenomenon: when a text has it, and the operations that take it out.

    A rule of pairs is asked about the second sentence, whose `before` is the first.
    """

    name: str
    row: RuleName
    """Of the paper's Table 14."""
    discourse_type: DiscourseType
    detect: Callable[[ParsedSentence, RuleParams], Iterator[Any]]
    """Yields a match for every place where the rule applies; it alone decides whether it does."""
    apply: Callable[[ParsedSentence, Any], RuleResult | None]
    """Carries out the operations for one match; None where no sentence comes of it."""
    triggers: frozenset[str] = frozenset()
    """Words in small letters without one of which the text cannot match; empty: any text may."""
    with_anaphora: DiscourseType | None = None
    """The type where the anaphora rule applies to the outcome too; None where the paper does not combine
    them."""
    of_pairs: bool = False


def delete(tokens: TokenList, start: int, count: int) -> TokenList:
    """Return `tokens` without the `count` tokens from `start` on."""
    return tokens[:start] + tokens[start + count :]


def prepend(tokens: TokenList, before: Sequence[Token]) -> TokenList:
    """Return `before`, then `tokens`."""
    return [*before, *tokens]


def replace(tokens: TokenList, old: Sequence[Token], new: Sequence[Token]) -> TokenList:
    """Return `tokens` with `new` in place of every occurrence of `old`, from the left, none overlapping."""
    sought = list(old)
    if not sought:
        return list(tokens)
    replaced: TokenList = []
    at, length = 0, len(sought)
    while True:
        try:
            found = tokens.index(sought[0], at)
        except ValueError:
            return replaced + tokens[at:]
        replaced += tokens[at:found]
        if tokens[found : found + length] == sought:
            replaced += new
            at = found + length
        else:
            replaced.append(tokens[found])
            at = found + 1


def split(tokens: TokenList, at: int) -> tuple[TokenList, TokenList]:
    """Return the tokens before position `at`, and those from it on."""
    return tokens[:at], tokens[at:]


def trim(tokens: TokenList, is_punctuation: Callable[[Token], bool]) -> TokenList:
    """Return `tokens` without what follows the first punctuation."""
    for at, token in enumerate(tokens):
        if is_punctuation(token):
            return tokens[: at + 1]
    return tokens
