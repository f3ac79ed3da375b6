"""Every distinct sentence, once, with its embedding, what it defines, and what it cites.

Belongs here: which sentences are compared at all, and what all later steps need of them; the subject area of
a paper, by what its source tells; the works of a bibliography, as running text names them. Not here:
embedding (slices.py), citation marks (marks.py), terms (definitions.py), which are compared with which
(candidates/pairs.py, candidates/groups.py), where a format has subjects and bibliographies
(ops/parse/papers).

Dong et al. (2021), 4.1.2: definitions are of one term "in the same subject or area (provided by meta-data of
source materials)". Their sources are the ACL Anthology, which is computer science, and arXiv, "mathematics,
physics, astronomy, etc." (3.1). The paper has no list of areas. [ours] They are arXiv's groups, astronomy
apart from physics as the paper names it, and the fields of study of S2ORC; what both have is one.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

import pyarrow as pa
from pydantic import Field

from ops.core.joins import matches
from ops.core.outcome import Outcomes, Row, Shape, drop
from ops.core.params import ModelName, Params
from ops.core.parts import Parts
from ops.models.encoder import ENCODER
from ops.parasci.definitions import definition
from ops.parasci.marks import printed_keys, without_marks
from ops.parasci.schemas import EMBEDDED_PASSAGES, SENTENCES
from ops.parasci.slices import Statements, embedded_parts
from ops.parasci.terms import expansions_of, normal_form
from ops.parse.records import record_place
from ops.text.words import STOP_WORDS, fold

_PHYSICS = """
    acc-phys adap-org ao-sci atom-ph chao-dyn chem-ph comp-gas cond-mat gr-qc hep-ex hep-lat hep-ph hep-th
    math-ph mtrl-th nlin nucl-ex nucl-th patt-sol physics plasm-ph quant-ph solv-int supr-con
"""
_MATHEMATICS = "alg-geom dg-ga funct-an math q-alg"

#: Areas whose name is a subject: S2ORC's fields of study, and disciplines of arXiv.
_NAMED = (
    "agricultural and food sciences", "art", "astronomy", "biology", "business", "chemistry",
    "computer science", "economics", "education", "engineering", "environmental science", "geography",
    "geology", "history", "law", "linguistics", "materials science", "mathematics", "medicine", "philosophy",
    "physics", "political science", "psychology", "sociology", "statistics",
)  # fmt: skip

#: By the archive that a category of arXiv begins with, and by what other sources call a field; small letters.
AREAS: Mapping[str, str] = {
    **dict.fromkeys(_PHYSICS.split(), "physics"),
    **dict.fromkeys(_MATHEMATICS.split(), "mathematics"),
    **{area: area for area in _NAMED},
    "astro-ph": "astronomy",
    "bayes-an": "statistics",
    "stat": "statistics",
    "cs": "computer science",
    "cmp-lg": "computer science",
    "econ": "economics",
    "q-fin": "economics",
    "quantitative finance": "economics",
    "eess": "engineering",
    "electrical engineering and systems science": "engineering",
    "engineering and technology": "engineering",
    "q-bio": "biology",
    "quantitative biology": "biology",
    "biology and life sciences": "biology",
    "medicine and health sciences": "medicine",
    "astronomy and astrophysics": "astronomy",
    "computer and information sciences": "computer science",
    "acl anthology": "computer science",
    "computational linguistics": "computer science",
    "natural language processing": "computer science",
}

#: What of a paper, and of what it cites, its sentences are told by.
_PAPER_COLUMNS = ("id", "source_ids", "month", "subjects")
_CITATION_COLUMNS = ("paper_id", "marks", "bibliography")

_YEAR = re.compile(r"\b(?:1[89]|20)\d\d[a-z]?\b")
_WORD = re.compile(r"[^\W\d_][\w'’\-]*")

#: Words of an entry's text among which its first author stands: "[12] Adam B. van Smith, Jones".
_FIRST_WORDS = 5


class _Entry(NamedTuple):
    """An entry with the words of its first author, of everyone and everything in it, and its years."""

    row: Row
    first: frozenset[str]
    words: frozenset[str]
    years: frozenset[str]
    plain_years: frozenset[str]
    """The years without the letters that tell works of one year apart."""


class PrintedWorks:
    """A paper's bibliography, a row of `CITATIONS.kept["bibliography"]` each work.

    Entries are looked up by the name that the fewest of them have, not one by one.
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
        """Return the work that names and year ("smith et al 2010a") stand for.

        None where no entry fits, where several do, or where the one has neither id nor title.
        """
        *names, year = key.split()
        names = [name for name in names if name not in ("et", "al")]
        with_name = [self._entries.get(name, []) for name in names]
        found = [
            entry
            for entry in min(with_name, key=len, default=[])
            if year[:4] in entry.plain_years and names[0] in entry.first and entry.words.issuperset(names)
        ]
        if len(found) > 1:
            found = [entry for entry in found if year in entry.years]
        if len(found) != 1:
            return None
        ids = found[0].row["ids"]
        return work(ids[0] if ids else None, found[0].row["title"])


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


def area_of(subjects: Iterable[str], given: Mapping[str, str] = {}) -> str | None:
    """Return the area of the first subject that means one, None where none does.

    `given` are areas by subject, which go before `AREAS`. Capitals do not count. What a subject as a whole
    does not tell, its part before a point may: "cs.CL" is of the archive "cs".
    """
    known = {**AREAS, **{subject.lower(): area for subject, area in given.items()}}
    for subject in subjects:
        whole = subject.lower()
        for word in (whole, whole.partition(".")[0]):
            if word in known:
                return known[word]
    return None


def work(cited_id: str | None, title: str | None) -> str | None:
    """Return what identifies a cited work: its id, else its title; None where it has neither."""
    plain = fold("".join(sign if sign.isalnum() else " " for sign in (title or "").lower()))
    return cited_id or (f"title:{plain}" if plain else None)


def embedded_sentences(
    sentences: Parts, papers: Parts, citations: Parts, params: StatementParams, strict: bool
) -> Outcomes:
    """Yield the distinct sentences of every part of sources/sentences.

    Given are the papers and citations of its month. In memory are those of a part, and its sentences: some
    1 KB a sentence, 2 KB with the embedding.

    A sentence is of the area of its paper: that of the paper's source, or of its subjects (`area_of`).

    Reasons: `short`, `not_english`. A part is the papers of some `store.records_per_part` records: what
    stands in two parts is there twice, with the same embedding. A citation mark whose paper has neither id
    nor title is no citation; `combinations` count these as `unknown_paper`, and as `unknown_subjects` the
    papers whose subjects mean no area.
    """

    def state(part: pa.Table, its_papers: pa.Table, its_citations: pa.Table) -> Statements:
        place = {row["id"]: row for row in its_papers.to_pylist()}
        return _stated_sentences(part, place, its_citations, params)

    def names() -> Iterator[pa.ChunkedArray]:
        return (part.read(["paper_id"])["paper_id"] for part in sentences.parts)

    with sentences.engine.scratch() as folder:
        of_paper = matches(papers, "id", names(), folder / "papers", _PAPER_COLUMNS)
        cites = matches(citations, "paper_id", names(), folder / "citations", _CITATION_COLUMNS)
        yield from embedded_parts(sentences, state, params.encoder, strict, beside=[of_paper, cites])


def embedded_passages(passages: Parts, params: StatementParams, strict: bool) -> Outcomes:
    """Yield the same of every part of sources/passages.

    An abstract has subjects of its own; `unknown_subjects` counts records.

    Reasons: also `no_group`, for what defines no term and cites nothing. Passages are compared only by what
    they define or cite, so nothing would read its embedding.
    """
    return embedded_parts(passages, lambda part: _stated_passages(part, params), params.encoder, strict)


def is_english(text: str) -> bool:
    """Say whether a sentence may be English, by its letters and, where it is long, by its stop words."""
    letters = [sign for sign in text if sign.isalpha()]
    if sum(sign.isascii() for sign in letters) < 0.8 * len(letters):
        return False
    words = [word.strip(".,;:()\"'") for word in text.lower().split()]
    english = sum(word in _ENGLISH for word in words)
    foreign = max(sum(word in others for word in words) for others in _other_languages())
    return len(words) < _TELLING_WORDS or (english > 0 and english >= foreign)


def _stated_sentences(
    sentences: pa.Table, place: Mapping[str, Row], citations: pa.Table, params: StatementParams
) -> Statements:
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
        mention = _mention(row, row["paper_id"], row["section"], row["role"], cited - {None}, known)
        paper = place.get(row["paper_id"])
        month = paper["month"] if paper else None
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
        mention = _mention(row, row["paper"], -1, role, {row["cited_id"]} - {None}, known)
        unit = {name: row[name] for name in EMBEDDED_PASSAGES.unit.names}
        area = areas.of(row["source_ids"][0], row)
        mentions.append((unit, without_marks(row["text"]), row["month"], area, mention))
    counts = Counter({"unknown_subjects": areas.unknown})
    return _statements(EMBEDDED_PASSAGES, mentions, params, +counts, only_groups=True)


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
