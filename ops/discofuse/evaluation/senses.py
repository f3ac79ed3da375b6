"""The coarse sense of each connective: comparison, expansion, contingency or temporal.

Belongs here: the connectives of the paper's Table 12 with the class that the Penn Discourse Treebank 2.0
(Prasad et al. 2008) annotates most of their occurrences with. Not here: finding connectives in a text.

Those that the treebank does not have are put with what they paraphrase ("because of that": as a result); what
comments rather than connects ("obviously", "again") has no sense.
"""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

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
