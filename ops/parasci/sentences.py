"""Every distinct sentence, once, with its embedding, what it defines, and what it cites.

Belongs here: which sentences are compared at all, and what all later steps need of them. Not here: embedding
them (slices.py), marks (marks.py), terms (definitions), which are compared with which (candidates).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from functools import cache

import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from ops.models.encoder import ENCODER
from ops.outcome import Outcomes, Row, Shape, drop
from ops.params import ModelName, Params
from ops.parasci.areas import area_of
from ops.parasci.definitions.patterns import definition
from ops.parasci.definitions.terms import expansions_of, normal_form
from ops.parasci.marks import printed_keys, without_marks
from ops.parasci.printed_works import PrintedWorks, work
from ops.parasci.schemas import EMBEDDED_PASSAGES, SENTENCES
from ops.parasci.slices import Statements, embedded_parts
from ops.parse.records import record_place
from ops.parts import Parts
from ops.text.stop_words import STOP_WORDS

#: A sentence of so many words has a stop word if it is English, and as many of them as of another language.
_TELLING_WORDS = 6

#: Scientists write "we", "the" and "of", and hardly "o" or "d", of which other languages are full.
_ENGLISH = frozenset(word for word in STOP_WORDS if len(word) > 1) - {
    "me",
    "o",
    "a",
    "am",
    "so",
    "do",
    "no",
    "as",
    "in",
}


class StatementParams(Params, section="parasci.sentences"):
    """Which sentences are compared, and by which encoder."""

    encoder: ModelName = Field(ENCODER, description="the sentence encoder whose cosines tell what is alike")
    shortest: int = Field(5, ge=1, description="a sentence of fewer words is dropped")
    printed_marks: bool = Field(
        True, description="of a paper whose format tells no citation marks, names with a year are marks"
    )
    areas: Mapping[str, str] = Field(
        {}, description="subject areas by source, whatever its papers say of themselves"
    )
    subjects: Mapping[str, str] = Field(
        {}, description="subject areas by category, field of study, journal or venue, besides those known"
    )

    def area(self, source: str, subjects: Sequence[str]) -> str:
        """Return the area of a paper; "" where nothing tells it: such papers are one area together."""
        return self.areas.get(source) or area_of(subjects, self.subjects) or ""


def embedded_sentences(
    sentences: Parts, papers: pa.Table, citations: pa.Table, params: StatementParams, strict: bool
) -> Outcomes:
    """Yield the distinct sentences of every part of sources/sentences.

    Given are the papers and citations of its month.

    A sentence is of the area of its paper: that of the paper's source, or of its subjects (areas.py).

    Reasons: `short`, `not_english`. A part is the papers of some `store.records_per_part` records: what
    stands in two parts is there twice, with the same embedding. A citation mark whose paper has neither id
    nor title is no citation; `combinations` count these as `unknown_paper`, and as `unknown_subjects` the
    papers whose subjects mean no area.
    """
    place = {row["id"]: row for row in papers.to_pylist()}

    def state(part: pa.Table) -> Statements:
        return _stated_sentences(part, place, citations, params)

    return embedded_parts(sentences, state, params.encoder, strict)


def _stated_sentences(
    sentences: pa.Table, place: Mapping[str, Row], citations: pa.Table, params: StatementParams
) -> Statements:
    marks: dict[str, list[Row]] = defaultdict(list)
    marked: set[str] = set()
    works: dict[str, PrintedWorks] = {}
    for cites in citations.filter(pc.is_in(citations["paper_id"], sentences["paper_id"])).to_pylist():
        for mark in cites["marks"]:
            marks[mark["sentence_id"]].append(mark)
            marked.add(cites["paper_id"])
        works[cites["paper_id"]] = PrintedWorks(cites["bibliography"] or ())
    rows = sentences.to_pylist()
    known = _expansions(rows)
    areas = _Areas(params)
    unknown = 0
    mentions = []
    for row in rows:
        its = marks.get(row["id"], [])
        cited = {work(mark["cited_id"], mark["cited_title"]) for mark in its}
        if params.printed_marks and row["paper_id"] not in marked:
            bibliography = works.get(row["paper_id"]) or PrintedWorks(())
            cited |= {bibliography.of(key) or f"printed:{key}" for key in printed_keys(row["text"])}
        unknown += sum(work(mark["cited_id"], mark["cited_title"]) is None for mark in its)
        text = without_marks(row["text"], [mark["text"] for mark in its])
        mention = _mention(row, row["paper_id"], row["section"], row["role"], cited - {None}, known)
        paper = place.get(row["paper_id"])
        month = paper["month"] if paper else None
        mentions.append((row, text, month, areas.of(row["paper_id"], paper), mention))
    counts = Counter({"unknown_paper": unknown, "unknown_subjects": areas.unknown})
    return _statements(SENTENCES, mentions, params, +counts)


def embedded_passages(passages: Parts, params: StatementParams, strict: bool) -> Outcomes:
    """Yield the same of every part of sources/passages.

    An abstract has subjects of its own; `unknown_subjects` counts records.

    Reasons: also `no_group`, for what defines no term and cites nothing. Passages are compared only by what
    they define or cite, so nothing would read its embedding.
    """
    return embedded_parts(passages, lambda part: _stated_passages(part, params), params.encoder, strict)


def _stated_passages(passages: pa.Table, params: StatementParams) -> Statements:
    rows = [{**row, "paper_id": row["paper"]} for row in passages.to_pylist()]
    known = _expansions(rows)
    areas = _Areas(params)
    mentions = []
    for row in rows:
        role = "abstract" if row["cited_id"] is None else "citance"
        mention = _mention(row, row["paper"], -1, role, {row["cited_id"]} - {None}, known)
        unit = {name: row[name] for name in EMBEDDED_PASSAGES.unit.names}
        area = areas.of(row["source_ids"][0], row)
        mentions.append((unit, without_marks(row["text"]), row["month"], area, mention))
    counts = Counter({"unknown_subjects": areas.unknown})
    return _statements(EMBEDDED_PASSAGES, mentions, params, +counts, only_groups=True)


class _Areas:
    """The areas of papers, each looked for once; `unknown` is how many have subjects that mean none."""

    def __init__(self, params: StatementParams) -> None:
        self._params = params
        self._known: dict[str, str] = {}
        self.unknown = 0

    def of(self, name: str, paper: Row | None) -> str:
        """Return the area of a paper by its `source_ids` and `subjects`, "" of None."""
        if name not in self._known:
            source = record_place(paper["source_ids"][0])[0] if paper else ""
            subjects = (paper["subjects"] if paper else None) or ()
            self._known[name] = self._params.area(source, subjects)
            self.unknown += bool(subjects) and not self._known[name]
        return self._known[name]


def is_english(text: str) -> bool:
    """Say whether a sentence may be English, by its letters and, where it is long, by its stop words."""
    letters = [sign for sign in text if sign.isalpha()]
    if sum(sign.isascii() for sign in letters) < 0.8 * len(letters):
        return False
    words = [word.strip(".,;:()\"'") for word in text.lower().split()]
    english = sum(word in _ENGLISH for word in words)
    foreign = max(sum(word in others for word in words) for others in _other_languages())
    return len(words) < _TELLING_WORDS or (english > 0 and english >= foreign)


@cache
def _other_languages() -> list[frozenset[str]]:
    """Return the stop words of languages with Latin letters that are no English ones."""
    from spacy.lang.de.stop_words import STOP_WORDS as GERMAN
    from spacy.lang.es.stop_words import STOP_WORDS as SPANISH
    from spacy.lang.fr.stop_words import STOP_WORDS as FRENCH
    from spacy.lang.it.stop_words import STOP_WORDS as ITALIAN
    from spacy.lang.nl.stop_words import STOP_WORDS as DUTCH
    from spacy.lang.pt.stop_words import STOP_WORDS as PORTUGUESE
    from spacy.lang.sv.stop_words import STOP_WORDS as SWEDISH

    found = (GERMAN, SPANISH, FRENCH, ITALIAN, DUTCH, PORTUGUESE, SWEDISH)
    return [frozenset(word for word in words if len(word) > 1) - STOP_WORDS for words in found]


def _expansions(rows: Sequence[Row]) -> dict[str, dict[str, str]]:
    texts: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        texts[row["paper_id"]].append(row["text"])
    return {paper: expansions_of(sentences) for paper, sentences in texts.items()}


def _mention(
    row: Row,
    paper: str,
    section: int,
    role: str,
    cited: Collection[str | None],
    known: Mapping[str, Mapping[str, str]],
) -> Row:
    defined = definition(row["text"])
    return {
        "sentence_id": row["id"],
        "paper_id": paper,
        "section": section,
        "role": role,
        "term": (normal_form(defined.term, known[paper]) or None) if defined else None,
        "cited": sorted(filter(None, cited)),
    }


def _statements(
    shape: Shape,
    mentions: Sequence[tuple[Row, str, str | None, str, Row]],
    params: StatementParams,
    combinations: Mapping[str, int],
    *,
    only_groups: bool = False,
) -> Statements:
    dropped: list[Row] = []
    groups: dict[tuple[str, str], list[tuple[Row, str | None, Row]]] = defaultdict(list)
    for unit, text, month, area, mention in mentions:
        words = len(text.split())
        if words < params.shortest:
            dropped.append(drop(unit, "short", words))
        elif not is_english(text):
            dropped.append(drop(unit, "not_english"))
        elif only_groups and not (mention["term"] or mention["cited"]):
            dropped.append(drop(unit, "no_group"))
        else:
            groups[area, text].append((unit, month, mention))
    return Statements(shape, [unit["id"] for unit, *_ in mentions], dropped, groups, combinations)
