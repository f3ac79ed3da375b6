"""Every distinct sentence, with its embedding, the term that it defines, and the papers that it cites.

Belongs here: which sentences are compared at all (no entries of a bibliography, and no other text that is not
prose), and the columns that all later steps need; looking up works of a bibliography by names and year. Not
here: embedding (slices.py), citation marks (marks.py), terms (definitions.py), areas of subjects (areas.py),
which sentences are compared with each other (candidates/pairs.py, candidates/groups.py), how each format
stores subjects and bibliographies (ops/parse/papers).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field, field_validator

from silverloom.ops.core.joins import matches
from silverloom.ops.core.outcome import Outcomes, Row, Shape, drop
from silverloom.ops.core.params import ModelName, Params
from silverloom.ops.core.parts import Parts
from silverloom.ops.core.thresholds import SCORED, at_least
from silverloom.ops.models.encoder import ENCODER
from silverloom.ops.parasci.areas import area_of
from silverloom.ops.parasci.definitions import definition
from silverloom.ops.parasci.marks import printed_keys, without_marks
from silverloom.ops.parasci.schemas import EMBEDDED_PASSAGES, SENTENCES
from silverloom.ops.parasci.short_forms import expansions_of
from silverloom.ops.parasci.slices import Statements, embedded_parts
from silverloom.ops.parasci.terms import normal_form
from silverloom.ops.parasci.well_formed import well_formed
from silverloom.ops.parse import roles
from silverloom.ops.parse.records import record_place
from silverloom.ops.parse.roles import known_roles
from silverloom.ops.text.words import STOP_WORDS, YEAR, fold

#: The columns of papers and of citations that are joined to sentences.
_PAPER_COLUMNS = ("id", "source_ids", "month", "subjects", "doi")
_CITATION_COLUMNS = ("paper_id", "marks", "bibliography")

_YEAR = re.compile(rf"\b{YEAR}[a-z]?\b")
_WORD = re.compile(r"[^\W\d_][\w'’\-]*")

#: The first author's name is among this many first words of an entry: "[12] Adam B. van Smith, Jones".
_FIRST_WORDS = 5


class _Entry(NamedTuple):
    """A bibliography entry with the words of its first author, all its words, and its years."""

    row: Row
    first: frozenset[str]
    words: frozenset[str]
    years: frozenset[str]
    plain_years: frozenset[str]
    """The years without the letters that distinguish works of the same year."""


class PrintedWorks:
    """A paper's bibliography, with a row of `CITATIONS.kept["bibliography"]` per work.

    Entries are looked up by the rarest of the given names, instead of one by one.
    """

    def __init__(self, bibliography: Sequence[Row]) -> None:
        self._entries: dict[str, list[_Entry]] = defaultdict(list)
        for row in bibliography:
            authors, text = row["authors"] or [], (row["text"] or "").lower()
            words = _WORD.findall(text)
            first = _WORD.findall(authors[0].lower()) if authors else words[:_FIRST_WORDS]
            years = frozenset(_YEAR.findall(row["year"] or "") or _YEAR.findall(text))
            known = frozenset((*_WORD.findall(" ".join(authors).lower()), *words))
            entry = _Entry(row, frozenset(first), known, years, frozenset(year[:4] for year in years))
            for word in known:
                self._entries[word].append(entry)

    def of(self, key: str) -> str | None:
        """Return the work that names and a year ("smith et al 2010a") refer to.

        None if no entry or more than one fits, or if the entry has neither an id nor a title.
        """
        *names, year = key.split()
        names = [name for name in names if name not in ("et", "al")]
        with_name = [self._entries.get(name, []) for name in names]
        entries = [
            entry
            for entry in min(with_name, key=len, default=[])
            if year[:4] in entry.plain_years and names[0] in entry.first and entry.words.issuperset(names)
        ]
        if len(entries) > 1:
            entries = [entry for entry in entries if year in entry.years]
        if len(entries) != 1:
            return None
        ids = entries[0].row["ids"]
        return work(ids[0] if ids else None, entries[0].row["title"])


#: From this many words on, an English sentence has stop words, and at least as many as of any other language.
_TELLING_WORDS = 6

#: Excludes short words that are frequent in other languages and rare in scientific English.
_ENGLISH = frozenset(word for word in STOP_WORDS if len(word) > 1) - {
    "me", "o", "a", "am", "so", "do", "no", "as", "in",
}  # fmt: skip


#: The paper's Abstract, Introduction, Background, Discussion, Preamble, Conclusion.
ROLES = (
    roles.ABSTRACT, roles.INTRODUCTION, roles.BACKGROUND, roles.DISCUSSION, roles.PREAMBLE, roles.CONCLUSION,
)  # fmt: skip


class StatementParams(Params, section="parasci.sentences"):
    """Which sentences are compared, and with which encoder."""

    encoder: ModelName = Field(ENCODER, description="the sentence encoder whose cosines measure similarity")
    shortest: int = Field(5, ge=1, description="a sentence of fewer words is dropped")
    holes: int = Field(
        0, ge=0, description="a sentence from which more was taken out that cannot be rendered is dropped"
    )
    excluded_roles: tuple[str, ...] = Field(
        (roles.REFERENCES,),
        description="roles of sections whose sentences are dropped, and never embedded",
        json_schema_extra={"paper": "not said"},
    )
    roles: tuple[str, ...] = Field(
        ROLES,
        min_length=1,
        description="of the sections that are compared within a paper; a sentence elsewhere that defines no"
        " term and cites nothing is dropped, and never embedded",
    )
    well_formed: float = Field(
        0.5,
        ge=0,
        le=1,
        description="a sentence that is less likely to be whole is dropped, and never embedded",
        json_schema_extra={"paper": "0"},
    )
    printed_marks: bool = Field(
        True, description="of a paper whose format tells no citation marks, names with a year are marks"
    )
    areas: Mapping[str, str] = Field(
        {}, description="subject areas by source, whatever its papers say of themselves"
    )
    subjects: Mapping[str, str] = Field(
        {},
        description="subject areas by category, field of study, journal or venue, apart from the known ones",
    )

    @field_validator("excluded_roles", "roles")
    @classmethod
    def _known(cls, given: tuple[str, ...]) -> tuple[str, ...]:
        return known_roles(given)

    def compares(self, role: str, section: int) -> bool:
        """Return whether a sentence is compared with those of other sections of its paper."""
        return role in self.roles and section >= 0

    def area(self, source: str, subjects: Sequence[str]) -> str:
        """Return the area of a paper; "" if it is unknown: all such papers form one area."""
        return self.areas.get(source) or area_of(subjects, self.subjects) or ""


class _Areas:
    """The areas of papers, cached; `unknown` counts papers whose subjects match no area."""

    def __init__(self, params: StatementParams) -> None:
        self._params = params
        self._known: dict[str, str] = {}
        self.unknown = 0

    def of(self, name: str, paper: Row | None) -> str:
        """Return the area of a paper by its `source_ids` and `subjects`; without a paper, by no subjects."""
        if name not in self._known:
            source = record_place(paper["source_ids"][0])[0] if paper else ""
            subjects = (paper["subjects"] if paper else None) or ()
            self._known[name] = self._params.area(source, subjects)
            self.unknown += bool(subjects) and not self._known[name]
        return self._known[name]


def work(cited_id: str | None, title: str | None) -> str | None:
    """Return the key of a cited work: its id, else its title; None if it has neither."""
    plain = fold("".join(sign if sign.isalnum() else " " for sign in (title or "").lower()))
    return cited_id or (f"title:{plain}" if plain else None)


def embedded_sentences(
    sentences: Parts, papers: Parts, citations: Parts, params: StatementParams, strict: bool
) -> Outcomes:
    """Yield the distinct sentences of each paper, in every part of sources/sentences.

    `papers` and `citations` are those of the same month. Holds those of one part in memory, and its
    sentences: about 1 KB a sentence, 2 KB with the embedding.

    The area of a sentence is that of its paper: the area of the paper's source, or of its subjects
    (`area_of`).

    Reasons: `short`, `holes`, `role_<role>` (of `excluded_roles`), `not_english`, `no_group`, `well_formed`.
    A sentence in no group is in no section of the `roles`, defines no term and cites no paper, so that its
    embedding would never be read. One that occurs in two papers has two rows with the same embedding. A
    citation mark whose paper has neither id nor title does not count as a citation; `combinations` count
    these marks as `unknown_paper`, and papers whose subjects match no area as `unknown_subjects`.
    """

    def names() -> Iterator[pa.ChunkedArray]:
        return (part.read(["paper_id"])["paper_id"] for part in sentences.parts)

    with sentences.engine.scratch() as folder:
        of_paper = matches(papers, "id", names(), folder / "papers", _PAPER_COLUMNS)
        cites = matches(citations, "paper_id", names(), folder / "citations", _CITATION_COLUMNS)
        beside = [of_paper, cites]
        yield from embedded_parts(sentences, _stated_sentences, params, params.encoder, strict, beside)


def embedded_passages(passages: Parts, params: StatementParams, strict: bool) -> Outcomes:
    """Yield the distinct sentences of each paper in a record, in every part of sources/passages.

    An abstract has its own subjects; `unknown_subjects` counts records.

    Reasons: those of `embedded_sentences`; a passage is in no section.
    """
    return embedded_parts(passages, _stated_passages, params, params.encoder, strict)


def scores_whole(kept: Parts, dropped: Parts) -> Iterator[pa.Table]:
    """Yield the sentences with the score that `well_formed` bounds, given the outcome of either function.

    A sentence that is dropped for another reason has no score: `well_formed` is the last rule.
    """
    for part in kept.parts:
        table = part.read(["well_formed", "text", "mentions"])
        for lists in table["mentions"].chunks:
            of_row = table.take(pc.list_parent_indices(lists))
            names = pc.struct_field(pc.list_flatten(lists), "sentence_id")
            yield pa.table([names, of_row["well_formed"], of_row["text"]], SCORED)
    for part in dropped.parts:
        table = part.read(["id", "text", "reason", "score"])
        judged = pc.equal(table["reason"], "well_formed")
        yield pa.table([table["id"], pc.if_else(judged, table["score"], None), table["text"]], SCORED)


def sentences_in(kept: pa.Table) -> int:
    """Return the number of sentences that have the texts of kept rows."""
    return sum(len(pc.list_flatten(lists)) for lists in kept["mentions"].chunks)


def is_english(text: str) -> bool:
    """Return whether a sentence may be English, by its letters and, if it is long, by its stop words."""
    letters = [sign for sign in text if sign.isalpha()]
    if sum(sign.isascii() for sign in letters) < 0.8 * len(letters):
        return False
    words = [word.strip(".,;:()\"'") for word in text.lower().split()]
    english = sum(word in _ENGLISH for word in words)
    foreign = max(sum(word in others for word in words) for others in _other_languages())
    return len(words) < _TELLING_WORDS or (english > 0 and english >= foreign)


def _stated_sentences(
    sentences: pa.Table, papers: pa.Table, citations: pa.Table, params: StatementParams
) -> Statements:
    place = {row["id"]: row for row in papers.to_pylist()}
    marks: dict[str, list[Row]] = defaultdict(list)
    marked: set[str] = set()
    works: dict[str, PrintedWorks] = {}
    for cites in citations.to_pylist():
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
        paper = place.get(row["paper_id"])
        month = paper["month"] if paper else None
        about = {"source_ids": [""], "doi": None} if paper is None else paper
        of_paper = {**row, "source_ids": about["source_ids"], "doi": about["doi"]}
        abbreviations = known[row["source_ids"][0], row["paper_id"]]
        mention = _mention(
            of_paper, row["paper_id"], row["section"], row["role"], cited - {None}, abbreviations
        )
        mentions.append((row, text, month, areas.of(row["paper_id"], paper), mention))
    counts = Counter({"unknown_paper": unknown, "unknown_subjects": areas.unknown})
    return _statements(SENTENCES, mentions, params, +counts)


def _stated_passages(passages: pa.Table, params: StatementParams) -> Statements:
    rows = [{**row, "paper_id": row["paper"]} for row in passages.to_pylist()]
    known = _expansions(rows)
    areas = _Areas(params)
    mentions = []
    for row in rows:
        role = "abstract" if row["cited_id"] is None else "citance"
        abbreviations = known[row["source_ids"][0], row["paper"]]
        mention = _mention(row, row["paper"], -1, role, {row["cited_id"]} - {None}, abbreviations)
        unit = {name: row[name] for name in EMBEDDED_PASSAGES.unit.names}
        area = areas.of(row["source_ids"][0], row)
        mentions.append((unit, without_marks(row["text"]), row["month"], area, mention))
    counts = Counter({"unknown_subjects": areas.unknown})
    return _statements(EMBEDDED_PASSAGES, mentions, params, +counts)


@cache
def _other_languages() -> list[frozenset[str]]:
    """Return the stop words of seven other languages with Latin letters, without English stop words."""
    from spacy.lang.de.stop_words import STOP_WORDS as GERMAN
    from spacy.lang.es.stop_words import STOP_WORDS as SPANISH
    from spacy.lang.fr.stop_words import STOP_WORDS as FRENCH
    from spacy.lang.it.stop_words import STOP_WORDS as ITALIAN
    from spacy.lang.nl.stop_words import STOP_WORDS as DUTCH
    from spacy.lang.pt.stop_words import STOP_WORDS as PORTUGUESE
    from spacy.lang.sv.stop_words import STOP_WORDS as SWEDISH

    languages = (GERMAN, SPANISH, FRENCH, ITALIAN, DUTCH, PORTUGUESE, SWEDISH)
    return [frozenset(word for word in words if len(word) > 1) - STOP_WORDS for words in languages]


def _expansions(rows: Sequence[Row]) -> dict[tuple[str, str], dict[str, str]]:
    """Return the expansions of the abbreviations of each paper, by record and paper."""
    texts: dict[tuple[str, str], list[str]] = defaultdict(list)
    for row in rows:
        texts[row["source_ids"][0], row["paper_id"]].append(row["text"])
    return {place: expansions_of(sentences) for place, sentences in texts.items()}


def _mention(
    row: Row,
    paper: str,
    section: int,
    role: str,
    cited: Collection[str | None],
    known: Mapping[str, str],
) -> Row:
    """Return how a sentence occurs; `known` are the abbreviations of its paper."""
    defined = definition(row["text"])
    return {
        "sentence_id": row["id"],
        "paper_id": paper,
        "section": section,
        "role": role,
        "source": record_place(row["source_ids"][0])[0],
        "doi": row["doi"],
        "term": (normal_form(defined.term, known) or None) if defined else None,
        "cited": sorted(filter(None, cited)),
    }


def _statements(
    shape: Shape,
    mentions: Sequence[tuple[Row, str, str | None, str, Row]],
    params: StatementParams,
    combinations: Mapping[str, int],
) -> Statements:
    def key(unit: Row, text: str, area: str, mention: Row) -> tuple[str, str, str, str]:
        return unit["source_ids"][0], mention["paper_id"], area, text

    score = cache(well_formed)
    dropped: list[Row] = []
    groups: dict[tuple[str, str, str, str], list[tuple[Row, str | None, Row]]] = defaultdict(list)
    in_group: set[tuple[str, str, str, str]] = set()
    left: list[tuple[tuple[str, str, str, str], Row, str, str | None, Row]] = []
    for unit, text, month, area, mention in mentions:
        words = len(text.split())
        role = mention["role"]
        if words < params.shortest:
            dropped.append(drop(unit, "short", words))
        elif (holes := unit.get("holes") or 0) > params.holes:
            dropped.append(drop(unit, "holes", holes))
        elif role in params.excluded_roles:
            dropped.append(drop(unit, f"role_{role}"))
        elif not is_english(text):
            dropped.append(drop(unit, "not_english"))
        else:
            place = key(unit, text, area, mention)
            left.append((place, unit, text, month, mention))
            if mention["term"] or mention["cited"] or params.compares(role, mention["section"]):
                in_group.add(place)
    for place, unit, text, month, mention in left:
        if place not in in_group:
            dropped.append(drop(unit, "no_group"))
        elif not at_least(whole := score(text), params.well_formed):
            dropped.append(drop(unit, "well_formed", whole))
        else:
            groups[place].append((unit, month, mention))
    scores = {text: score(text) for *_, text in groups}
    return Statements(shape, [unit["id"] for unit, *_ in mentions], dropped, groups, combinations, scores)
