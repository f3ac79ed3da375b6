import json
import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.core.outcome import Outcome
from silverloom.ops.core.parts import part_files, temporary_folder
from silverloom.ops.parasci import marks, slices
from silverloom.ops.parasci.marks import printed_keys, without_marks
from silverloom.ops.parasci.schemas import EMBEDDED_PASSAGES
from silverloom.ops.parasci.schemas import PASSAGES as PASSAGE_SHAPE
from silverloom.ops.parasci.sentences import (
    PrintedWorks,
    StatementParams,
    embedded_passages,
    embedded_sentences,
    is_english,
    scores_whole,
    sentences_in,
)
from silverloom.ops.parasci.sources import PASSAGE_FORMATS, parse_passages
from silverloom.ops.parasci.well_formed import well_formed
from silverloom.ops.parse.bounded import BoundedChild, Bounds
from silverloom.ops.parse.records import Record
from silverloom.ops.parse.schemas import CITATIONS, PAPERS
from silverloom.ops.parse.schemas import SENTENCES as PAPER_SENTENCES
from silverloom.ops.parse.source import Raw
from silverloom.orchestration.files.identity import folder_hashes
from silverloom.orchestration.files.parquet import write_outcomes
from tests.ops.parasci.parasci_cases import paper_sentence
from tests.parts import in_memory, parts
from tests.work import lines_run


@pytest.mark.parametrize(
    ("printed", "compared"),
    [
        ("Topic models are old (Blei et al., 2003).", "Topic models are old."),
        ("Topic models (Blei et al., 2003; Hofmann, 1999) are old.", "Topic models are old."),
        ("Blei et al. (2003) propose topic models.", "The authors propose topic models."),
        ("It was shown by Blei and Ng (2003) that they work.", "It was shown that they work."),
        ("We follow Blei, Ng, and Jordan (2003).", "We follow the authors."),
        ("Topic models [12] are old [3, 4-6].", "Topic models are old."),
        ("[12] proposes topic models, as in [13].", "The authors propose topic models."),
        ("It is described in (Bilmes and Kirchhoff, 2003) and (Axelrod, 2006).",
         "It is described in earlier work."),
        ("The parser of Smith et al. (2010) is fast, following Jones (1999).", "The parser is fast."),
        ("In Smith (2010), a parser is trained (e.g., Jones (1999)).", "A parser is trained."),
        ("It is like that of Smith (2010), Jones (1999), and Lee (2000).", "It is like that of the authors."),
        ("Smith (2010) and Jones (1999) agree.", "The authors agree."),
        ("Its precision is high (Huaping Zhang et al, 2003).", "Its precision is high."),
        ("Models (see also van der Berg, 2010a) exist (2010).", "Models exist."),
        ("We read the Penn Treebank (1993) twice.", "We read the Penn Treebank twice."),
        ("The corpus (in its second version) has 2010 words [sic].",
         "The corpus (in its second version) has 2010 words [sic]."),
    ],
)  # fmt: skip
def test_citation_marks_are_normalised_away(printed, compared):
    assert without_marks(printed) == compared


@pytest.mark.parametrize(
    ("printed", "compared"),
    [
        ("As in [12], we use trees.", "We use trees."),
        ("As in Smith (2010), we use trees.", "We use trees."),
        ("As described in [12], we use trees.", "We use trees."),
        ("As proposed by (Smith, 2010), we use trees.", "We use trees."),
        ("Unlike [12], we use trees.", "Unlike the authors, we use trees."),
        ("Unlike (Smith, 2010), we use trees.", "Unlike the authors, we use trees."),
        ("Our parser is based on [12].", "Our parser is based on the authors."),
        ("We build upon (Smith, 2010) and use trees.", "We build upon the authors and use trees."),
        ("It reads trees, graphs, and so on (Smith, 2010).", "It reads trees, graphs, and so on."),
        ("Trees are used also in (Smith, 2010) for speech.", "Trees are used for speech."),
        ("Trees were proposed first by [12] and [13].", "Trees were proposed first by the authors."),
    ],
)  # fmt: skip
def test_a_mark_leaves_no_hole_at_the_beginning_or_after_a_preposition(printed, compared):
    assert without_marks(printed) == compared


@pytest.mark.parametrize(
    ("printed", "compared"),
    [
        ("A parser, first proposed by Smith (2010), is fast.", "A parser is fast."),
        ("We use the parser proposed by Smith et al (2010).", "We use the parser."),
        ("We use a parser (described in (Smith et al, 2010)) here.", "We use a parser here."),
        ("Introduced by [3], trees are common.", "Trees are common."),
        ("It is trained, an approach first used by Smith (2010).",
         "It is trained, an approach first used by the authors."),
        ("It was used in [3] to find trees.", "It was used to find trees."),
        ("Other trees, e.g., (Smith, 2010), are larger.", "Other trees are larger."),
    ],
)  # fmt: skip
def test_words_that_say_only_where_something_is_from_go_with_their_mark(printed, compared):
    assert without_marks(printed) == compared


@pytest.mark.parametrize(
    ("printed", "compared"),
    [
        ("A parser is proposed by Smith (2010), who develops trees.",
         "A parser is proposed by the authors, who develop trees."),
        ("Parsers, such as those described in (Smith, 2010), are fast.",
         "Parsers, such as those described in earlier work, are fast."),
        ("Parsers are described by Smith (2010) and, most fully, in [3].",
         "Parsers are described by the authors and, most fully, in earlier work."),
        ("It was first proposed in [3].", "It was first proposed in earlier work."),
        ("We follow [3] and use words.", "We follow the authors and use words."),
        ("We apply [3].", "We apply the authors."),
        ("We adopt [3] to train.", "We adopt the authors to train."),
        ("It is better than in [2].", "It is better than in earlier work."),
        ("The data are available in [3].", "The data are available in earlier work."),
        ("The general case will be treated in [3].", "The general case will be treated."),
        ("See [7] for details.", "See earlier work for details."),
        ("Trees are compared to [3], [4], and [5].", "Trees are compared to the authors."),
        ("We like Och and Ney (2003)'s trees and Lin's (1998) words.",
         "We like the authors' trees and the authors' words."),
        ("In old work, (Smith, 2010) proposed trees.", "In old work, the authors proposed trees."),
        ("Since (Smith, 2010) used trees, we do.", "Since the authors used trees, we do."),
        ("Trees are defined following Smith (2010).", "Trees are defined following the authors."),
        ("It is an extension of [3].", "It is an extension of the authors."),
    ],
)  # fmt: skip
def test_a_noun_stands_for_a_mark_that_the_sentence_needs(printed, compared):
    assert without_marks(printed) == compared


@pytest.mark.parametrize(
    ("printed", "compared"),
    [
        ("In Ref. [46], [30], we use trees.", "We use trees."),
        ("In Refs. [46], the authors use trees.", "The authors use trees."),
        ("As indicated in Refs. [4], [5], they are old.", "As indicated in earlier work, they are old."),
        ("The values in reference [7] are close to those in Ref. [8] since they are old.",
         "The values in earlier work are close to those in earlier work since they are old."),
        ("Ref. [3] shows trees.", "The authors show trees."),
        ("Trees are old (Refs. [3], [4]).", "Trees are old."),
        ("They are our references [sic].", "They are our references [sic]."),
    ],
)  # fmt: skip
def test_the_word_before_a_number_goes_with_it(printed, compared):
    assert without_marks(printed) == compared


def test_a_mark_that_only_the_source_knows_is_removed_too():
    assert without_marks("Topic models BIBREF3 are old.", ["BIBREF3"]) == "Topic models are old."


@pytest.mark.parametrize(
    ("printed", "compared"),
    [
        ("BIBREF3 propose topic models, as in (BIBREF4).", "The authors propose topic models."),
        ("Topic models (CITE-1, CITE-2) are older than (CITE-1).", "Topic models are older than the authors."),
        ("BIBREF31 is no BIBREF3x, and xBIBREF3 is none.", "BIBREF31 is no BIBREF3x, and xBIBREF3 is none."),
    ],
)  # fmt: skip
def test_a_known_mark_that_is_a_word_of_the_sentence_becomes_the_authors(printed, compared):
    told = ["BIBREF3", "BIBREF4", "CITE-1", "CITE-1, CITE-2"]
    assert without_marks(printed, told) == compared


class _CountedSearches:
    """The module `re`, which counts the characters that it searches."""

    def __init__(self):
        self.characters = 0

    def __getattr__(self, name):
        def counted(pattern, *arguments):
            self.characters += len(arguments[-1])
            return getattr(re, name)(pattern, *arguments)

        return counted if name in ("sub", "search", "finditer", "match", "fullmatch") else getattr(re, name)


def test_removing_very_many_distinct_marks_takes_linear_work(monkeypatch):
    searches = _CountedSearches()
    monkeypatch.setattr(marks, "re", searches)
    told = [f"BIBREF{number}" for number in range(4_000)]
    text = f"Topic models {' '.join(told)} are old."
    lines, left = lines_run(without_marks, text, told)
    assert left == "Topic models are old."
    assert searches.characters + lines < 20 * len(text)


@pytest.mark.parametrize("mark", [" [1]", " The Smith and Jones (2010)", " the (2010)"])
def test_marks_of_a_long_sentence_are_removed_in_linear_time(mark):
    child = BoundedChild(Bounds(seconds=10))
    try:
        text = child.call(without_marks, "word" + mark * 15_000)
    finally:
        child.close()
    assert "2010" not in text and "[" not in text


NO_MARKS = ["of (2000 words)", "a[1] and b[2]", "at 0.5", "(1999 to 2005)", "15 layers", "(WMT 2014 data)", "Devlinesque", "[sic]", "(in May)"]  # fmt: skip


@given(st.lists(st.sampled_from(NO_MARKS), min_size=1).map(" and ".join))
def test_text_that_is_not_a_mark_stays(text):
    assert without_marks(text, ["5", "1", "Devlin"]) == text


@given(st.text("AbC 0129[](),;.&"))
def test_marks_are_removed_from_any_text_and_nothing_else_is_added(text):
    """The result consists of characters of the text, in order; "authors" is not from this alphabet."""
    left = re.sub("the authors", "", without_marks(text), flags=re.IGNORECASE)
    signs = iter(text)
    assert all(sign in signs for sign in left.replace(" ", ""))


@pytest.mark.parametrize(
    ("text", "english"),
    [
        ("We show that it works for all of these.", True),
        ("Nous présentons une méthode pour la segmentation automatique.", False),
        ("Это предложение написано по-русски и не по-английски.", False),
        ("我们 提出 了 一 种 新 的 方法 。", False),
        ("Deep networks learn.", True),
        ("Wir haben das Modell an den Daten trainiert und getestet.", False),
        ("Dit is een voorbeeld van een zin in het Nederlands.", False),
        ("On propose un modèle pour la segmentation de textes.", False),
        ("Vi presenterar en metod for att dela upp texter.", False),
        ("El modelo se entrena con los datos de un corpus no anotado.", False),
        ("The a priori probability of de novo terms is low.", True),
    ],
)
def test_english_is_distinguished_from_other_languages(text, english):
    assert is_english(text) is english


def embedded(
    *rows, marks=(), areas=None, sources="text/a.txt", bibliographies=None, subjects=None, dois=None, **params
):
    papers = [
        {
            **dict.fromkeys(PAPERS.kept.names),
            "id": name,
            "source_ids": [sources],
            "licence": "MIT",
            "month": "2018-06",
            "subjects": (subjects or {}).get(name, []),
            "doi": (dois or {}).get(name),
        }
        for name in {row["paper_id"] for row in rows}
    ]
    cited = [
        {**dict.fromkeys(CITATIONS.kept.names), "id": paper, "source_ids": ["x"], "licence": "MIT",
         "paper_id": paper, "marks": list(marks) if paper == "paper" else [], "bibliography": entries}
        for paper, entries in {"paper": None, **(bibliographies or {})}.items()
    ]  # fmt: skip
    with temporary_folder() as folder:
        (outcome,) = embedded_sentences(
            in_memory(pa.Table.from_pylist(list(rows), schema=PAPER_SENTENCES.kept)),
            parts(folder / "papers", PAPERS.kept, papers),
            parts(folder / "citations", CITATIONS.kept, cited),
            StatementParams(areas=areas or {}, **params),
            True,
        )
    return outcome


def test_a_part_depends_only_on_its_own_papers_and_citations(tmp_path):
    """Two parts at once give what each of them gives alone, with all papers and citations present."""
    of_parts = [[paper_sentence(f"{part}{n}", f"We see the thing {part} {n} as (Blei, 2003) did.", paper=part)
                 for n in range(3)] for part in "pq"]  # fmt: skip
    papers = [{**dict.fromkeys(PAPERS.kept.names), "id": name, "source_ids": ["text/a.txt"], "licence": "MIT",
               "month": f"2018-0{month}", "subjects": [f"{name}.XX", subject]}
              for month, (name, subject) in enumerate([("q", "cs.CL"), ("p", "math"), ("r", "law")], 1)]  # fmt: skip
    cited = [{**dict.fromkeys(CITATIONS.kept.names), "id": name, "source_ids": ["x"], "licence": "MIT",
              "paper_id": name, "marks": [], "bibliography": [
                  {"ids": [f"doi:{name}"], "title": None, "authors": ["Blei"], "year": "2003", "text": None}]}
             for name in "rqp"]  # fmt: skip
    beside = (parts(tmp_path / "papers", PAPERS.kept, papers[:2], papers[2:]),
              parts(tmp_path / "citations", CITATIONS.kept, cited))  # fmt: skip

    def run(*several):
        tables = [pa.Table.from_pylist(rows, schema=PAPER_SENTENCES.kept) for rows in several]
        return list(embedded_sentences(in_memory(*tables), *beside, StatementParams(), True))

    both = run(*of_parts)
    assert [one.kept for one in both] == [outcome.kept for rows in of_parts for outcome in run(rows)]
    told = [
        (row["month"], row["area"], row["mentions"][0]["cited"])
        for one in both
        for row in one.kept.to_pylist()
    ]
    assert (
        told == [("2018-02", "mathematics", ["doi:p"])] * 3 + [("2018-01", "computer science", ["doi:q"])] * 3
    )


def test_each_distinct_sentence_of_a_paper_is_one_row_with_all_its_places():
    same = "We show that pairs are found again and again."
    rows = [paper_sentence(f"s{number}", same, section=number) for number in range(500)]
    rows += [paper_sentence("t", f"{same[:-1]} (Blei et al., 2003).", paper="q", role="conclusion")]
    outcome = embedded(*rows, paper_sentence("u", "Too short a one."))
    row, of_q = outcome.kept.to_pylist()
    assert row["text"] == of_q["text"] == same and len(row["mentions"]) == 500
    assert row["source_ids"] == [f"s{number}" for number in range(500)] and of_q["source_ids"] == ["t"]
    assert row["embedding"] == of_q["embedding"]
    assert np.linalg.norm(row["embedding"]) == pytest.approx(1, abs=1e-2)
    assert row["embedding"] == pytest.approx(np.round(row["embedding"], 4), abs=1e-6)
    assert outcome.dropped.select(["id", "reason", "score"]).to_pylist() == [
        {"id": "u", "reason": "short", "score": 4.0}
    ]
    assert outcome.units.to_pylist() == [*row["source_ids"], "t", "u"]


@pytest.mark.parametrize("size", [1, 7])
def test_no_row_depends_on_the_number_of_papers_in_a_part(tmp_path, size, monkeypatch):
    """Nor do the rows of passages on the number of records in a part."""
    monkeypatch.setattr(slices, "embedder", lambda *_: lambda texts: np.ones((len(texts), 384), np.float32))
    texts = [f"We show {number % 4} pairs of sentences that are found again." for number in range(40)]
    rows = [paper_sentence(f"s{n}", text, f"p{n // 3}", n % 3) for n, text in enumerate(texts)]
    beside = [parts(tmp_path / "papers", PAPERS.kept, []), parts(tmp_path / "citations", CITATIONS.kept, [])]
    texts[0] = "Latent Dirichlet allocation (LDA) is a model of the topics of texts."
    texts[3] = "LDA is a model of the topics that a collection of texts has."
    full = dict.fromkeys(PASSAGE_SHAPE.kept.names) | {"licence": "MIT", "cited_id": "W", "paper": "P"}
    loose = [
        full | {"id": f"a{n}", "source_ids": [f"r/{n // 3}"], "text": text} for n, text in enumerate(texts)
    ]

    def fates(rows, shape, several, embed, *beside):
        pieces = [pa.Table.from_pylist(rows[start : start + 3 * several], schema=shape.kept)
                  for start in range(0, len(rows), 3 * several)]  # fmt: skip
        whole = Outcome.joined(list(embed(in_memory(*pieces), *beside, StatementParams(), True)))
        return whole.units, whole.kept, whole.dropped

    papers, records = (rows, PAPER_SENTENCES), (loose, PASSAGE_SHAPE)
    assert fates(*papers, size, embedded_sentences, *beside) == fates(
        *papers, 256, embedded_sentences, *beside
    )
    assert fates(*records, size, embedded_passages) == fates(*records, 256, embedded_passages)


def test_a_sentence_of_1000_words_is_kept_and_marked_as_truncated():
    outcome = embedded(
        paper_sentence("a", f"The words {'of the sentence ' * 332}go on."),
        paper_sentence("b", "Here we are, at last now."),
    )
    assert dict(zip(*(outcome.kept[name].to_pylist() for name in ("words", "truncated")), strict=True)) == {
        1000: True, 6: False,
    }  # fmt: skip


def test_text_of_another_language_is_dropped_with_its_reason():
    outcome = embedded(paper_sentence("a", "Nous présentons une méthode pour la segmentation automatique."))
    assert outcome.dropped["reason"].to_pylist() == ["not_english"]


def test_a_sentence_with_a_hole_is_dropped_unless_params_allow_it():
    row = {**paper_sentence("a", "The value of the loss at the first step is."), "holes": 1}
    outcome = embedded(row)
    assert outcome.dropped.select(["reason", "score"]).to_pylist() == [{"reason": "holes", "score": 1}]
    assert embedded(row, holes=1).kept.num_rows == 1


def test_entries_of_a_bibliography_are_dropped_before_they_are_embedded():
    entry = paper_sentence("a", "A treebank of the spoken language of the coast.", role="references")
    outcome = embedded(entry, paper_sentence("b", "We compare both of the models on the same texts."))
    assert outcome.kept["text"].to_pylist() == ["We compare both of the models on the same texts."]
    assert outcome.dropped.select(["id", "reason"]).to_pylist() == [{"id": "a", "reason": "role_references"}]
    lenient = embedded(entry, excluded_roles=["appendix"], roles=["references"])
    assert lenient.kept.num_rows == 1


def test_a_mention_names_the_source_of_its_paper():
    outcome = embedded(
        paper_sentence("a", "We compare both of the models on the same texts."), sources="acl/P01.xml"
    )
    ((mention,),) = outcome.kept["mentions"].to_pylist()
    assert mention["source"] == "acl"


def test_an_unknown_role_is_no_excluded_role():
    with pytest.raises(ValueError, match="no such role: bibliography; there are abstract, "):
        StatementParams(excluded_roles=["bibliography"])


@pytest.mark.parametrize("least", [0.0, 0.3, 0.5, 1.0])
def test_a_sentence_is_embedded_if_it_is_as_likely_to_be_whole_as_params_ask(least):
    texts = [
        "We compare both of the models on the same texts.",
        "on the standard metric the model is better than that of",
        "= 0.5 | of the x ( in the Model Precision the Recall |",
    ]
    outcome = embedded(*(paper_sentence(str(n), text) for n, text in enumerate(texts)), well_formed=least)
    whole = {text for text in texts if well_formed(text) >= least}
    assert {row["text"]: row["well_formed"] for row in outcome.kept.to_pylist()} == {
        text: well_formed(text) for text in whole
    }
    assert {(texts[int(row["id"])], row["reason"], row["score"]) for row in outcome.dropped.to_pylist()} == {
        (text, "well_formed", well_formed(text)) for text in texts if text not in whole
    }


def test_stored_scores_count_the_sentences_that_another_bound_would_keep():
    texts = [
        "We compare both of the models on the same texts.",
        "We compare both of the models on the same texts [1].",
        "The model that we have of the is better.",
        "on the standard metric the model is better than that of",
        "No.",
    ]
    rows = [paper_sentence(str(n), text) for n, text in enumerate(texts)]
    made = {least: embedded(*rows, well_formed=least) for least in (0.0, 0.3, 0.8, 1.0)}
    counts = {least: sentences_in(outcome.kept) for least, outcome in made.items()}
    assert counts == {0.0: 4, 0.3: 3, 0.8: 2, 1.0: 0}
    for outcome in made.values():
        tables = scores_whole(in_memory(outcome.kept), in_memory(outcome.dropped))
        scores = {row["id"]: row["score"] for table in tables for row in table.to_pylist()}
        assert set(scores) == {row["id"] for row in rows}
        for least, count in counts.items():
            assert sum(score is not None and score >= least for score in scores.values()) == count


def test_terms_are_expanded_by_their_own_paper():
    outcome = embedded(
        paper_sentence("a", "We study word sense disambiguation (WSD) in this paper."),
        paper_sentence("b", "WSD is the task of finding the sense of a word in its context."),
        paper_sentence("c", "WSD is the task of finding the very weather of some day.", paper="q"),
    )
    terms = {row["source_ids"][0]: row["mentions"][0]["term"] for row in outcome.kept.to_pylist()}
    assert terms == {"a": None, "b": "word sense disambiguation", "c": "wsd"}


def test_a_citation_of_an_unknown_paper_is_counted_and_ignored():
    blank = {"id": "m", "sentence_id": "a", "section": 0, "start": 0, "end": 1, "entry": None}
    marks = [
        {**blank, "text": "[1]", "cited_id": "doi:10/1", "cited_title": "Known"},
        {**blank, "text": "[2]", "cited_id": None, "cited_title": "By its Title!"},
        {**blank, "text": "[3]", "cited_id": None, "cited_title": None},
    ]
    outcome = embedded(paper_sentence("a", "We build on what was found before [1] [2] [3]."), marks=marks)
    (row,) = outcome.kept.to_pylist()
    assert row["mentions"][0]["cited"] == ["doi:10/1", "title:by its title"]
    assert row["text"] == "We build on what was found before."
    assert outcome.combinations == {"unknown_paper": 1}


def test_a_mention_names_the_source_and_the_doi_of_its_paper():
    rows = [paper_sentence(name, "We show that it works well.", paper=name) for name in "ab"]
    outcome = embedded(*rows, dois={"a": "10.1000/1"})
    mentions = [one for several in outcome.kept["mentions"].to_pylist() for one in several]
    assert [(one["paper_id"], one["source"], one["doi"]) for one in mentions] == [
        ("a", "text", "10.1000/1"), ("b", "text", None),
    ]  # fmt: skip


def test_an_area_is_that_of_the_source():
    outcome = embedded(paper_sentence("a", "We show that it works well."), areas={"text": "law"})
    assert outcome.kept["area"].to_pylist() == ["law"]


def test_a_papers_area_follows_from_its_subjects_but_the_sources_area_takes_precedence():
    defines = "Parsing is the task of finding the tree of a sentence."
    rows = [paper_sentence(name, defines, paper=name) for name in "abcd"]
    subjects = {"a": ["cs.CL"], "b": ["Oncotarget", "Physics"], "c": ["cs.LG"], "d": ["Oncotarget"]}
    outcome = embedded(*rows, subjects=subjects)
    found = {name: row["area"] for row in outcome.kept.to_pylist() for name in row["source_ids"]}
    assert found == {"a": "computer science", "b": "physics", "c": "computer science", "d": ""}
    assert outcome.combinations == {"unknown_subjects": 1}
    outcome = embedded(*rows, subjects=subjects, areas={"text": "law"})
    assert outcome.kept["area"].to_pylist() == ["law"] * 4


def test_abstracts_have_the_areas_of_their_categories_and_of_their_domain():
    def rows(domain, **more):
        abstract = {"id": "a", "abstract": "Parsing is the task of finding the tree of a sentence.", **more}
        one = record("abstracts", "a.jsonl", json.dumps(abstract))._replace(domain=domain)
        table = parse_passages([one]).kept
        (outcome,) = embedded_passages(in_memory(table), StatementParams(), True)
        return table["subjects"].to_pylist() + outcome.kept["area"].to_pylist()

    assert rows("", categories="cs.CL cs.LG") == [["cs.CL", "cs.LG"], "computer science"]
    assert rows("", categories=["Physics", None]) == [["Physics"], "physics"]
    assert rows("physics", categories="Dresden") == [["Dresden", "physics"], "physics"]
    assert rows("") == [[], ""]


def test_abstracts_have_the_doi_of_their_row():
    lines = [{"id": "a", "abstract": "One is here.", "doi": "https://doi.org/10.1000/A"},
             {"id": "a", "abstract": "One is here."}]  # fmt: skip
    found = [parse_passages([record("abstracts", "a.jsonl", json.dumps(line))]).kept for line in lines]
    assert [table["doi"].to_pylist() for table in found] == [["10.1000/a"], [None]]


def record(kind, path, content):
    document = Path(path).parent.name if kind == "citing_sentences" else "document"
    return Record(f"source/{path}", "source", kind, "MIT", "2018-06", Raw(path, document, content.encode()))


def test_abstracts_and_citing_sentences_become_sentences_with_their_papers():
    abstract = json.dumps({"id": "document", "abstract": "One is here. Another one follows."})
    citing = json.dumps(
        [{"citing_paper_id": "P1", "clean_text": "It  cites."}, {}, {"raw_text": "So does it."}]
    )
    outcome = parse_passages(
        [
            record("abstracts", "a.jsonl", abstract),
            record("citing_sentences", "W00/citing.json", citing),
            record("abstracts", "b.jsonl", json.dumps({"id": "b"})),
            record("citing_sentences", "X/citing.json", "[{"),
            record("citing_sentences", "Y/citing.json", "{}"),
            record("citing_sentences", "Z/citing.json", "[]"),
        ]
    )
    assert outcome.kept.select(["paper", "position", "cited_id", "text"]).to_pylist() == [
        {"paper": "document", "position": 0, "cited_id": None, "text": "One is here."},
        {"paper": "document", "position": 1, "cited_id": None, "text": "Another one follows."},
        {"paper": "P1", "position": 0, "cited_id": "W00", "text": "It cites."},
        {"paper": "W00#3", "position": 1, "cited_id": "W00", "text": "So does it."},
    ]
    assert outcome.combinations == {"empty": 1}
    causes = [error.partition(": ")[2] for error in outcome.rejected["error"].to_pylist()]
    assert [cause.partition(":")[0] for cause in causes] == [
        "no field abstract; there are", "malformed JSON", "no list of citing sentences", "no citing sentence",
    ]  # fmt: skip


def passages(*rows):
    """Embed passages given as (id, cited paper, text)."""
    (outcome,) = embedded_passages(in_memory(passage_table(*rows)), StatementParams(), True)
    return outcome


def passage_table(*rows):
    full = [
        {**dict.fromkeys(PASSAGE_SHAPE.kept.names), "id": name, "source_ids": ["source/a"], "licence": "MIT",
         "paper": "P1", "cited_id": cited, "text": text}
        for name, cited, text in rows
    ]  # fmt: skip
    return pa.Table.from_pylist(full, schema=PASSAGE_SHAPE.kept)


def test_passages_are_embedded_like_sentences():
    outcome = passages(
        ("a", "W00", "Parsing is the task of finding the tree of a sentence (Lee, 2000)."), ("b", None, "No.")
    )
    (row,) = outcome.kept.to_pylist()
    assert row["text"] == "Parsing is the task of finding the tree of a sentence."
    (place,) = row["mentions"]
    assert (place["paper_id"], place["role"], place["term"], place["cited"]) == (
        "P1",
        "citance",
        "parsing",
        ["W00"],
    )
    assert outcome.dropped["reason"].to_pylist() == ["short"]
    assert set(PASSAGE_FORMATS) == {"abstracts", "citing_sentences"}


def test_a_passage_that_defines_and_cites_nothing_is_dropped_as_in_no_group():
    """Passages are compared only by term and by cited paper, so that nothing would read it."""
    same = "We show that it works for all of these."
    outcome = passages(
        ("plain", None, "We know that it works for all of those."),
        ("same", None, same),
        ("defines", None, "Parsing is the task of finding the tree of a sentence."),
        ("cites", "W00", same),
        ("short", None, "No."),
        ("foreign", None, "Wir haben das Modell an den Daten trainiert und getestet."),
    )
    kept = {tuple(row["source_ids"]): len(row["mentions"]) for row in outcome.kept.to_pylist()}
    assert kept == {("same", "cites"): 2, ("defines",): 1}
    assert dict(outcome.dropped.select(["id", "reason"]).to_pandas().itertuples(index=False)) == {
        "plain": "no_group",
        "short": "short",
        "foreign": "not_english",
    }


def test_a_sentence_of_a_paper_that_defines_and_cites_nothing_is_kept_for_pairs_within_it():
    assert len(embedded(paper_sentence("a", "We show that it works for all of these.")).kept) == 1


def test_a_sentence_that_nothing_would_compare_is_dropped_and_never_embedded(monkeypatch):
    embedded_texts = []
    embedder = slices.embedder

    def remembered(*given):
        return lambda texts: (embedded_texts.extend(texts), embedder(*given)(texts))[1]

    monkeypatch.setattr(slices, "embedder", remembered)
    plain, term = "We show that it works well.", "Parsing is the task of finding the tree of a sentence."
    rows = [
        paper_sentence("abstract", plain),
        paper_sentence("again", plain, section=1, role="method"),
        paper_sentence("term", term, section=1, role="method"),
        paper_sentence("plain", "We ran it on ten machines of a cluster.", section=1, role="method"),
        paper_sentence("outside", "We ran it on one machine of a cluster.", section=-1),
    ]
    outcome = embedded(*rows)
    assert outcome.kept["source_ids"].to_pylist() == [["abstract", "again"], ["term"]]
    lost = zip(outcome.dropped["id"].to_pylist(), outcome.dropped["reason"].to_pylist(), strict=True)
    assert dict(lost) == {"plain": "no_group", "outside": "no_group"}
    assert embedded_texts == [plain, term]


def test_a_sentence_that_is_dropped_puts_no_other_in_its_group():
    text = "Parsing is the task of finding the tree of a sentence."
    outcome = embedded(
        paper_sentence("listed", text, section=2, role="references"),
        paper_sentence("alone", "We ran it on ten machines of a cluster.", section=1, role="method"),
    )
    assert dict(zip(*(outcome.dropped[name].to_pylist() for name in ("id", "reason")), strict=True)) == {
        "listed": "role_references", "alone": "no_group",
    }  # fmt: skip


def test_names_with_a_year_are_keys_of_cited_works():
    assert printed_keys("Blei et al. (2003) and others (Hofmann, 1999; Blei et al., 2003a) agree.") == [
        "blei et al 2003",
        "hofmann 1999",
        "blei et al 2003a",
    ]
    assert printed_keys("Okafor and Lindqvist (2017) agree (Okafor & Lindqvist, 2017).") == [
        "okafor lindqvist 2017"
    ]
    same = [
        "Blei, Ng, and Jordan (2003) agree.",
        "(Blei and colleagues, 2003)",
        "See Blei, Ng, et al. (2003).",
    ]
    assert {key for text in same for key in printed_keys(text)} == {"blei et al 2003"}
    assert printed_keys("In 2003 there were 1999 words.") == []


@pytest.mark.parametrize(
    "text",
    [
        "It is shown again (Table, 1999).",
        "It was held in June, 2003 and again in (May 2004).",
        "It is that of (EMNLP, 2008), CoNLL (2003), Senseval (2001) and WordNet (1998).",
        "However, 2003 was the year of the Workshop (2003) and of Proceedings of ACL, 2004.",
    ],
)
def test_months_venues_and_tables_are_not_works(text):
    assert printed_keys(text) == []


def test_names_are_separated_from_the_words_before_them():
    assert printed_keys("Recently, Blei et al. (2003), McDonald (2005) and O'Connor (2010) agree.") == [
        "blei et al 2003", "mcdonald 2005", "o'connor 2010",
    ]  # fmt: skip


def entry(text="", authors=(), year=None, ids=(), title=None):
    return {
        "key": text,
        "text": text,
        "title": title,
        "year": year,
        "authors": list(authors),
        "ids": list(ids),
    }


BIBLIOGRAPHY = [
    entry(authors=["David M. Blei", "Andrew Y. Ng", "Michael Jordan"], year="2003", ids=["doi:10/lda", "s2orc:1"]),
    entry("Hofmann, T. 1999. Probabilistic LSA. In SIGIR.", title="Probabilistic LSA"),
    entry("Lee, L. 2001a. On trees. In ACL.", ids=["doi:10/a"]),
    entry("Lee, L. 2001b. On graphs. In ACL.", ids=["doi:10/b"]),
    entry("Ng, A. 2003. Of nothing told."),
]  # fmt: skip


@pytest.mark.parametrize(
    ("key", "found"),
    [
        ("blei et al 2003", "doi:10/lda"), ("blei ng jordan 2003", "doi:10/lda"), ("blei 2004", None),
        ("hofmann 1999", "title:probabilistic lsa"), ("hofmann 1999a", "title:probabilistic lsa"),
        ("lee 2001b", "doi:10/b"), ("lee 2001", None), ("ng 2003", None), ("jordan 2003", None),
    ],
)  # fmt: skip
def test_a_bibliography_resolves_names_and_year_to_a_work(key, found):
    assert PrintedWorks(BIBLIOGRAPHY).of(key) == found


def test_looking_up_works_is_linear_in_the_number_of_citations():
    """Every key used to be compared with every entry of its year: 4 million times."""
    many = 2_000
    entries = [
        entry(f"Lee, A. and X{'abcd'[n % 4]}{n}. 2001. On {n}.", ids=[f"doi:{n}"]) for n in range(many)
    ]
    keys = [f"lee x{'abcd'[n % 4]}{n} 2001" for n in range(many)]

    def looked_up():
        works = PrintedWorks(entries)
        return [works.of(key) for key in keys]

    lines, found = lines_run(looked_up)
    assert found == [f"doi:{n}" for n in range(many)]
    assert lines < 100 * many


def test_printed_and_marked_citances_of_one_work_are_grouped():
    """One paper's format gives its marks; the other one has a bibliography, and marks in running text."""
    mark = {"id": "m", "sentence_id": "a", "section": 0, "start": 0, "end": 1, "text": "[1]", "entry": "b0",
            "cited_id": "doi:10/lda", "cited_title": None}  # fmt: skip
    outcome = embedded(
        paper_sentence("a", "Topic models are found by variational inference [1]."),
        paper_sentence("b", "Topic models of documents are due to Blei et al. (2003).", paper="q"),
        marks=[mark],
        bibliographies={"q": BIBLIOGRAPHY},
    )
    assert [row["mentions"][0]["cited"] for row in outcome.kept.to_pylist()] == [["doi:10/lda"]] * 2


def test_printed_marks_count_only_if_the_source_gives_none():
    text = "It is known that topic models are old (Blei et al., 2003)."
    (row,) = embedded(paper_sentence("a", text)).kept.to_pylist()
    assert row["mentions"][0]["cited"] == ["printed:blei et al 2003"]
    mark = {"id": "m", "sentence_id": "b", "section": 0, "start": 0, "end": 1, "text": "[1]", "entry": None,
            "cited_id": "doi:1", "cited_title": None}  # fmt: skip
    (row,) = embedded(paper_sentence("a", text), marks=[mark]).kept.to_pylist()
    assert row["mentions"][0]["cited"] == []


def test_slices_of_a_part_are_joined_to_the_rows_of_the_whole(tmp_path, monkeypatch):
    """Also if a part has one row, a sentence occurs twice, and a text is dropped."""
    texts = [
        "We show that pairs are found again.",
        "Too short.",
        *(f"We show {n} pairs of them." for n in range(9)),
    ]
    table = passage_table(*((f"a{n}", "B", text) for n, text in enumerate([*texts, texts[0]])))
    records = pa.array([[f"source/{n // 2}"] for n in range(len(table))])
    of_records = table.set_column(table.schema.get_field_index("source_ids"), "source_ids", records)
    parts = [of_records.cast(table.schema), passage_table(("z", "B", texts[0]))]
    embedder, embedded_slices = slices.embedder, []
    monkeypatch.setattr(slices, "embedder", lambda *a: embedded_slices.append(a) or embedder(*a))
    whole, sliced = tmp_path / "whole", tmp_path / "sliced"
    for folder, size, count in ((whole, slices.SLICE, 2), (sliced, 3, 4)):
        folder.mkdir()
        monkeypatch.setattr(slices, "SLICE", size)
        embedded_slices.clear()
        outcomes = embedded_passages(in_memory(*parts), StatementParams(), True)
        write_outcomes(folder, outcomes, EMBEDDED_PASSAGES)
        assert len(part_files(folder, "kept")) == 2
        assert len(embedded_slices) == count
    assert folder_hashes(whole) == folder_hashes(sliced)
