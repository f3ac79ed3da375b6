"""Word lists that describe mentions: pronouns, titles, nouns for people and things, first names.

Belongs here: closed lists, which are our choice, and the gender of first names according to the United
States census of 1990, whose lists are in the package `names`. Not here: their use (mentions.py, features.py,
nominals.py).
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from functools import lru_cache
from itertools import dropwhile
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

#: "f" and "m" are people, "n" is "it", "p" is "they".
Gender: TypeAlias = Literal["f", "m", "n", "p"]


def words(text: str) -> frozenset[str]:
    """Return the set of words in a text, split at white space."""
    return frozenset(text.split())


class Pronoun(NamedTuple):
    """What a third-person pronoun requires of its antecedent."""

    gender: Gender
    reflexive: bool
    possessive: bool


PRONOUNS: dict[str, Pronoun] = {
    "she": Pronoun("f", False, False),
    "her": Pronoun("f", False, False),
    "hers": Pronoun("f", False, False),
    "herself": Pronoun("f", True, False),
    "he": Pronoun("m", False, False),
    "him": Pronoun("m", False, False),
    "his": Pronoun("m", False, True),
    "himself": Pronoun("m", True, False),
    "it": Pronoun("n", False, False),
    "its": Pronoun("n", False, True),
    "itself": Pronoun("n", True, False),
    "they": Pronoun("p", False, False),
    "them": Pronoun("p", False, False),
    "their": Pronoun("p", False, True),
    "theirs": Pronoun("p", False, False),
    "themselves": Pronoun("p", True, False),
}

#: Titles and offices that precede a name.
TITLES: dict[str, Gender | None] = {
    **dict.fromkeys(
        words(
            "mrs mrs. ms ms. miss lady queen princess duchess countess baroness empress dame madam madame "
            "mademoiselle sister mother aunt grandmother"
        ),
        "f",
    ),
    **dict.fromkeys(
        words(
            "mr mr. sir lord king prince duke baron emperor count earl brother father uncle pope bishop "
            "archbishop cardinal monsieur messrs. rev. reverend fr. sultan tsar viscount marquis "
            "grandfather"
        ),
        "m",
    ),
    **dict.fromkeys(
        words(
            "dr dr. prof prof. professor president senator governor mayor coach captain "
            "general colonel major "
            "lieutenant sergeant judge justice chancellor minister secretary congressman detective inspector "
            "officer doctor agent capt. gen. col. lt. sgt. sen. gov. rep. hon. st. saint rabbi admiral "
            "commander ambassador director manager chairman"
        ),
    ),
}


def without_titles(name: Sequence[str]) -> tuple[str, ...]:
    """Return the words of a name without leading titles, unless the name is only a title ("King")."""
    return tuple(dropwhile(lambda word: word.lower() in TITLES, name)) or tuple(name)


FEMALE_NOUNS = words(
    "woman girl lady mother daughter sister wife aunt niece grandmother granddaughter queen princess actress "
    "widow girlfriend bride heroine businesswoman spokeswoman policewoman waitress nun goddess mistress "
    "stepmother stepdaughter mum mom housewife congresswoman chairwoman duchess "
    "countess empress maid hostess "
    "mother-in-law sister-in-law daughter-in-law fiancée fiancee lesbian ballerina witch half-sister "
    "grandma sportswoman schoolgirl godmother matriarch noblewoman comedienne"
)
MALE_NOUNS = words(
    "man boy gentleman father son brother husband uncle nephew grandfather grandson "
    "king prince actor widower "
    "boyfriend groom hero businessman spokesman policeman waiter monk god master stepfather stepson dad "
    "congressman chairman duke count emperor guy bishop priest father-in-law "
    "brother-in-law son-in-law fiancé "
    "half-brother fisherman salesman craftsman cricketer sportsman statesman nobleman footballer "
    "defenseman lineman linebacker quarterback baseman lord pope knight schoolboy patriarch"
)
PERSON_NOUNS = words(
    "person player student teacher professor doctor writer author singer artist director producer president "
    "minister senator governor mayor captain coach manager lawyer judge officer soldier general scientist "
    "researcher politician musician composer poet painter architect engineer actor "
    "journalist reporter editor "
    "critic designer dancer driver pilot farmer worker leader member founder owner "
    "friend child baby teenager "
    "victim killer murderer suspect detective agent spy character protagonist narrator partner lover spouse "
    "parent sibling cousin twin star champion winner loser opponent rival athlete striker goalkeeper "
    "midfielder defender forward pitcher catcher guard center winger batsman bowler rookie veteran candidate "
    "secretary assistant servant nurse patient client customer employee employer boss chief commander "
    "colonel lieutenant sergeant major admiral prisoner thief ruler heir scholar philosopher historian "
    "novelist playwright screenwriter filmmaker comedian model host presenter broadcaster translator "
    "speaker user reader listener annotator colleague classmate neighbor neighbour stranger native pupil "
    "graduate alumnus guitarist drummer bassist vocalist pianist rapper songwriter conductor sculptor "
    "photographer illustrator activist entrepreneur executive physician surgeon psychologist economist "
    "mathematician physicist chemist biologist attorney ambassador diplomat commissioner chancellor"
)
#: Nouns for groups of people, referred to as "it" or, in British English, "they".
GROUP_NOUNS = words(
    "team club company band group government party committee army family crew police squad side league "
    "association organization organisation union board council community staff couple pair duo trio quartet "
    "firm agency school university college corporation court church public audience crowd"
)

#: Last words of the names of groups and events; none is a surname.
GROUP_NAMES = words(
    "united athletic rovers wanderers hotspur fc f.c. club league cup championship championships tournament "
    "olympics games series festival university institute academy association federation committee council "
    "commission company corporation inc inc. ltd ltd. records orchestra airlines ministry department army "
    "navy parliament senate congress museum party"
)

#: Verbs of speech: inside a quotation, "I" may mean their subject, but "he" seldom does.
SAYING = words(
    "say says said tell tells told ask asks asked claim claims claimed state states stated add adds added "
    "explain explains explained reply replied write writes wrote note noted report reported announce "
    "announced"
)


#: Weight of a shorter ending's share, in names, when a longer ending is smoothed with it.
_LEAN = 3.0
#: Added to each frequency for smoothing, in per cent of a sex; the rarest listed names have 0.001.
_PRIOR = 0.0005


@lru_cache(maxsize=1)
def first_names() -> dict[str, float]:
    """Return the share of women among the bearers of each lower-case name.

    Shares are smoothed towards one half, so that rare names are less certain than common ones.
    """
    women, men = _frequencies("dist.female.first"), _frequencies("dist.male.first")
    return {
        name: (women.get(name, 0.0) + _PRIOR) / (women.get(name, 0.0) + men.get(name, 0.0) + 2 * _PRIOR)
        for name in sorted(women.keys() | men.keys())
    }


def gender_of_name(words: list[str]) -> float:
    """Return the share of women among people whose name has these words; 0.5 if the words do not tell.

    The first word that is a listed first name decides. If no word is listed, the ending of the first of
    several words decides, with less weight. A single word may be a surname ("Allen"), so it has less weight,
    too.
    """
    known = first_names()
    for word in words[:-1]:
        if word in known:
            return known[word]
    share = known.get(words[0], 0.5)
    if len(words) == 1:
        return 0.5 + (share - 0.5) * 0.9
    has_ending = words[0].isalpha() and len(words[0]) > 3
    return 0.5 + (ending(words[0]) - 0.5) * 0.6 if has_ending else 0.5


@lru_cache(maxsize=4096)
def ending(word: str) -> float:
    """Return the share of women among listed names with the ending of a name that is not listed.

    The share for three letters is smoothed with that for two, and that with the share for one: the fewer
    listed names have the ending, the more.
    """
    share = 0.5
    for length in (1, 2, 3):
        women, men = _endings().get(word[-length:], (0.0, 0.0))
        share = (women + _LEAN * share) / (women + men + _LEAN)
    return share


@lru_cache(maxsize=1)
def _endings() -> dict[str, tuple[float, float]]:
    """Return the weighted number of women's and men's names by ending; both lists have equal weight."""
    lists = (_frequencies("dist.female.first"), _frequencies("dist.male.first"))
    endings: dict[str, list[float]] = {}
    for sex, names in enumerate(lists):
        weight = 1000.0 / len(names)
        for name in names:
            for length in (1, 2, 3):
                endings.setdefault(name[-length:], [0.0, 0.0])[sex] += weight
    return {end: (women, men) for end, (women, men) in endings.items()}


def _frequencies(file: str) -> dict[str, float]:
    spec = importlib.util.find_spec("names")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("the package `names` is not installed: run `pip install names`")
    lines = (Path(spec.origin).parent / file).read_text(encoding="ascii").splitlines()
    return {line.split()[0].lower(): float(line.split()[1]) for line in lines}
