"""How likely a sentence is well-formed: whole, without lost, torn or glued words.

Belongs here: the marks of garbled text, which extraction from PDF leaves, and the score. Not here: citation
marks (marks.py), the score of a pair (dataset/scored.py), its threshold (dataset/filtered.py).

[ours] Each mark is a count per sentence. The weights were fitted by logistic regression to 653 sentences of
papers that one reader labelled.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from itertools import pairwise

from silverloom.ops.models.word_vectors import WORD_VECTORS, WordVectors, word_vectors
from silverloom.ops.text.words import STOP_WORDS

# A merged word costs less than the fit says, because terms such as "treebank" look like one.
#: Log-odds of a sentence without marks, and what each mark of a kind takes from them.
_SOUND = 2.5
_COSTS: Mapping[str, float] = {
    "lower_start": 1.7, "odd_start": 1.7, "no_end": 1.4, "torn_end": 1.2, "hole": 1.4, "question": 1.6,
    "footnote": 1.8, "glued": 2.2, "symbol": 1.6, "letter": 0.4, "address": 1.0, "doubled": 0.9, "lost": 1.4,
    "split": 2.5, "merged": 0.9, "merged_function": 1.7, "unbalanced": 1.3, "few_stop_words": 0.7,
}  # fmt: skip

#: More marks of a kind than this count as this many.
_MOST = 3

#: Ranks by frequency: of a word that is known, and below which a word is common.
_KNOWN, _COMMON, _FREQUENT = 60_000, 20_000, 3_000
#: Beyond this rank, a lower-case word is a term, a typing error, or two words.
_RARE = 150_000
_SHORTEST_WORD = 5
#: Prefixes of words that no dictionary has whole: "nonterminals".
_PREFIX = re.compile(
    r"(?:non|sub|super|re|over|under|pre|post|multi|bi|tri|un|inter|intra|mis|co|anti|hyper|meta|trans|micro"
    r"|pseudo|semi|auto|uni|mono|poly|neuro|bio|photo|electro|thermo|nano|out|up|down|counter|cyto|immuno)(?=[a-z]{3})"
)

_SIGNS = ".,;:()[]?!\"'“”"
_ABBREVIATION = re.compile(
    r"\b(?:e\.g|i\.e|al|et|etc|vs|cf|figs?|sec|resp|viz|approx|eqs?|no|st|refs?|incl|ca|spp?)\.",
    re.IGNORECASE,
)
#: "1) the size and 2) the shape".
_ITEM = re.compile(r"(?<![(\w])\w{1,3}\)")
_PREPOSITION = r"(?:of|in|on|at|by|for|with|from|into|than|between|among|against|via|per)"
_DETERMINER = r"(?:the|an?|our|their|its|his)"
#: Words, besides, that hardly end a sentence.
_TORN = (
    "by|into|than|between|among|via|per|as|such as|which|whose|who|while|because|if|when|where|whether"
    "|but|although|since|very|these|be|been|being|was|were|has|have|had|can|could|may|might|must|should|will"
    "|would|we|they|every|using|based|several|many|various|new"
)
_BE = r"(?:is|are|was|were|has|have|can)"

#: Marks that are found by a pattern.
_PATTERNS: Mapping[str, re.Pattern[str]] = {
    "lower_start": re.compile(r"\A[a-z](?![A-Z\d-])"),
    "odd_start": re.compile(
        r"\A(?:[\d,;:.)\]?!=+*]|\(?[a-z]\)|[IVX]+\s[A-Z]|The authors(?:, the authors)*(?:[).]|\W*\Z))"
    ),
    "no_end": re.compile(r"(?<![.?!:])(?<![.?!:][\"'”’)\]])\s*\Z"),
    "torn_end": re.compile(
        rf"\b(?:{_DETERMINER}|{_TORN}|of|to|and|or|with|from|that|is|are|de|e\.g|i\.e|et|al)\W*\Z"
    ),
    "hole": re.compile(
        r"""\(\s*(?:e\.\s?g\.|i\.\s?e\.|see|cf\.)?[\s,;]*\)|,\s*[,;]|,\s*\.(?!\.)|\(\s*[,;]|\s,|(?<![.])\.\.(?![.])
        |\s\.(?!\.|\d)""",
        re.VERBOSE,
    ),
    "question": re.compile(r"\w\?[a-z]|\?\s*[a-z(]|\s\?|\?\?|\A\?|�"),
    "footnote": re.compile(
        r"""\b[a-z]{4,}[.,]?["”)]?\d{1,2}(?=\s[A-Za-z(]|\.?\Z)|(?<=[a-z]),\d+\s(?=[a-z])|(?<=\s)\d[A-Z][a-z]
        |,\s\d{1,3}\s[a-z]+ing\b|\b\d{3}\s(?:better|worse|of\sthe)""",
        re.VERBOSE,
    ),
    "glued": re.compile(
        r"""(?<=[a-z]{3})\.\s[a-z]{2,}|(?<=[a-z]{3})\.[A-Z]|(?<=[a-z]{3}),[a-z]{3}|(?<=[a-z]\s)(?:The|This|We|Many|Some|It|There|These|If
        |For|Our|However|Moreover|Given|When|While|Since|Although|Both|Each|Such|They|Then|Thus|In|To|On|An|As|By|With
        |From|After|Here|Finally|Furthermore|Additionally|Experiments|Results|Using|Unlike|Most|Recent|Its),?\s[a-z]""",
        re.VERBOSE,
    ),
    # Not of LaTeX, whose formulas are whole.
    "symbol": re.compile(r"\A(?!.*\\[a-zA-Z]).*[=+|<>^~•]", re.DOTALL),
    "letter": re.compile(r"(?<![\w'’./-])[b-zB-HJ-Z](?![\w'’./-])"),
    "address": re.compile(r"@\w|https?\s?:|www\."),
    "doubled": re.compile(r"\b(?!that\b|had\b)(\w+)\s\1\b", re.IGNORECASE),
    "lost": re.compile(
        rf"""\b(?:{_DETERMINER}\s(?:{_PREPOSITION}|to|{_BE}|and|or|an?|the|which|that|be|we|it|they)\b(?!-)
        |{_PREPOSITION}\s(?:of|{_BE}|and|or|be|been)\b(?!-)
        |(?:of|the|an|our|their|into|from|than)\s?[,.;:)]|(?:and|or|but)\s?[.;)]
        |(?:that|which)\s(?:of|and|or)\b|that\s{_BE}\sthe\s\w+est\b|[,;]\s(?:or|and)\s(?:is|are|was|shows?)\b
        |\A[A-Z][^,]{2, 30},\s(?:propose|present|introduce|show|use|combine|describe|develop|extend)s?\b
        |(?:whereas|lines,|recently,|work,)\s(?:{_BE}|uses?|used|combines?|proposed?|presents?|introduced?|shows?))""",
        re.VERBOSE | re.IGNORECASE,
    ),
}


def well_formed(sentence: str) -> float:
    """Return the estimated probability that a sentence is well-formed, three decimals."""
    marks = garbled_marks(sentence)
    odds = _SOUND - sum(_COSTS[name] * count for name, count in marks.items())
    return round(1 / (1 + math.exp(-odds)), 3)


def garbled_marks(sentence: str) -> dict[str, int]:
    """Return how many marks of garbled text of each kind a sentence has, at most three of a kind."""
    text = _ABBREVIATION.sub(lambda match: match[0].replace(".", ""), sentence)
    counts = {
        name: sum(1 for _ in pattern.finditer(sentence if name in ("hole", "torn_end") else text))
        for name, pattern in _PATTERNS.items()
    }
    words = [word.strip(_SIGNS) for word in sentence.split()]
    ranks = _ranks()
    counts["split"] = sum(_is_split(first, second, ranks) for first, second in pairwise(words))
    parts = [part for word in words for part in word.split("-")]
    counts["merged"] = sum(_is_merged(part, ranks, lambda piece: len(piece) > 2) for part in parts)
    counts["merged_function"] = sum(
        _is_merged(part, ranks, lambda piece: piece in STOP_WORDS, both=False) for part in parts
    )
    counts["unbalanced"] = int(not (_is_balanced(sentence) or _is_balanced(_ITEM.sub("", sentence))))
    few = sum(word.lower() in STOP_WORDS for word in words) < _FEWEST_STOP_WORDS * len(words)
    counts["few_stop_words"] = int(few)
    return {name: min(count, _MOST) for name, count in counts.items()}


#: Share of stop words below which a text is hardly a sentence.
_FEWEST_STOP_WORDS = 0.2


def _is_balanced(text: str) -> bool:
    pairs = all(text.count(one) == text.count(other) for one, other in ("()", "[]", "“”"))
    return pairs and text.count('"') % 2 == 0


def _is_split(first: str, second: str, rank: Callable[[str], float]) -> bool:
    """Return whether two neighbours are one word: "sen tences"."""
    if not (first.isalpha() and second.isalpha() and second.islower()):
        return False
    if len(first) + len(second) < _SHORTEST_WORD or (first.lower() in STOP_WORDS and second in STOP_WORDS):
        return False
    whole, ranks = rank(first + second), [rank(first), rank(second)]
    short = any(len(part) <= 3 and its > _FREQUENT for part, its in zip((first, second), ranks, strict=True))
    return whole < min(_KNOWN, max(ranks)) and (short or max(ranks) > _COMMON)


def _is_merged(
    word: str, rank: Callable[[str], float], is_piece: Callable[[str], bool], *, both: bool = True
) -> bool:
    """Return whether a word is two common words: "semanticsimilarity", "tohandle".

    Both are pieces, or one of them is and the other has more than two letters.
    """
    if not (word.isalpha() and word.islower()) or len(word) < _SHORTEST_WORD or rank(word) <= _RARE:
        return False
    if _PREFIX.match(word):
        return False
    for place in range(1, len(word)):
        pieces = word[:place], word[place:]
        fitting = [is_piece(piece) for piece in pieces]
        whole = all(fitting) if both else any(fitting) and max(map(len, pieces)) > 2
        if whole and all(rank(piece) < _COMMON for piece in pieces):
            return True
    return False


@lru_cache(maxsize=1)
def _ranks() -> Callable[[str], float]:
    """Return a function that gives a word's rank by frequency; infinite for an unknown word."""
    table: WordVectors = word_vectors(WORD_VECTORS)

    @lru_cache(maxsize=1 << 17)
    def rank(word: str) -> float:
        place = table.rank(word.lower())
        return math.inf if place is None else place

    return rank
