"""Handwritten parses, so that tests do not depend on a parser."""

from spacy.tokens import Doc, Span
from spacy.vocab import Vocab

VOCABULARY = Vocab()


def parse(*sentences: str, entities: tuple[tuple[str, str], ...] = ()) -> Doc:
    """Return a document of sentences of "word/TAG/dependency/head" (head by its position in the sentence).

    `entities` are texts with their types; each occurrence is an entity.
    """
    words, tags, dependencies, heads, starts = [], [], [], [], []
    for sentence in sentences:
        first = len(words)
        for place, item in enumerate(sentence.split()):
            word, tag, dependency, head = item.split("/")
            words.append(word)
            tags.append(tag)
            dependencies.append(dependency)
            heads.append(first + int(head))
            starts.append(place == 0)
    document = Doc(
        VOCABULARY,
        words=words,
        tags=tags,
        deps=dependencies,
        heads=heads,
        sent_starts=starts if words else None,
    )
    spans = []
    for text, label in entities:
        wanted = text.split()
        for start in range(len(words)):
            if words[start : start + len(wanted)] == wanted:
                spans.append(Span(document, start, start + len(wanted), label=label))
    document.ents = spans
    return document


ANNA_MET_PAUL = "Anna/NNP/nsubj/1 met/VBD/ROOT/1 Paul/NNP/dobj/1 ././punct/1"
SHE_LIKED_HIM = "She/PRP/nsubj/1 liked/VBD/ROOT/1 him/PRP/dobj/1 ././punct/1"
PEOPLE = (("Anna", "PERSON"), ("Paul", "PERSON"))
