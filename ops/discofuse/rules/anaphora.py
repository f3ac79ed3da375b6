"""Mentions in the second sentence that refer to something named in the first.

Belongs here: replacing a pronoun or a nominal by its antecedent. Not here: finding antecedents
(ops/coreference, sure_links.py), the words that they keep (antecedents.py).
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence

from silverloom.ops.coreference.lexicon import PRONOUNS, TITLES, first_names
from silverloom.ops.coreference.links import Link
from silverloom.ops.discofuse.annotation import QUOTES
from silverloom.ops.discofuse.rules.antecedents import (
    head_noun,
    is_in_brackets,
    is_part,
    is_torn,
    repeats_pronoun,
    words_of,
)
from silverloom.ops.discofuse.rules.commas import is_person
from silverloom.ops.discofuse.rules.morphology import is_plural, possessive, takes
from silverloom.ops.discofuse.rules.operations import replace
from silverloom.ops.discofuse.rules.rule import (
    LOUD_MODALS,
    NAMES,
    NOUNS,
    SUBJECTS,
    ParsedSentence,
    RuleParams,
    Token,
    TokenList,
)
from silverloom.ops.discofuse.rules.sure_links import (
    NO_PERSONS,
    are_subjects,
    goes_on,
    has_object,
    holding,
    is_another,
    is_before_quotation,
    is_left_out,
    is_of_any,
    is_one_person,
    is_other_thing,
    is_quoted,
    means_nothing,
    told_to_be,
)

_REFLEXIVES = frozenset({"himself", "herself", "itself", "themselves", "themself"})
_POSSESSIVES = frozenset({"his", "its", "their", "hers", "theirs"})
_DETERMINERS = NAMES | {"DT", "PRP$", "CD", "PDT"}
_THINGS = frozenset({"it", "its", "they", "them", "their", "theirs"})
#: These name nobody and nothing, and mean others where they are repeated.
_NAMELESS = frozenset({"none", "nothing", "nobody", "others"})
_RELATED = frozenset({"related", "similar"})
_TOTALS = frozenset({"all", "most", "both", "half"})
_CLITICS = frozenset({"'re", "’re", "'ve", "’ve", "'d", "’d", "'ll", "’ll"})
_NOMINATIVES = frozenset({"he", "she", "it", "they"})
#: A first name is not a woman's (a man's) if a smaller share of the people with it are women (men).
_NO_WOMAN = 0.01
#: Least score of a link in the profile "released", estimated from the released data.
_RELEASED_SCORE = 0.3
#: Labels that parsers give to a name that addresses someone, and the marks that may follow it.
_CALLED = frozenset({"npadvmod", "intj", "dep"})
_AFTER_CALLED = frozenset({",", ".", "!", "?"})


def resolved(
    text: Sequence[ParsedSentence],
    first: TokenList,
    second: TokenList,
    links: Iterable[Link],
    params: RuleParams,
) -> tuple[TokenList, tuple[Link, ...]]:
    """Return `second` with mentions replaced by their antecedents in `first`, and the links that were used.

    This is REPLACE(B, S_B, S_A) of Table 14, with conditions that keep the result grammatical. One clause
    does not name the same entity twice ("Lions have a record against Lions"). So only the first of several
    mentions of an entity is replaced, and a later one only if it is the subject of a coordinated clause.
    Nothing is replaced if the antecedent's head is in `second` anyway. `text` has the sentences that the
    tokens come from.
    """
    begin, floor = text[0].start, _least_of_all(params)
    likely = [link for link in links if link.score >= floor and link.antecedent[0] >= begin]
    told = told_to_be(text, first, second)
    if not likely and not told:
        return second, ()
    named, here = set(first), set(second)
    if told and named.issuperset(range(*told.antecedent)):
        likely = [told, *(link for link in likely if link.mention != told.mention)]
    if not likely:
        return second, ()
    best: dict[tuple[int, int], tuple[tuple[bool, float, int], Link, int]] = {}
    for link in likely:
        if not here.issuperset(range(*link.mention)) or not named.issuperset(range(*link.antecedent)):
            continue
        sentence = holding(text, link.antecedent[0])
        noun = head_noun(sentence, link.antecedent)
        if noun is None or not _is_sure(text, first, second, link, noun, params):
            continue
        if link is not told and not _suits(sentence, link, noun, params):
            continue
        if len(text) == 2 and is_before_quotation(sentence, link):
            continue
        if is_left_out(text[-1], link.mention[0]) or is_of_any(text[-1], link.mention):
            continue
        if is_one_person(sentence, noun, text[-1], link.mention[0]):
            continue
        if is_other_thing(sentence, noun, text[-1], link.mention[0]):
            continue
        if link.kind == "nominal" and is_another(sentence, noun, text[-1], link):
            continue
        if link.kind == "pronoun" and is_quoted(sentence, noun, text[-1], link.mention[0]):
            continue
        rank = (sentence.tags[noun] in NAMES, link.score, link.antecedent[0])
        if link.mention not in best or rank > best[link.mention][0]:
            best[link.mention] = (rank, link, noun)
    used: list[Link] = []
    taken: dict[str, int] = {}
    replaced = second
    for mention, (_, link, noun) in sorted(best.items()):
        sentence, source = holding(text, mention[0]), holding(text, noun)
        phrase = words_of(source, noun, link)
        entity = source.lower[noun]
        if _is_spoken_of(sentence, mention[0], second, {link.mention[0] for link in used}):
            continue
        if entity in taken and not _is_coordinated_subject(sentence, mention, taken[entity]):
            continue
        if not _may_replace(sentence, mention, source, phrase, noun, second):
            continue
        if _is_coordinated_possessive(sentence, mention[0]) or is_part(source, noun, link.antecedent):
            continue
        if is_in_brackets(source, noun, sentence, mention[0]):
            continue
        if link.kind == "pronoun" and sentence.lower[mention[0]] in _THINGS and is_torn(source, noun, phrase):
            continue
        replaced = replace(
            replaced, list(range(*mention)), _inflected(sentence, mention, source, noun, phrase)
        )
        used.append(link)
        taken.setdefault(entity, mention[0])
    return replaced, tuple(used)


def _is_spoken_of(
    sentence: ParsedSentence, mention: int, second: TokenList, replaced: Container[int]
) -> bool:
    """Return whether an earlier "he" is kept, so that "his" refers to it: "He contested his seat"."""
    pronoun = PRONOUNS.get(sentence.lower[mention])
    if pronoun is None or pronoun.gender not in ("f", "m"):
        return False
    earlier = (
        PRONOUNS.get(sentence.lower[at])
        for at in second
        if isinstance(at, int) and sentence.start <= at < mention and at not in replaced
    )
    return any(before and before.gender == pronoun.gender and not before.reflexive for before in earlier)


def _least_of_all(params: RuleParams) -> float:
    """Return the score that every link must reach."""
    if params.profile == "released":
        return _RELEASED_SCORE
    return min(
        params.pronoun_score,
        params.subject_score,
        params.thing_subject_score,
        params.continued_score,
        params.nominal_score,
    )


def _is_sure(
    text: Sequence[ParsedSentence],
    first: TokenList,
    second: TokenList,
    link: Link,
    noun: int,
    params: RuleParams,
) -> bool:
    """Return whether a link reaches the score that it needs; cheap conditions come first."""
    score = link.score
    if params.profile == "released":
        return score >= _RELEASED_SCORE
    if link.kind != "pronoun":
        return score >= params.nominal_score
    start = link.mention[0]
    word = text[0].lower[start]
    nominative, person = word in _NOMINATIVES, word not in _THINGS
    other = params.pronoun_score if person else max(params.pronoun_score, params.thing_score)
    subject = params.subject_score if person else params.thing_subject_score
    if score >= max(other, subject):
        return True
    unsure = word == "it" and has_object(text[0])
    either = nominative and not unsure and score >= min(other, subject)
    least = subject if either and are_subjects(text, first, second, start, noun) else other
    if score >= least:
        return True
    return person and nominative and score >= params.continued_score and goes_on(text, link)


def _suits(source: ParsedSentence, link: Link, noun: int, params: RuleParams) -> bool:
    """Return whether a mention can refer to a noun: a country is never "he", a person is never "it", and "the
    lexicon" does not refer to a noun without an article."""
    entity, first = source.annotation.entities[noun], link.antecedent[0]
    words = source.words[first : link.antecedent[1]]
    if source.continues_word(first) or not LOUD_MODALS.isdisjoint(words) or source.lower[noun] in _NAMELESS:
        return False
    # "most of these proteins" are not "most of all proteins".
    if link.kind == "nominal" and source.lower[first] in _TOTALS:
        return False
    # "Ann used a related method . This method ...": the one that it is related to may be meant.
    if link.kind == "nominal" and not _RELATED.isdisjoint(source.lower[first:noun]):
        return False
    if link.kind == "nominal":
        return source.tags[noun] != "NN" or source.tags[first] in _DETERMINERS
    word = source.lower[link.mention[0]]
    # "The horse 's length is two metres . It is old": either may be meant.
    owner = source.child(noun, "poss")
    if word in ("it", "its") and owner is not None and not is_person(source, owner):
        return False
    if word in ("it", "its") and source.tags[noun] in NAMES and source.tags[first] != "DT":
        return entity not in ("", "PERSON")
    # "Fox equalled Lee 's time and they won": one name is not "they".
    alone = link.antecedent[1] - first == 1 and source.tags[noun] == "NNP"
    if word in _THINGS and word not in ("it", "its") and alone and source.lower[noun][-1] != "s":
        return False
    if word in _THINGS:
        return entity != "PERSON" or is_plural(source, noun) or source.tags[first] == "DT"
    if _is_of_other_gender(source, link, word) or _is_called(source, link, noun):
        return False
    # A single surname is often mistaken for a town or a club; 95 of 100 such links in GAP are right.
    sure = link.antecedent[1] - first == 1 and link.score >= params.name_score
    placed = entity != "ORG" and source.dependencies[noun] == "pobj"  # "the governor of Kentucky"
    return entity not in NO_PERSONS or (sure and not placed)


def _is_called(source: ParsedSentence, link: Link, noun: int) -> bool:
    """Return whether a name addresses someone, as in "Come in , Bob"."""
    start, end = link.antecedent
    if source.tags[noun] not in NAMES or source.dependencies[noun] not in _CALLED:
        return False
    opens = start == source.start or source.lower[start - 1] in QUOTES | {","}
    return opens and (end == source.end or source.lower[end] in QUOTES | _AFTER_CALLED)


def _is_of_other_gender(source: ParsedSentence, link: Link, word: str) -> bool:
    """Return whether a title, or the first of several words of a name, excludes the gender of the pronoun."""
    start, end = link.antecedent
    gender = PRONOUNS[word].gender if word in PRONOUNS else None
    words = [source.lower[at] for at in range(start, end) if source.lower[at] != "the"]
    if not words or gender not in ("f", "m"):
        return False
    title = TITLES.get(words[0])
    if title is not None:
        return title != gender
    share = first_names().get(words[0], 0.5) if len(words) > 1 else 0.5
    return share < _NO_WOMAN if gender == "f" else share > 1 - _NO_WOMAN


def _may_replace(
    sentence: ParsedSentence,
    mention: tuple[int, int],
    source: ParsedSentence,
    phrase: TokenList,
    noun: int,
    second: TokenList,
) -> bool:
    start, end = mention
    if end - start == 1 and sentence.lower[start] in _REFLEXIVES:
        return False
    # "The parties 're loud"
    if end < sentence.end and sentence.lower[end] in _CLITICS:
        return False
    words = [_lower(source, token) for token in phrase]
    # "His - tagged proteins"
    is_longer = end < sentence.end and sentence.lower[end] == "of"
    if not words or is_longer or sentence.continues_word(end + 1):
        return False
    if (
        end - start > 1
        and end < sentence.end
        and (sentence.lower[end] in ("for", "not") or _is_limited(sentence, end))
    ):
        return False
    if [sentence.lower[at] for at in range(start, end)] == words:
        return False
    token = end - 1
    if sentence.tags[token] == "PRP$" and sentence.dependencies[token] in SUBJECTS:
        return False  # "His writes a column": a noun is missing
    if sentence.dependencies[token] in SUBJECTS and sentence.tags[token] != "PRP$":
        verb = sentence.heads[token]
        if sentence.lower[token] == "it" and means_nothing(sentence, verb):
            return False
        if not takes(sentence, verb, is_plural(source, noun)) and sentence.lower[token] not in ("he", "she"):
            return False
    heads = {source.lower[noun]} | {
        source.lower[token] for token in phrase if isinstance(token, int) and source.tags[token] in NAMES
    }
    others = {
        sentence.lower[token] for token in second if isinstance(token, int) and not start <= token < end
    }
    return heads.isdisjoint(others) and not repeats_pronoun(source, phrase)


def _is_limited(sentence: ParsedSentence, end: int) -> bool:
    """Return whether a clause directly follows a noun and tells which one it is: "the method that we use"."""
    return any(
        sentence.dependencies[at] in ("relcl", "acl") and sentence.left(at) == end
        for at in sentence.children(end - 1)
    )


def _is_coordinated_possessive(sentence: ParsedSentence, token: int) -> bool:
    """Return whether a possessive refers to its own conjunct: "matrices and their generalisations"."""
    head = sentence.heads[token]
    coordinated = sentence.lower[token] in _POSSESSIVES and sentence.dependencies[head] == "conj"
    return coordinated and sentence.tags[sentence.heads[head]] in NOUNS


def _lower(sentence: ParsedSentence, token: Token) -> str:
    return sentence.lower[token] if isinstance(token, int) else token


def _is_coordinated_subject(sentence: ParsedSentence, mention: tuple[int, int], earlier: int) -> bool:
    """Return whether a mention is the subject of a conjunct of the main verb, while the earlier mention
    depends on the main verb itself."""
    token = mention[1] - 1
    verb = sentence.heads[token]
    return (
        sentence.dependencies[token] in SUBJECTS
        and sentence.dependencies[verb] == "conj"
        and sentence.heads[verb] == sentence.root
        and sentence.heads[earlier] == sentence.root
    )


def _inflected(
    sentence: ParsedSentence, mention: tuple[int, int], source: ParsedSentence, noun: int, phrase: TokenList
) -> TokenList:
    """Return an antecedent in the case of the mention that it replaces."""
    token = mention[1] - 1
    if mention[1] - mention[0] > 1:
        return phrase
    is_possessive = sentence.tags[token] == "PRP$" or sentence.lower[token] in _POSSESSIVES
    return possessive(source, noun, phrase) if is_possessive else phrase
