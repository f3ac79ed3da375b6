"""Words that tell what a mention is: pronouns, titles, nouns for people and things.

Belongs here: closed lists. Not here: how they are used (mentions.py, features.py, nominals.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import dropwhile
from typing import Literal, NamedTuple, TypeAlias

#: "f" and "m" are persons, "n" is "it", "p" is "they".
Gender: TypeAlias = Literal["f", "m", "n", "p"]


def words(text: str) -> frozenset[str]:
    """Return the words of a text that blanks part."""
    return frozenset(text.split())


class Pronoun(NamedTuple):
    """What a third-person pronoun asks of its antecedent."""

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

#: Titles and offices before a name.
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
    """Return the words of a name without the titles before it, but for one that is all of it ("King")."""
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
#: Nouns that mean a group of people: "it" and, in British English, "they".
GROUP_NOUNS = words(
    "team club company band group government party committee army family crew police squad side league "
    "association organization organisation union board council community staff couple pair duo trio quartet "
    "firm agency school university college corporation court church public audience crowd"
)

#: Last words of names of groups and events, which are nobody's surname.
GROUP_NAMES = words(
    "united athletic rovers wanderers hotspur fc f.c. club league cup championship championships tournament "
    "olympics games series festival university institute academy association federation committee council "
    "commission company corporation inc inc. ltd ltd. records orchestra airlines ministry department army "
    "navy parliament senate congress museum party"
)

#: Verbs of speech, whose subject may be meant by "I" and seldom by another's "he".
SAYING = words(
    "say says said tell tells told ask asks asked claim claims claimed state states stated add adds added "
    "explain explains explained reply replied write writes wrote note noted report reported announce "
    "announced"
)
