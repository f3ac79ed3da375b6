"""What a prediction has in the places of its gold text: aligned tokens, the slot of a connective, pronouns.

Belongs here: aligning two token lists, finding a connective that a fusion added, and what stands there
instead; the coarse sense of each connective of the paper's Table 12, as the Penn Discourse Treebank 2.0
(Prasad et al. 2008) annotates most of its occurrences. Not here: tables over many fusions (scores.py).

Geva et al. (2019), section 5.4: predicted sequences are aligned to gold ones, and aligned words compared.
They do not say how; here it is a minimal edit, made unique by the rules of `aligned`. Connectives that the
treebank does not have are put with what they paraphrase ("because of that": as a result); what comments
rather than connects ("obviously", "again") has no sense.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Literal, NamedTuple, TypeAlias, get_args

from ops.metrics.fusion import fusion_tokens

FusionTokens: TypeAlias = Sequence[str]

#: Of each token of one list, the place of its partner in the other, None where it has none.
Alignment: TypeAlias = list[int | None]

#: What stands for an output that is no connective, or no pronoun: the paper's <other>.
OTHER = "<other>"

#: Of the third person, as rules replace them; the rows of the paper's Figure 3.
PRONOUNS = (
    "he", "him", "his", "himself",
    "she", "her", "hers", "herself",
    "it", "its", "itself",
    "they", "them", "their", "theirs", "themselves",
)  # fmt: skip
_PRONOUNS = frozenset(PRONOUNS)

_Cost: TypeAlias = tuple[int, int, int]


class AlignedPronoun(NamedTuple):
    """A pronoun that the gold fusion put in, and the pronoun that the prediction has there, or OTHER."""

    gold: str
    predicted: str


def both_pronouns(one: str, other: str) -> bool:
    """Tell whether two tokens in small letters are both pronouns."""
    return one in _PRONOUNS and other in _PRONOUNS


Sense: TypeAlias = Literal["comparison", "expansion", "contingency", "temporal"]

#: In the order in which Geva et al. (2019), section 4.2, name them.
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


#: The sense of a connective in small letters and without commas.
SENSES: dict[str, Sense] = {name: sense for sense, names in _BY_SENSE.items() for name in _listed(names)}

#: All connectives that a text is searched for, also those without a sense.
CONNECTIVES = frozenset(SENSES) | frozenset(_listed(_WITHOUT))


def aligned(
    gold: FusionTokens, predicted: FusionTokens, alike: Callable[[str, str], bool] = both_pronouns
) -> Alignment:
    """Return for each of N gold tokens the place of the predicted token that it became, or None.

    The alignment is that of a minimal edit (tokens put in, left out or replaced, each counts 1); of several,
    one of most equal tokens; of these, one with most replacements that are `alike`; then, from the ends, a
    token is replaced rather than left out, and left out rather than put in. What both begin and end with is
    aligned without search, which loses nothing. O(N M) for what lies between.
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
    """Return the tokens of a text in small letters, without commas.

    A comma goes with one connective and not with another: as a token that two texts share it would be
    aligned, and part a connective from what stands in its place.
    """
    return [word for word in fusion_tokens(text) if word != ","]


def placed(connective: str, gold: FusionTokens, source: FusionTokens) -> tuple[int, int] | None:
    """Return where a connective was added: the ends of its tokens in the gold text.

    It may stand there several times: the one that was added has fewest tokens in common with the aligned
    source; of several such, the first. None where the text does not have it.
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
    """Return what the prediction has in the place of gold[start:end].

    That is all between the nearest tokens on both sides that the prediction has as well.
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
    """Return the connective in the slot of the gold one: of the known ones in it the longest, then the first.

    OTHER where there is none; None where the gold text does not have its connective.
    """
    ends = placed(connective, gold, source)
    if ends is None:
        return None
    found = slot(gold, predicted, aligned(gold, predicted), *ends)
    longest = max((name.count(" ") + 1 for name in known), default=0)
    for size in range(min(longest, len(found)), 0, -1):
        for at in range(len(found) - size + 1):
            name = " ".join(found[at : at + size])
            if name in known:
                return name
    return OTHER


def pronouns(gold: FusionTokens, predicted: FusionTokens, source: FusionTokens) -> list[AlignedPronoun]:
    """Return the pronouns that the gold text has and the source has not, with what was predicted there."""
    if _PRONOUNS.isdisjoint(gold):
        return []
    of_source, of_prediction = aligned(gold, source), aligned(gold, predicted)
    found = []
    for token, old, new in zip(gold, of_source, of_prediction, strict=True):
        if token in _PRONOUNS and (old is None or source[old] != token):
            output = predicted[new] if new is not None else OTHER
            found.append(AlignedPronoun(token, output if output in _PRONOUNS else OTHER))
    return found


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
    found: Alignment = [None] * len(gold)
    left, right = len(gold), len(predicted)
    while left and right:
        step = _replaced(gold[left - 1], predicted[right - 1], alike)
        if costs[left][right] == _more(costs[left - 1][right - 1], *step):
            left, right = left - 1, right - 1
            found[left] = right
        elif costs[left][right] == _more(costs[left - 1][right], 1):
            left -= 1
        else:
            right -= 1
    return found


def _replaced(token: str, other: str, alike: Callable[[str, str], bool]) -> _Cost:
    if token == other:
        return 0, -1, 0
    return 1, 0, -1 if alike(token, other) else 0


def _more(cost: _Cost, edits: int, equal: int = 0, alike: int = 0) -> _Cost:
    return cost[0] + edits, cost[1] + equal, cost[2] + alike
