"""References of articles in a run: copies and off-topic pages are left out with a reason."""

import json
from urllib.parse import parse_qs, urlsplit

import pyarrow.parquet as pq
import pytest

from tests.ops.crawl.crawling import QUICK
from tests.ops.crawl.hostile import answering, reply
from tests.projects import Project

LEAD = (
    "'''Salt bread''' is a flat bread of the islands of Varn, which the monks of Torrow baked first, on hot "
    "stones in the chapel yard, when no oven had been built and the salt pans of the bay were still worked."
)
HISTORY = (
    "In the old days every house had a stone of its own. A law of the council ended this when the harbour "
    "burned, and since then the bread is baked by the guild alone, which sells it at the fair of the town."
)
#: Contains the words of a small section, as any long page does.
SMALL = "It is on the list of the council."
#: Long and unrelated, with every word of the small section and of its heading.
OTHER = (
    "The council of another town met on Monday. It is said that the list of further reading, of use to all, is "
    "the longest that was printed by the press, and that nobody of the council has read it to its end."
)
ABOUT = (
    "Visitors ask for salt bread before anything else. The guild bakes salt bread in the morning, and sells "
    "what is left of it at noon for half of its price to whoever waits at the door."
)
MENTION = (
    "Further reading is sold at the harbour, beside salt, bread, nets and all that a boat may need at sea."
)


def page(*paragraphs):
    return f"<html><body><main>{''.join(f'<p>{text}</p>' for text in paragraphs)}</main></body></html>"


@pytest.fixture
def project(sample_project, tmp_path) -> Project:
    """A checkout with an article that cites nothing, and four pages that a search finds for it."""
    project = sample_project.copy(tmp_path / "project")
    articles, pages = (project.root / "corpus" / name for name in ("articles", "pages"))
    for folder in (articles, pages):
        folder.mkdir(parents=True)
    text = f"{LEAD}\n\n== History ==\n{HISTORY}\n\n== Reading ==\n{SMALL}\n"
    (articles / "Salt bread.txt").write_text(text)
    copied = page(LEAD.replace("'''", ""), HISTORY, SMALL)
    for name, content in {
        "mirror": copied,
        "other": page(OTHER),
        "about": page(ABOUT),
        "mention": page(MENTION),
    }.items():
        (pages / f"{name}.html").write_text(content)

    def only_this(params):
        wikisum = params["wikisum"]
        wikisum["tokenizer"]["vocabulary"] = 300
        licence = {"licence": "CC0-1.0"}
        params.clear()
        params.update(
            partitions={"every": "none"},
            wikisum=wikisum,
            release={},
            sources={
                "articles": {"mine": {"kind": "wikitext", "path": "corpus/articles", **licence}},
                "web_pages": {"mine": {"kind": "html", "path": "corpus/pages", **licence}},
            },
        )

    project.params(only_this)
    return project


def rows(project, name, table="kept"):
    files = sorted((project.root / "data" / name).rglob(f"{table}-*.parquet"))
    return [row for file in files for row in pq.read_table(file).to_pylist()]


def reasons(project):
    return {
        row["address"]: (row["reason"], row["score"]) for row in rows(project, "wikisum/corpus", "dropped")
    }


@pytest.mark.long
def test_copies_and_off_topic_pages_are_left_out_and_a_release_lists_what_is_cited(project):
    said = " ".join(project.silverloom("release", "wikisum", ok=False).split())
    assert "there is nothing to release; wikisum/examples dropped 1 units as no_crawlable_citation: " in said
    assert "wikisum.examples.citations: 0" in said
    found = {row["address"]: row for row in rows(project, "wikisum/references")}
    assert len(found) == 4 and all(row["hits"] and not row["cited"] for row in found.values())
    assert reasons(project) == {
        "mirror": ("clone", found["mirror"]["clone_recall"]),
        "other": ("other_topic", found["other"]["title_similarity"]),
    }
    assert found["mirror"]["clone_recall"] > 0.9 and found["other"]["clone_recall"] < 0.15
    assert {row["address"] for row in rows(project, "wikisum/corpus")} == {"about", "mention"}

    def paper(params):
        params["wikisum"]["references"] |= {"recall": "words"}
        params["wikisum"]["corpus"] |= {"clone_recall": 0.5, "title_similarity": 0}
        params["wikisum"]["examples"]["citations"] = 0

    project.params(paper)
    project.silverloom("release", "wikisum")
    assert reasons(project)["other"] == ("clone", 1.0)
    card = (project.root / "release/wikisum/README.md").read_text()
    [line] = [line for line in card.splitlines() if "examples without a cited page" in line]
    examples = rows(project, "wikisum/examples")
    sets = {row["set"] for row in examples}
    shares = [cell for cell in line.split("|")[2:-2] if cell.strip()]  # `normalised` repeats the texts alone
    assert shares == [" 1 "] * len(sets) and {row["cited_pages"] for row in examples} == {0}


@pytest.mark.long
def test_the_results_of_a_search_engine_are_the_references_of_its_queries(project):
    """Each section title gets ten results, in order; copies of the article are left out.

    The pages in the article's list of works cited come first.
    """
    copied = page(LEAD.replace("'''", ""), HISTORY, SMALL)
    texts = {
        f"/{kind}{number}": page(f"{ABOUT} Number {number} of {kind}.")
        for kind in "th"
        for number in range(1, 13)
    }
    texts |= {
        "/t3": copied,
        "/h1": page(OTHER),
        "/cited": page("The guild has a book of salt bread, and reads it at the fair."),
    }
    found = {"Salt bread": "t", "Salt bread History": "h"}

    def search(handler):
        fields = parse_qs(urlsplit(handler.path).query)
        site = f"http://{handler.headers['Host']}"
        results = [f"{site}/{found[fields['q'][0]]}{number}" for number in range(1, 13)]
        reply(body=json.dumps({"results": results}).encode())(handler)

    routes = {path: reply(body=text.encode(), kind="text/html") for path, text in texts.items()}
    with answering({"/search": search, **routes}) as (site, asked):
        with (project.root / "corpus/articles/Salt bread.txt").open("a") as file:
            file.write(
                f"\n== References ==\n{{{{refbegin}}}}\n* {{{{cite web|url={site}/cited}}}}\n{{{{refend}}}}\n"
            )
        options = {**QUICK, "licence": "CC0-1.0", "host_connections": 8}
        options |= {
            "url": f"{site}/search?q={{query}}",
            "results": "results",
            "not_asked": ["Reading", "References"],
        }

        def searched(params):
            params["wikisum"]["references"]["not_asked"] = ["Reading", "References"]
            sources = params["sources"]
            sources["cited_pages"] = {
                "mine": {
                    "kind": "citations",
                    "dataset": "sources/articles",
                    "options": {**QUICK, "licence": "CC0-1.0"},
                },
            }
            sources["found_pages"] = {
                "engine": {"kind": "search", "dataset": "sources/articles", "options": options}
            }
            for crawl in ("cited_pages", "found_pages"):
                sources["web_pages"][crawl] = {"kind": "crawled", "dataset": f"sources/{crawl}"}

        project.params(searched)
        project.silverloom("render")
        project.silverloom("run", "--select", "wikisum/corpus")
    queries = {path for path in asked.paths() if path.startswith("/search")}
    assert queries == {"/search?q=Salt+bread", "/search?q=Salt+bread+History"}
    references = {row["address"].removeprefix(site): row for row in rows(project, "wikisum/references")}
    cited = references.pop("/cited")
    assert {
        address: [(hit["query"], hit["rank"], hit["score"]) for hit in row["hits"]]
        for address, row in references.items()
    } == {f"/{kind}{rank}": [(query, rank, None)] for query, kind in found.items() for rank in range(1, 11)}
    assert cited["cited"] and not cited["hits"] and not any(row["cited"] for row in references.values())
    lost = {address.removeprefix(site): reason for address, (reason, _) in reasons(project).items()}
    assert lost == {"/t3": "clone"}  # a page that an engine found may be about anything
    kept = {row["address"].removeprefix(site) for row in rows(project, "wikisum/corpus")}
    assert kept == {"/cited", *references} - {*lost}
    listings = rows(project, "sources/found_pages", "dropped")
    assert {(row["url"], row["reason"], row["score"]) for row in listings if row["depth"] == 1} == {
        (query, "listing", 10) for query in found
    }


@pytest.mark.long
def test_a_set_of_whole_articles_ranks_by_the_article_and_limits_its_length(project):
    def sets(params):
        wikisum = params["wikisum"]
        wikisum["corpus"] |= {"clone_recall": 1.0, "title_similarity": 0}
        wikisum["ranked"] |= {"rankers": ["cheating"], "corpora": ["combined"]}
        article = {"target": "article", "ranker": "cheating"}
        wikisum["examples"] |= {
            "citations": 0,
            "sets": {
                "lead": {"ranker": "cheating"},
                "article": article,
                "short": {**article, "longest_target": 20},
                "cut": {**article, "longest_target": 20, "longer_targets": "cut"},
            },
        }
        for reader in ("grid", "summarizer", "summaries", "statistics", "evaluation", "rating_sheets"):
            wikisum.pop(reader, None)

    project.params(sets)
    project.silverloom("render")
    project.silverloom("run", "--select", "wikisum/examples")
    found = {row["set"]: row for row in rows(project, "wikisum/examples")}
    begins = {name: row["source"].partition("<eot> ")[2][:12] for name, row in found.items()}
    assert begins == {"lead": "salt bread i", "article": "in the old d", "cut": "in the old d"}
    assert found["cut"]["longest_target"] == 20 < len(found["cut"]["target_tokens"])  # the reader cuts
