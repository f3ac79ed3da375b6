"""A source may name a dataset instead of a folder: prose of articles, web pages, papers and talks."""

import pyarrow.parquet as pq
import pytest

from tests.end_to_end.corpus import write_corpus
from tests.ops.crawl.crawling import QUICK
from tests.projects import Project, small

ARTICLES = {
    "Tane": "The Tane is a [[river]]. It is long.\n\n== Fish ==\nSalmon came back.",
    "Mill": "#REDIRECT [[Tane]]",
}
PAGE = "<html><body><p>The ferry crosses twice a day, but it does not sail in winter.</p></body></html>"
NAMED = {
    "wiki": {"dataset": "sources/articles", "domain": "encyclopedia"},
    "web": {"dataset": "sources/web_pages", "domain": "web"},
    "science": {"dataset": "sources/papers", "options": {"without": {"sections.role": ["references"]}}},
    "spoken": {"dataset": "sources/talks", "max_bytes": 400},
}


def with_prose(params):
    small(params)
    month = {"constant": "2018-06"}
    for name, kind in {"articles": "wikitext", "web_pages": "html", "prose": "plain_prose"}.items():
        folder = {"kind": kind, "path": f"corpus/{name}", "month": month, "licence": "CC-BY-4.0"}
        params["sources"][name] = {"folder": folder}
    params["sources"]["prose"] |= NAMED


@pytest.fixture(scope="module")
def named_project(sample_project, tmp_path_factory) -> Project:
    project = sample_project.copy(tmp_path_factory.mktemp("named") / "checkout")
    write_corpus(project.root / "corpus")
    for name in ("articles", "web_pages", "prose"):
        (project.root / "corpus" / name).mkdir()
    for title, text in ARTICLES.items():
        (project.root / f"corpus/articles/{title}.wiki").write_text(text)
    (project.root / "corpus/web_pages/ferry.html").write_text(PAGE)
    (project.root / "corpus/prose/note.txt").write_text("A note.")
    project.params(with_prose)
    return project


@pytest.fixture(scope="module")
def made(named_project, tmp_path_factory):
    """The project after a run, and the output of the run."""
    project = named_project.copy(tmp_path_factory.mktemp("made") / "checkout")
    return project, project.silverloom("run", "--select", "sources/prose")


def prose(project, table="kept"):
    files = sorted((project.root / "data/sources/prose/2018-06").rglob(f"{table}-*.parquet"))
    return [row for file in files for row in pq.read_table(file).to_pylist()]


@pytest.mark.long
def test_rows_of_named_datasets_become_prose_next_to_prose_from_folders(made):
    project, output = made
    assert "sources/prose 2018-06: 6 kept, 0 dropped, 2 rejected" in output, output
    rows = {row["domain"] or row["document"]: row for row in prose(project)}
    assert rows["encyclopedia"]["text"] == "The Tane is a river. It is long.\n\nSalmon came back."
    assert (rows["encyclopedia"]["title"], rows["encyclopedia"]["licence"]) == ("Tane", "CC-BY-4.0")
    assert rows["web"]["text"] == "The ferry crosses twice a day, but it does not sail in winter."
    assert rows["note"]["text"] == "A note."
    too_large = "larger than max_bytes = 400; it was not read"
    rejected = prose(project, "rejected")
    assert [row["error"] for row in rejected] == [f"spoken/{row['id']}: {too_large}" for row in rejected]
    assert len(rejected) == 2
    assert project.made(project.silverloom("run", "--select", "sources/prose")) == []


@pytest.mark.long
def test_a_change_of_a_named_dataset_makes_the_month_of_its_reader_stale(made, tmp_path):
    project = made[0].copy(tmp_path / "checkout")
    (project.root / "corpus/articles/Salt.wiki").write_text("Salt is dear.")
    output = project.silverloom("run", "--select", "sources/prose")
    assert project.made(output) == ["sources/articles 2018-06", "sources/prose 2018-06"]
    assert "input sources/articles.2018-06 changed" in output
    assert "Salt is dear." in {row["text"] for row in prose(project)}


CHOICE = "can be named: sources/reference_texts, sources/test_sets, sources/papers, sources/sentences, "


@pytest.mark.long
def test_an_unknown_dataset_name_is_refused_with_the_valid_names(named_project, tmp_path):
    project = named_project.copy(tmp_path / "checkout")
    for source, message in [
        ({"dataset": "sources/artcles"}, f"no dataset is called 'sources/artcles' (did you mean sources/articles?); {CHOICE}"),
        ({"dataset": "articles"}, f"no dataset is called 'articles' (did you mean sources/articles?); {CHOICE}"),
        ({"dataset": "sources/citations"}, f"sources/citations has no text; {CHOICE}"),
        ({"dataset": "talksumm/tuning"}, f"talksumm/tuning has no partitions; {CHOICE}"),
        ({"dataset": "sources/prose"}, f"sources/prose cannot read itself; {CHOICE}"),
        ({"dataset": "sources/web_pages"}, "sources.prose.web: sources/web_pages is named twice"),
        ({"dataset": "sources/articles", "kind": "warc"}, "wiki: unknown kind 'warc' of rows; known: rows"),
        ({"dataset": "sources/articles", "path": "corpus"}, "unknown key sources.prose.wiki.path"),
        ({"dataset": "sources/articles", "options": {"below": {"words": 3}}}, "sources/articles has no words"),
        ({"dataset": "sources/articles", "options": {"over": {}}}, "wiki: options: over: Extra inputs"),
    ]:  # fmt: skip
        project.params(lambda params, source=source: params["sources"]["prose"].update(wiki=source))
        output = project.silverloom("run", "--select", "sources/prose", ok=False)
        assert message in " ".join(output.split()), output


@pytest.mark.parametrize(
    ("reader", "dataset", "message"),
    [
        pytest.param(
            "papers",
            "sources/sentences",
            "sources.papers.rows: sources/sentences is no crawl: it has no bytes, file, length, offset",
            marks=pytest.mark.long,
        ),
        (
            "articles",
            "sources/cited_pages",
            "sources.cited_pages.cited: sources/articles is made of sources/cited_pages",
        ),
        pytest.param(
            "talks",
            "sources/crawls",
            "sources.talks.rows: sources/talks reads folders alone, and no dataset",
            marks=pytest.mark.long,
        ),
    ],
)
def test_a_dataset_that_depends_on_its_reader_or_cannot_be_read_is_refused(
    named_project, tmp_path, reader, dataset, message
):
    project = named_project.copy(tmp_path / "checkout")
    cited = {"kind": "citations", "dataset": "sources/articles", "options": {**QUICK, "licence": "CC0-1.0"}}

    def change(params):
        params["sources"]["cited_pages"] = {"cited": cited}
        params["sources"][reader]["rows"] = {"dataset": dataset}

    project.params(change)
    assert message in " ".join(project.silverloom("render", ok=False).split())
