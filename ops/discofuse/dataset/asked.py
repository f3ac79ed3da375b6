"""What the rules and coreference ask of spaCy's models, and nothing else: entities of sentences that may
name something, lemmas of verbs.

Belongs here: two components that give a pipeline's recogniser and lemmatiser less to do. Not here: the
pipeline (pipeline.py). The rules read names and times, which have a capital, a digit or a word of time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import islice, pairwise
from typing import Any, TypeAlias

from spacy.attrs import DEP, LEMMA, NORM, ORTH, SPACY, TAG
from spacy.language import Language
from spacy.tokens import Doc, Span

from silverloom.ops.coreference.lexicon import words

#: The components of spaCy's English pipelines, which have a recogniser of their own.
USUAL = ["tok2vec", "tagger", "parser", "attribute_ruler", "lemmatizer", "ner"]
_ENTITIES, _LEMMAS = "asked_entities", "verb_lemmas"
#: Words of a date or a duration that has neither a capital nor a digit: "the last year", "two days".
_TIME = words(
    "second seconds minute minutes hour hours day days night nights week weeks weekend month months season "
    "spring summer autumn winter quarter year years decade decades century centuries today yesterday "
    "tomorrow tonight morning afternoon evening noon midnight annual annually daily weekly monthly yearly "
    "ago earlier later twenties thirties forties fifties sixties seventies eighties nineties"
)
#: A verb's word, tag, label and, if nothing stands between, next word: keys of spaCy's strings.
_Verb: TypeAlias = tuple[int, int, int, int]
_NAMES = frozenset({"NNP", "NNPS"})


class Entities:
    """The recogniser of a pipeline on those sentences of a document that may hold a name or a time."""

    def __init__(self, nlp: Language) -> None:
        self._nlp = nlp

    def __call__(self, document: Doc) -> Doc:
        """Return a document with its entities."""
        return next(self.pipe([document], batch_size=1))

    def pipe(self, documents: Iterable[Doc], *, batch_size: int) -> Iterator[Doc]:
        """Yield documents with the entities of the sentences that ask for them, in order."""
        recogniser: Any = self._nlp.get_pipe("ner")
        stream = iter(documents)
        while batch := list(islice(stream, batch_size)):
            asked = [_asking(document) for document in batch]
            cuts = [_cut(document, tokens) for document, tokens in zip(batch, asked, strict=True) if tokens]
            found = iter(list(recogniser.pipe(cuts, batch_size=batch_size)))
            for document, tokens in zip(batch, asked, strict=True):
                entities = next(found).ents if tokens else ()
                document.set_ents(
                    [Span(document, tokens[e.start], tokens[e.end - 1] + 1, label=e.label) for e in entities]
                )
                yield document


class Lemmas:
    """The lemmas of verbs, from a pipeline's attribute ruler and lemmatiser: once for each verb with its tag,
    its label and what is attached to it ("ai n't", "gon na"). Other tokens have no lemma."""

    def __init__(self, nlp: Language) -> None:
        self._nlp = nlp
        self._known: dict[_Verb, int] = {}

    def __call__(self, document: Doc) -> Doc:
        """Return a document with the lemmas of its verbs."""
        strings = document.vocab.strings
        tags = {strings[tag] for tag in ("MD", "VB", "VBD", "VBG", "VBN", "VBP", "VBZ")}
        table = document.to_array([ORTH, TAG, DEP, SPACY]).tolist()
        attached = [0 if space else following[0] for (*_, space), following in pairwise([*table, [0] * 4])]
        verbs: dict[int, _Verb] = {
            at: (word, tag, label, attached[at])
            for at, (word, tag, label, _) in enumerate(table)
            if tag in tags
        }
        new = sorted(set(verbs.values()).difference(self._known))
        if new:
            self._known.update(zip(new, self._lemmas(document, new), strict=True))
        lemmas: Any = document.to_array([LEMMA])
        for at, verb in verbs.items():
            lemmas[at] = self._known[verb]
        document = document.from_array([LEMMA], lemmas.reshape(-1, 1))
        for token in document:
            if token.is_space:
                token.tag_, token.dep_ = "_SP", "dep"
        return document

    def _lemmas(self, document: Doc, verbs: Sequence[_Verb]) -> list[int]:
        """Return the lemma of each verb, read in a text of two words each."""
        strings = document.vocab.strings
        rows = [
            row
            for word, tag, label, following in verbs
            for row in (
                (strings[word], strings[tag], strings[label]),
                (strings[following] or ".", "RB", "neg"),
            )
        ]
        forms, tags, labels = ([row[column] for row in rows] for column in range(3))
        text = Doc(document.vocab, words=forms, tags=tags, deps=labels, heads=list(range(len(forms))))
        for name in ("attribute_ruler", "lemmatizer"):
            text = self._nlp.get_pipe(name)(text)
        return [text[at].lemma for at in range(0, len(text), 2)]


@Language.factory(_ENTITIES)
def asked_entities(nlp: Language, name: str) -> Entities:
    """Return the component "asked_entities", which pyproject.toml has an entry point for."""
    return Entities(nlp)


@Language.factory(_LEMMAS)
def verb_lemmas(nlp: Language, name: str) -> Lemmas:
    """Return the component "verb_lemmas", which pyproject.toml has an entry point for."""
    return Lemmas(nlp)


def only_what_is_asked(nlp: Language) -> None:
    """Let these components of a pipeline stand in for its recogniser and lemmatiser, which they ask."""
    for component in ("attribute_ruler", "lemmatizer", "ner"):
        nlp.disable_pipe(component)
    nlp.add_pipe(_LEMMAS, last=True)
    nlp.add_pipe(_ENTITIES, last=True)


def _asking(document: Doc) -> list[int]:
    """Return the tokens of the sentences that may hold a name or a time."""
    sentences = list(document.sents)
    named = {token.text for sentence in sentences for token in sentence[1:] if token.is_title}
    return [token.i for sentence in sentences if _may_name(sentence, named) for token in sentence]


def _may_name(sentence: Span, named: Set[str]) -> bool:
    """Return whether a sentence may hold a name or a time; `named` are words with a capital in others.

    A capital at its beginning tells nothing, unless the word is such a word.
    """
    if sentence[0].text in named or any(char.isupper() or char.isdigit() for char in sentence.text[1:]):
        return True
    return any(token.tag_ in _NAMES or token.lower_ in _TIME for token in sentence)


def _cut(document: Doc, tokens: Sequence[int]) -> Doc:
    """Return a document of some tokens, with the features that a recogniser reads."""
    chosen = [document[at] for at in tokens]
    cut = Doc(
        document.vocab,
        words=[token.text for token in chosen],
        spaces=[bool(token.whitespace_) for token in chosen],
        sent_starts=[bool(token.is_sent_start) for token in chosen],
    )
    forms: Any = document.to_array([NORM])[list(tokens)].reshape(-1, 1)
    return cut.from_array([NORM], forms)
