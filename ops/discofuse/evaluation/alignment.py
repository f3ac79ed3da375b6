"""Compare a prediction with its gold text: aligned tokens, the slot of a connective, pronouns.

Belongs here: aligning two token lists, finding a connective that a fusion added, and finding what the
prediction has instead; the coarse sense of each connective of the paper's Table 12, which is the most
frequent one in the Penn Discourse Treebank 2.0 (Prasad et al. 2008). Not here: tables over many fusions
(scores.py).

Geva et al. (2019), section 5.4, align predicted sequences to gold ones and compare aligned words. They do not
say how; here the alignment is a minimal edit, made unique by the rules of `aligned`. A connective that the
treebank lacks gets the sense of its paraphrase ("because of that": as a result). One that comments rather
than connects ("obviously", "again") has no sense.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Literal, NamedTuple, TypeAlias, get_args

from silverloom.ops.metrics.fusion import fusion_tokens

FusionTokens: TypeAlias = Sequence[str]

#: For each token of one list, the index of its partner in the other list, or None.
Alignment: TypeAlias = list[int | None]

#: The label of an output that is not a connective, or not a pronoun: the paper's <other>.
OTHER = "<other>"

#: Third-person pronouns, which rules replace; the rows of the paper's Figure 3.
PRONOUNS = (
    "he", "him", "his", "himself",
    "she", "her", "hers", "herself",
    "it", "its", "itself",
    "they", "them", "their", "theirs", "themselves",
)  # fmt: skip
_PRONOUNS = frozenset(PRONOUNS)

_Cost: TypeAlias = tuple[int, int, int]


class AlignedPronoun(NamedTuple):
    """A pronoun that the gold fusion added, and the aligned pronoun of the prediction, or OTHER."""

    gold: str
    predicted: str


def both_pronouns(one: str, other: str) -> bool:
    """Return whether two lower-case tokens are both pronouns."""
    return one in _PRONOUNS and other in _PRONOUNS


Sense: TypeAlias = Literal["comparison", "expansion", "contingency", "temporal"]

#: In the order of Geva et al. (2019), section 4.2.
SENSE_NAMES: tuple[Sense, ...] = get_args(Sense)

_BY_SENSE: dict[Sense, str] = {
    "comparison": """
        although, and although, anyway, but, by comparison, by contrast, conversely, however, in
        contrast, nevertheless, nonetheless, on the contrary, on the other hand, regardless, still,
        though, whereas, while, yet
    """,
    "expansion": """
        additionally, alternatively, and, aside from, besides, else, for example, for instance,
        further, furthermore, in addition, in addition to, in fact, in other words, in particular,
        in short, in sum, indeed, instead, lest, likewise, moreover, nor, or, otherwise, overall,
        plus, rather, second, similarly, specifically, third, unless
    """,
    "contingency": """
        accordingly, as a result, because, because of that, because of this, by doing this,
        consequently, for, hence, now that, since, so, so that, thereby, therefore, thus
    """,
    "temporal": """
        afterward, by then, eventually, finally, in the end, in the meantime, in turn, meantime,
        meanwhile, next, now, simultaneously, then, thereafter, ultimately
    """,
}
_WITHOUT = "again, basically, clearly, fortunately, interestingly, luckily, meaning, obviously, this"


def _listed(names: str) -> list[str]:
    return [" ".join(name.split()) for name in names.split(",")]


#: The sense of each connective, in lower case and without commas.
SENSES: dict[str, Sense] = {name: sense for sense, names in _BY_SENSE.items() for name in _listed(names)}

#: All connectives that are searched for in a text, including those without a sense.
CONNECTIVES = frozenset(SENSES) | frozenset(_listed(_WITHOUT))


def aligned(
    gold: FusionTokens, predicted: FusionTokens, alike: Callable[[str, str], bool] = both_pronouns
) -> Alignment:
    """Return the index of the predicted token aligned with each of N gold tokens, or None.

    The alignment is a minimal edit, in which each inserted, deleted or replaced token costs 1. Among several,
    the one with the most equal tokens wins, then the one with the most `alike` replacements. Then, from the
    end, a replacement is preferred to a deletion, and a deletion to an insertion. The common prefix and
    suffix are aligned without search, which changes nothing. O(N M) for the part between them.
    """
    shortest = min(len(gold), len(predicted))
    start = next((at for at in range(shortest) if gold[at] != predicted[at]), shortest)
    most = shortest - start
    same = next((at for at in range(most) if gold[-1 - at] != predicted[-1 - at]), most)
    core = _edited(gold[start : len(gold) - same], predicted[start : len(predicted) - same], alike)
    return [
        *range(start),
        *(None if place is None else start + place for place in core),
        *range(len(predicted) - same, len(predicted)),
    ]


def words(text: str) -> list[str]:
    """Return the lower-case tokens of a text, without commas.

    Some connectives have a comma and others do not. A comma that two texts share would be aligned, and would
    separate a connective from its substitute.
    """
    return [word for word in fusion_tokens(text) if word != ","]


def placed(connective: str, gold: FusionTokens, source: FusionTokens) -> tuple[int, int] | None:
    """Return where a connective was added: the start and end of its tokens in the gold text.

    If it occurs several times, the added one is that with the fewest tokens in common with the aligned
    source, the first of several. Returns None if the text lacks it.
    """
    wanted = connective.split()
    size = len(wanted)
    starts = [at for at in range(len(gold) - size + 1) if gold[at : at + size] == wanted] if wanted else []
    if not starts:
        return None
    kept = [
        place is not None and source[place] == token
        for place, token in zip(aligned(gold, source), gold, strict=True)
    ]
    best = min(starts, key=lambda at: sum(kept[at : at + size]))
    return best, best + size


def slot(
    gold: FusionTokens, predicted: FusionTokens, alignment: Alignment, start: int, end: int
) -> FusionTokens:
    """Return what the prediction has in place of gold[start:end].

    This is everything between the nearest tokens on both sides that are equal in both texts.
    """
    equal = [
        (at, place)
        for at, place in enumerate(alignment)
        if place is not None and gold[at] == predicted[place]
    ]
    first = max((place + 1 for at, place in equal if at < start), default=0)
    last = min((place for at, place in equal if at >= end), default=len(predicted))
    return predicted[first:last]


def predicted_connective(
    connective: str, gold: FusionTokens, predicted: FusionTokens, source: FusionTokens, known: Collection[str]
) -> str | None:
    """Return the connective in the slot of the gold one: the longest known one there, the first of several.

    Returns OTHER if none is there; None if the gold text lacks its connective.
    """
    ends = placed(connective, gold, source)
    if ends is None:
        return None
    tokens = slot(gold, predicted, aligned(gold, predicted), *ends)
    longest = max((name.count(" ") + 1 for name in known), default=0)
    for size in range(min(longest, len(tokens)), 0, -1):
        for at in range(len(tokens) - size + 1):
            name = " ".join(tokens[at : at + size])
            if name in known:
                return name
    return OTHER


def pronouns(gold: FusionTokens, predicted: FusionTokens, source: FusionTokens) -> list[AlignedPronoun]:
    """Return the pronouns that are in the gold text but not in the source, with what was predicted."""
    if _PRONOUNS.isdisjoint(gold):
        return []
    of_source, of_prediction = aligned(gold, source), aligned(gold, predicted)
    aligned_pronouns = []
    for token, old, new in zip(gold, of_source, of_prediction, strict=True):
        if token in _PRONOUNS and (old is None or source[old] != token):
            output = predicted[new] if new is not None else OTHER
            aligned_pronouns.append(AlignedPronoun(token, output if output in _PRONOUNS else OTHER))
    return aligned_pronouns


def _edited(gold: FusionTokens, predicted: FusionTokens, alike: Callable[[str, str], bool]) -> Alignment:
    # costs[i][j]: edits, equal tokens and alike replacements (both negative) of gold[:i] and predicted[:j]
    costs: list[list[_Cost]] = [[(at, 0, 0) for at in range(len(predicted) + 1)]]
    for number, token in enumerate(gold, start=1):
        above, row = costs[-1], [(number, 0, 0)]
        for at, other in enumerate(predicted):
            row.append(
                min(
                    _more(above[at], *_replaced(token, other, alike)),
                    _more(above[at + 1], 1),
                    _more(row[at], 1),
                )
            )
        costs.append(row)
    alignment: Alignment = [None] * len(gold)
    left, right = len(gold), len(predicted)
    while left and right:
        step = _replaced(gold[left - 1], predicted[right - 1], alike)
        if costs[left][right] == _more(costs[left - 1][right - 1], *step):
            left, right = left - 1, right - 1
            alignment[left] = right
        elif costs[left][right] == _more(costs[left - 1][right], 1):
            left -= 1
        else:
            right -= 1
    return alignment


def _replaced(token: str, other: str, alike: Callable[[str, str], bool]) -> _Cost:
    if token == other:
        return 0, -1, 0
    return 1, 0, -1 if alike(token, other) else 0


def _more(cost: _Cost, edits: int, equal: int = 0, alike: int = 0) -> _Cost:
    return cost[0] + edits, cost[1] + equal, cost[2] + alike
