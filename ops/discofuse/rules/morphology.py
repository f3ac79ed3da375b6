"""Forms of words that a split needs: a finite verb for a participle, "be", a possessive.

Belongs here: number, tense and inflection (lemminflect). Not here: where a rule needs them.
"""

from __future__ import annotations

from functools import lru_cache

from ops.discofuse.rules.rule import ParsedSentence, TokenList

_PLURAL_TAGS = frozenset({"NNS", "NNPS"})
_PLURAL_WORDS = frozenset({"we", "you", "they", "these", "those", "both", "many", "others", "several", "few"})
_PLURAL_VERBS = frozenset({"were", "are", "have", "do", "'re", "'ve"})
_PAST_MODALS = frozenset({"would", "could", "might", "'d"})


def is_plural(sentence: ParsedSentence, noun: int) -> bool:
    """Tell whether a noun phrase takes a plural verb: by its noun, its pronoun or its conjuncts."""
    if sentence.tags[noun] in _PLURAL_TAGS or sentence.lower[noun] in _PLURAL_WORDS:
        return True
    conjunction = sentence.child(noun, "cc")
    return (
        conjunction is not None
        and sentence.lower[conjunction] == "and"
        and sentence.child(noun, "conj") is not None
    )


def agree(sentence: ParsedSentence, noun: int, verb: int) -> bool:
    """Tell whether the number of a noun phrase goes with a finite verb's, as far as their forms show it."""
    tag = sentence.tags[noun]
    if tag == "NNS":
        return takes(sentence, verb, plural=True)
    return tag not in ("NN", "NNP") or is_plural(sentence, noun) or takes(sentence, verb, plural=False)


def takes(sentence: ParsedSentence, verb: int, plural: bool) -> bool:
    """Tell whether a finite verb's form allows a subject of a number."""
    carrier = sentence.verb_group(verb)
    if plural:
        return sentence.lower[carrier] != "was" and sentence.tags[carrier] != "VBZ"
    return sentence.lower[carrier] not in _PLURAL_VERBS and sentence.tags[carrier] != "VBP"


def is_past(sentence: ParsedSentence, verb: int) -> bool:
    """Tell whether a finite verb is of the past; a participle without auxiliary is taken for a past tense."""
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
    """Return the finite form of a present participle for a subject and a tense, None where none is known."""
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
    """Tell whether a verb form in small letters can be a past participle ("won", not "went")."""
    return _inflected(_lemma(word), "VBN") == word


def possessive(sentence: ParsedSentence, noun: int, phrase: TokenList) -> TokenList:
    """Return a noun phrase with its possessive mark: "'" behind a plural in s, else "'s"."""
    plural = sentence.tags[noun] in _PLURAL_TAGS and sentence.lower[noun].endswith("s")
    return [*phrase, "'" if plural else "'s"]


@lru_cache(maxsize=4096)
def is_common(word: str) -> bool:
    """Tell whether a word in small letters is in the dictionary; one that a tagger takes for a noun may be a
    name."""
    from lemminflect import getAllLemmas

    return bool(getAllLemmas(word))


@lru_cache(maxsize=4096)
def _lemma(word: str) -> str:
    from lemminflect import getLemma

    return str(next(iter(getLemma(word, upos="VERB")), word))


@lru_cache(maxsize=4096)
def _inflected(lemma: str, tag: str) -> str | None:
    from lemminflect import getInflection

    return next(iter(getInflection(lemma, tag=tag)), None)
