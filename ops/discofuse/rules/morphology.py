"""Word forms that a split needs: finite verbs for participles, "be", possessives.

Belongs here: number, tense and inflection (lemminflect). Not here: where rules need these forms.
"""

from __future__ import annotations

from functools import lru_cache

from silverloom.ops.discofuse.rules.rule import ParsedSentence, TokenList

_PLURAL_TAGS = frozenset({"NNS", "NNPS"})
_PLURAL_WORDS = frozenset({"we", "you", "they", "these", "those", "both", "many", "others", "several", "few"})
_NO_THIRD_PERSON = frozenset({"i", "we", "you", "they"})
_PLURAL_VERBS = frozenset({"were", "are", "have", "do", "'re", "'ve"})
_PAST_MODALS = frozenset({"would", "could", "might", "'d"})


def is_plural(sentence: ParsedSentence, noun: int) -> bool:
    """Return whether a noun phrase takes a plural verb, by its noun, pronoun or conjuncts."""
    if sentence.tags[noun] in _PLURAL_TAGS or sentence.lower[noun] in _PLURAL_WORDS:
        return True
    conjunction = sentence.child(noun, "cc")
    return (
        conjunction is not None
        and sentence.lower[conjunction] == "and"
        and sentence.child(noun, "conj") is not None
    )


def agree(sentence: ParsedSentence, noun: int, verb: int) -> bool:
    """Return whether a noun phrase and a finite verb agree in number, as far as their forms show it."""
    tag = sentence.tags[noun]
    if tag == "PRP" and sentence.lower[noun] in _NO_THIRD_PERSON:
        return sentence.tags[sentence.verb_group(verb)] != "VBZ"
    if tag == "NNS":
        return takes(sentence, verb, plural=True)
    return tag not in ("NN", "NNP") or is_plural(sentence, noun) or takes(sentence, verb, plural=False)


def takes(sentence: ParsedSentence, verb: int, plural: bool) -> bool:
    """Return whether the form of a finite verb allows a singular or a plural subject."""
    carrier = sentence.verb_group(verb)
    if plural:
        return sentence.lower[carrier] != "was" and sentence.tags[carrier] != "VBZ"
    return sentence.lower[carrier] not in _PLURAL_VERBS and sentence.tags[carrier] != "VBP"


def is_past(sentence: ParsedSentence, verb: int) -> bool:
    """Return whether a finite verb is in the past; a participle without an auxiliary counts as past tense."""
    carrier = sentence.verb_group(verb)
    return sentence.tags[carrier] in ("VBD", "VBN") or sentence.lower[carrier] in _PAST_MODALS


def be(sentence: ParsedSentence, noun: int, past: bool) -> str:
    """Return the form of "be" for a subject and a tense."""
    if sentence.lower[noun] == "i":
        return "was" if past else "am"
    if is_plural(sentence, noun):
        return "were" if past else "are"
    return "was" if past else "is"


def finite(sentence: ParsedSentence, participle: int, subject: int, past: bool) -> str | None:
    """Return the finite form of a present participle for a subject and a tense, None if it is unknown."""
    word = sentence.lower[participle]
    if word == "being":
        return be(sentence, subject, past)
    if word == "having":
        third = not is_plural(sentence, subject) and sentence.lower[subject] != "i"
        return "had" if past else ("has" if third else "have")
    if past:
        return _inflected(_lemma(word), "VBD")
    if is_plural(sentence, subject) or sentence.lower[subject] == "i":
        return _lemma(word)
    return _inflected(_lemma(word), "VBZ")


def is_participle(word: str) -> bool:
    """Return whether a lower-case verb form can be a past participle ("won", not "went")."""
    return _inflected(_lemma(word), "VBN") == word


def is_third_person(word: str) -> bool:
    """Return whether a lower-case verb form can only be the third person singular ("sings", not "sing")."""
    if not word.endswith("s"):
        return False
    lemma = _lemma(word)
    return word != lemma and _inflected(lemma, "VBZ") == word


def possessive(sentence: ParsedSentence, noun: int, phrase: TokenList) -> TokenList:
    """Return a noun phrase with its possessive mark: "'" after a plural in s, otherwise "'s"."""
    plural = sentence.tags[noun] in _PLURAL_TAGS and sentence.lower[noun].endswith("s")
    return [*phrase, "'" if plural else "'s"]


@lru_cache(maxsize=4096)
def is_common(word: str) -> bool:
    """Return whether a lower-case word is in the dictionary. If not, a word that is tagged as a noun may be a
    name."""
    from lemminflect import getAllLemmas

    return bool(getAllLemmas(word))


@lru_cache(maxsize=4096)
def is_common_noun(word: str) -> bool:
    """Return whether a lower-case word is a form of a common noun in the dictionary."""
    from lemminflect import getAllLemmas

    return "NOUN" in getAllLemmas(word)


@lru_cache(maxsize=4096)
def _lemma(word: str) -> str:
    from lemminflect import getLemma

    return str(next(iter(getLemma(word, upos="VERB")), word))


@lru_cache(maxsize=4096)
def _inflected(lemma: str, tag: str) -> str | None:
    from lemminflect import getInflection

    return next(iter(getInflection(lemma, tag=tag)), None)
