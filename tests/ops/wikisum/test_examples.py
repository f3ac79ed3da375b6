"""From references to ranked paragraphs and examples, and statistics about them."""

import json

import pytest

from silverloom.ops.core.sampling import split_of
from silverloom.ops.text.word_numbers import normalised
from silverloom.ops.wikisum import schemas
from silverloom.ops.wikisum.corpus import CorpusParams
from silverloom.ops.wikisum.dispersion import DispersionParams
from silverloom.ops.wikisum.examples import ExampleParams, InputSet, articles_of, citations, examples
from silverloom.ops.wikisum.learned_ranker import LearnedRanker, LearnedRankerParams, learned_ranker
from silverloom.ops.wikisum.learned_ranker import load as load_ranker
from silverloom.ops.wikisum.models.grid import GridParams, grid_examples
from silverloom.ops.wikisum.ranked import RankedParams, first_words, lead_recall, order_of
from silverloom.ops.wikisum.schemas import SplitParams
from silverloom.ops.wikisum.statistics import statistics
from silverloom.ops.wikisum.tokenizer import END, PAD, SEPARATOR, TITLE_END, TokenizerParams, tokenizer
from silverloom.ops.wikisum.tokenizer import load as load_tokenizer
from tests.ops.wikisum.encyclopedia import Steps, article, artifact, conserved, page
from tests.parts import parts

MONKS = "The monks of Torrow baked it first, on hot stones."
HARBOUR = "In the harbour a shop sells salt bread every day."
ALL_TRAIN = SplitParams(validation=0, test=0)


@pytest.fixture
def steps(tmp_path):
    return Steps(
        tmp_path,
        [
            article(
                "Salt bread",
                "Salt bread is a flat bread.",
                [("History", MONKS), ("See also", "")],
                ["http://a/1"],
            )
        ],
        [
            page("http://a/1", "Home", MONKS, HARBOUR),
            page("http://b/1", "Bread of salt is sold in many towns.", "1 2 3 4 5 6 ."),
        ],
        corpus=CorpusParams(clone_recall=0.5, title_similarity=0),
    )


def made(steps, sets, splits=ALL_TRAIN, vocabulary=300, **params):
    """The examples of one part."""
    ranked = steps.parts("ranked")
    pieces = artifact(
        steps.folder / "tokenizer",
        schemas.TOKENIZER,
        list(tokenizer(ranked, splits, TokenizerParams(vocabulary=vocabulary))),
    )
    ranker = artifact(
        steps.folder / "ranker",
        schemas.LEARNED_RANKER,
        list(learned_ranker(ranked, splits, LearnedRankerParams(words=(5, 50)))),
    )
    steps.pieces, steps.ranker = pieces, ranker
    [outcome] = examples(ranked, pieces, ranker, splits, ExampleParams(sets=sets, **params))
    conserved(outcome)
    return outcome


def test_paragraphs_are_kept_or_filtered_with_their_reason(steps):
    [row] = steps.kept("ranked")
    assert [paragraph["text"] for paragraph in row["paragraphs"]] == [
        normalised(MONKS),
        normalised(HARBOUR),
        "bread of salt is sold in many towns .",
    ]
    assert [(paragraph["reason"], paragraph["text"]) for paragraph in row["filtered"]] == [
        ("few_tokens", "home"),
        ("no_letter", "1 2 3 4 5 6 ."),
    ]
    assert steps.outcome("ranked").combinations == {"few_tokens": 1, "no_letter": 1}
    assert row["lead"] == "salt bread is a flat bread ."
    assert row["natural_lead"] == "Salt bread is a flat bread."
    assert row["sections"] == [
        {"title": "history", "text": normalised(MONKS), "natural_title": "History", "natural": MONKS}
    ]
    assert [paragraph["natural"] for paragraph in row["paragraphs"]][:2] == [MONKS, HARBOUR]
    assert row["citations"] == 1


def test_boilerplate_and_repeated_paragraphs_are_not_read(tmp_path):
    note = "This site stores cookies on your device, as all sites do."
    pages = [
        page("http://a/1", MONKS, note, boilerplate=[1]),
        page("http://b/1", "Salt bread.", MONKS, MONKS, title="Salt bread"),
    ]
    bread = article("Salt bread", "Salt bread is a flat bread.", [], ["http://a/1"])
    lenient = CorpusParams(clone_recall=1, title_similarity=0)
    [row] = Steps(tmp_path / "1", [bread], pages, corpus=lenient).kept("ranked")
    assert [(one["text"], one["cited"], one["searched"]) for one in row["paragraphs"]] == [
        (normalised(MONKS), True, True)
    ]
    assert [one["reason"] for one in row["filtered"]] == ["boilerplate", "few_tokens", "repeated", "repeated"]
    as_in_the_paper = RankedParams(boilerplate=1, repeated="kept")
    [row] = Steps(tmp_path / "2", [bread], pages, corpus=lenient, ranked=as_in_the_paper).kept("ranked")
    assert len(row["paragraphs"]) == 4


def test_paragraphs_in_another_language_are_not_read(tmp_path):
    monks = "Die Mönche haben das Brot mit dem Salz gebacken, und es wurde in allen Städten verkauft."
    cited = (
        "^ Kaa, Hirini (May 2011). Māori and Christian bread. Encyclopedia of New Zealand. Retrieved 1 May."
    )
    bread = article("Salt bread", "Salt bread is a flat bread.", [], ["http://a/1"])
    lenient = CorpusParams(clone_recall=1, title_similarity=0)
    for language, read in [("en", [MONKS, cited]), (None, [MONKS, monks, cited])]:
        pages, ranked = [page("http://a/1", MONKS, monks, cited)], RankedParams(language=language)
        steps = Steps(tmp_path / str(language), [bread], pages, corpus=lenient, ranked=ranked)
        [row] = steps.kept("ranked")
        assert [one["natural"] for one in row["paragraphs"]] == read
    assert not row["filtered"]


def test_every_ranker_scores_the_paragraphs_of_every_corpus(steps):
    [row] = steps.kept("ranked")
    scores = {(ranking["corpus"], ranking["ranker"]): ranking["scores"] for ranking in row["rankings"]}
    assert len(scores) == 15
    assert scores["citations", "identity"] == [2, 1, None]
    assert scores["search", "identity"] == [None, None, 1]
    assert order_of(scores["citations", "identity"]) == [0, 1]
    # "salt" and "bread" are in two of three: 2 ln 1.5 each
    assert scores["combined", "tf_idf"] == [0, 0.81093, 0.81093]
    assert scores["combined", "cheating"] == [0, 0.2, 0]


def test_references_without_a_paragraph_are_dropped(tmp_path):
    pages = [page("http://a/1", "Bread.", "Home"), page("http://a/2", HARBOUR)]
    bread = article("Bread", "Bread.", cites=["http://a/1", "http://a/2"])
    steps = Steps(tmp_path, [bread], pages)
    assert steps.dropped("ranked", "address", "reason", "score") == [("http://a/1", "no_paragraph", 2)]
    assert [row["citations"] for row in steps.kept("ranked")] == [1]


def test_a_sentence_with_a_hole_is_no_part_of_a_target_but_is_kept_beside_it(tmp_path):
    lead = "Bread was baked in. It is flat.\n\nIt has salt"
    bread = article("Bread", lead, [("Use", "It costs. It is eaten.")], cites=["http://a/1"])
    bread["holes"] = [lead.index(". It"), len(lead) + 2 + len("It costs")]
    steps = Steps(tmp_path / "strict", [bread], [page("http://a/1", HARBOUR)])
    (row,) = steps.kept("ranked")
    assert row["lead"] == "it is flat . it has salt"
    assert row["natural_lead"] == "It is flat.\n\nIt has salt"
    assert [(found["text"], found["natural"]) for found in row["sections"]] == [
        ("it is eaten .", "It is eaten.")
    ]
    assert row["left_out"] == [
        {"section": 0, "holes": 1, "text": "Bread was baked in."},
        {"section": 1, "holes": 1, "text": "It costs."},
    ]
    assert steps.outcome("ranked").combinations["sentence_with_holes"] == 2
    lenient = Steps(
        tmp_path / "lenient", [bread], [page("http://a/1", HARBOUR)], ranked=RankedParams(holes=1)
    )
    assert lenient.kept("ranked", "lead") == [("bread was baked in . it is flat . it has salt",)]


def test_very_many_paragraphs_are_not_compared_pairwise(tmp_path):
    bread = article("Bread", "Bread.", cites=["http://a/1"])
    steps = Steps(
        tmp_path, [bread], [page("http://a/1", MONKS, HARBOUR)], ranked=RankedParams(slow_paragraphs=1)
    )
    [row] = steps.kept("ranked")
    notes = {
        ranking["ranker"]: ranking["note"] for ranking in row["rankings"] if ranking["corpus"] == "combined"
    }
    assert notes["text_rank"] == notes["sum_basic"] == "more than 1 paragraphs: reference order"
    assert notes["tf_idf"] == ""


def test_an_example_has_title_and_ranked_paragraphs_as_input_and_the_lead_as_target(steps):
    outcome = made(steps, {"lead": InputSet(tokens=1000), "whole": InputSet(target="article", tokens=7)})
    lead, whole = outcome.kept.to_pylist()
    harbour = normalised(HARBOUR)
    assert (
        lead["source"]
        == f"salt bread {TITLE_END} {harbour} bread of salt is sold in many towns . {normalised(MONKS)}"
    )
    assert lead["target"] == "salt bread is a flat bread ."
    assert whole["target"] == f"salt bread is a flat bread . == history == {normalised(MONKS)}"
    assert (
        lead["source_text"] == f"Salt bread\n\n{HARBOUR}\n\nBread of salt is sold in many towns.\n\n{MONKS}"
    )
    assert lead["target_text"] == "Salt bread is a flat bread."
    assert whole["target_text"] == f"Salt bread is a flat bread.\n\n== History ==\n\n{MONKS}"
    assert lead["source_text"].startswith(whole["source_text"])
    assert normalised(whole["source_text"]) == whole["source"].replace(f" {TITLE_END}", "")
    assert (lead["used_paragraphs"], whole["used_paragraphs"]) == (3, 1)
    assert whole["source_tokens"] == lead["source_tokens"][:7]
    pieces = load_tokenizer(steps.pieces)
    assert pieces.decode(lead["target_tokens"]).strip() == lead["target"]
    assert [pieces.token_to_id(word) for word in (PAD, END, SEPARATOR, TITLE_END)] == [0, 1, 2, 3]
    assert whole["source"].startswith(f"salt bread {TITLE_END} ") and lead["source"].startswith(
        whole["source"]
    )


def test_a_section_is_written_from_title_heading_and_the_paragraphs_about_them(tmp_path):
    sections = [("Harbour", HARBOUR), ("Monks of Torrow", MONKS), ("Empty", "")]
    bread = article("Salt bread", "Salt bread is a flat bread.", sections, ["http://a/1"])
    plain = article("Tane", "Tane is a river.", [], ["http://a/1"])
    steps = Steps(tmp_path, [bread, plain], [page("http://a/1", MONKS, HARBOUR)])
    sets = {"of": InputSet(target="section", tokens=1000), "outline": InputSet(target="outline")}
    outcome = made(steps, sets)
    harbour, monks, outline = outcome.kept.to_pylist()
    assert harbour["source"].startswith(f"salt bread harbour {TITLE_END} {normalised(HARBOUR)} ")
    assert monks["source"].startswith(f"salt bread monks of torrow {TITLE_END} {normalised(MONKS)} ")
    assert monks["source_text"].startswith(f"Salt bread Monks of Torrow\n\n{MONKS}")
    assert (monks["target"], monks["target_text"]) == (normalised(MONKS), MONKS)
    assert (monks["section"], monks["heading"]) == (2, "Monks of Torrow")
    assert (outline["target"], outline["section"], outline["heading"]) == (
        "== harbour == == monks of torrow ==",
        0,
        None,
    )
    assert len(set(outcome.kept["id"].to_pylist())) == 3
    assert [(row["title"], row["reason"]) for row in outcome.dropped.to_pylist()] == [("Tane", "no_section")]
    assert outcome.combinations == {"no_section_for_set": 2}
    assert len(made(steps, sets | {"lead": InputSet()}).kept) == 5


def test_an_example_says_where_its_texts_come_from(tmp_path):
    bread = article(
        "Salt bread", "Salt bread is a flat bread. Monks baked it.", [], ["http://a/1", "http://a/gone"]
    )
    bread |= {"page": "17", "revision": "94"}
    bread["citations"][0] |= {"title": "Bread", "date": "May 2010", "archive": "http://archive/1"}
    bread["citations"].append({"url": "http://a/9#top", "section": 0})
    lead, end = bread["text"].index(" Monks"), len(bread["text"])
    bread["marks"] = [{"place": lead, "citations": [2]}, {"place": end, "citations": [1, 0]}]
    pages = [
        page("http://b/1", "Bread of salt is sold in many towns.", title="Towns"),
        {**page("http://a/1", "Home", MONKS), "date": "2018-06-01"},
        page("http://a/2", HARBOUR),
    ]
    moved = [("http://a/9", "http://a/2")]
    steps = Steps(tmp_path, [bread], pages, moved, corpus=CorpusParams(clone_recall=1, title_similarity=0))
    [row] = made(steps, {"lead": InputSet(corpus="search", tokens=1000)}).kept.to_pylist()
    cut = InputSet(corpus="search", tokens=len(row["source_tokens"]) - 3)
    [row] = made(steps, {"lead": cut}).kept.to_pylist()
    assert (row["page"], row["revision"]) == ("17", "94")
    monks, harbour, towns = row["references"]
    assert [found["address"] for found in row["references"]] == ["http://a/1", "http://a/2", "http://b/1"]
    assert (monks["work"], monks["work_date"], monks["archive"]) == ("Bread", "May 2010", "http://archive/1")
    assert (monks["fetched"], monks["licence"], monks["cited_as"]) == (
        "2018-06-01",
        "CC0-1.0",
        ["http://a/1"],
    )
    assert (harbour["cited_as"], harbour["archive"]) == (["http://a/9"], None)
    assert (towns["title"], towns["cited"], towns["searched"]) == ("Towns", False, True)
    of_source = [
        (row["references"][found["reference"]]["address"], row["source_text"][found["start"] : found["end"]])
        for found in row["paragraphs"]
    ]
    assert [address for address, _ in of_source] == ["http://a/2", "http://b/1"]
    assert of_source[0][1] == HARBOUR
    assert (
        row["source_text"].endswith(of_source[1][1])
        and of_source[1][1] < "Bread of salt is sold in many towns."
    )
    first, second = row["sentences"]
    assert [row["target_text"][found["start"] : found["end"]] for found in row["sentences"]] == [
        "Salt bread is a flat bread.", "Monks baked it.",
    ]  # fmt: skip
    assert (first["citations"], first["references"], first["support"]) == (["http://a/9"], [1], 0)
    assert (second["citations"], second["references"]) == (["http://a/gone", "http://a/1"], [0])
    assert (second["support"], second["marks"]) == (1, [end])


def test_a_title_longer_than_the_input_leaves_no_room(steps):
    [row] = made(steps, {"short": InputSet(tokens=2)}).kept.to_pylist()
    assert len(row["source_tokens"]) == 2 and row["used_paragraphs"] == 0


def test_the_source_may_be_only_the_title(steps):
    [row] = made(steps, {"title": InputSet(references=False, target="article")}).kept.to_pylist()
    assert (row["source"], row["used_paragraphs"], row["cited_pages"]) == (f"salt bread {TITLE_END}", 0, 0)
    assert row["source_tokens"] == [*load_tokenizer(steps.pieces).encode("salt bread").ids, 3]
    assert row["target"].startswith("salt bread is a flat bread . == history ==")


def test_the_tokenizer_is_a_transformers_tokenizer(steps):
    from transformers import AutoTokenizer

    made(steps, {"lead": InputSet()})
    found = AutoTokenizer.from_pretrained(steps.pieces.folder)
    assert (found.pad_token_id, found.eos_token_id, found.sep_token_id) == (0, 1, 2)
    assert (
        found("salt bread", add_special_tokens=False)["input_ids"]
        == load_tokenizer(steps.pieces).encode("salt bread").ids
    )


def test_the_text_of_an_example_gives_its_tokens(steps):
    from transformers import AutoTokenizer

    rows = made(steps, {"whole": InputSet(tokens=1000), "cut": InputSet(tokens=9)}).kept.to_pylist()
    assert [row["used_paragraphs"] for row in rows] == [3, 1]
    theirs = AutoTokenizer.from_pretrained(steps.pieces.folder)
    for row in rows:
        assert load_tokenizer(steps.pieces).encode(row["source"]).ids == row["source_tokens"]
        assert theirs(row["source"])["input_ids"] == row["source_tokens"]


def test_nothing_is_learnt_from_held_out_articles(steps):
    held_out = SplitParams(validation=0.5, test=0.499)
    assert split_of("Salt bread", held_out) != "train"
    [row] = made(steps, {"learned": InputSet(ranker="learned")}, held_out).kept.to_pylist()
    assert row["note"] == "nothing could be learnt: reference order"
    assert steps.pieces.rows.read(["characters"])["characters"].to_pylist() == [0]
    assert load_ranker(steps.ranker) is None


def test_articles_without_what_an_example_needs_are_dropped_with_the_reason(tmp_path):
    articles = [
        article("Bread", "Bread is sold in the harbour.", cites=["http://a/1"]),
        article("Salt", "", [("Use", "Salt is used in bread.")], ["http://a/1"]),
        article("Harbour", "The harbour has a shop."),
    ]
    choosing = CorpusParams(clone_recall=1, title_similarity=0)
    steps = Steps(tmp_path, articles, [page("http://a/1", HARBOUR)], corpus=choosing)
    outcome = made(steps, {"lead": InputSet()})
    dropped = outcome.dropped.select(["title", "reason", "score"]).to_pylist()
    assert [tuple(row.values()) for row in dropped] == [
        ("Salt", "no_lead", None),
        ("Harbour", "no_crawlable_citation", 0),
    ]
    assert "wikisum.examples.citations: 0" in outcome.dropped["detail"].to_pylist()[1]
    [table] = citations(steps.parts("ranked"))
    assert table["score"].to_pylist() == [1, None, 0]
    both = made(steps, {"lead": InputSet(), "found": InputSet(corpus="search")}, citations=0)
    assert articles_of(both.kept) == 2
    assert {(row["title"], row["set"]): row["cited_pages"] for row in both.kept.to_pylist()} == {
        ("Bread", "lead"): 1,
        ("Bread", "found"): 0,
        ("Harbour", "lead"): 0,
        ("Harbour", "found"): 0,
    }
    only_cited = made(steps, {"cited": InputSet(corpus="citations")}, citations=0)
    assert only_cited.dropped["reason"].to_pylist() == ["no_lead", "no_paragraph"]
    assert only_cited.combinations == {"no_paragraph_in_corpus": 1}


def test_a_set_with_an_unknown_ranking_is_refused(tmp_path):
    steps = Steps(
        tmp_path,
        [article("Bread", "Bread.", cites=["http://a/1"])],
        [page("http://a/1", HARBOUR)],
        ranked=RankedParams(rankers=("identity",)),
    )
    with pytest.raises(
        LookupError, match=r"wikisum\.examples\.sets in params\.yaml asks for tf_idf over combined"
    ):
        made(steps, {"lead": InputSet()})


def test_cheating_uses_the_text_to_be_generated(steps):
    """The harbour's paragraph shares "salt bread" with the lead; the monks' is a section of the article."""
    sets = {kind: InputSet(ranker="cheating", target=kind, tokens=1000) for kind in ("lead", "article")}
    lead, whole = made(steps, sets).kept.to_pylist()
    assert lead["source"].startswith(f"salt bread {TITLE_END} {normalised(HARBOUR)}")
    assert whole["source"].startswith(f"salt bread {TITLE_END} {normalised(MONKS)}")


def test_articles_longer_than_the_limit_of_a_set_are_left_out_and_counted(steps):
    short = InputSet(target="article", longest_target=5)
    outcome = made(steps, {"short": short})
    assert outcome.dropped.select(["reason", "detail"]).to_pylist() == [
        {"reason": "too_long", "detail": "sub-words of the target"}
    ]
    [tokens] = outcome.dropped["score"].to_pylist()
    both = made(steps, {"short": short, "long": InputSet(target="article", longest_target=int(tokens))})
    assert both.kept["set"].to_pylist() == ["long"] and both.combinations == {"too_long_for_set": 1}
    [cut] = made(
        steps, {"cut": InputSet(target="article", longest_target=5, longer_targets="cut")}
    ).kept.to_pylist()
    assert (cut["longest_target"], len(cut["target_tokens"])) == (5, tokens)


@pytest.mark.parametrize(
    ("content", "longest"),
    [({}, None), ({"target": "article"}, 2192), ({"target": "article", "references": False}, 4000)],
)
def test_targets_are_as_long_as_in_the_paper(content, longest):
    assert InputSet(**content).longest_target == longest
    assert InputSet(**content, longest_target=None).longest_target is None


@pytest.mark.long
def test_a_paragraph_of_a_megabyte_is_truncated_like_any_other(tmp_path):
    huge = "the monks baked salt bread . " * 40_000
    steps = Steps(
        tmp_path, [article("Salt bread", "Salt bread.", cites=["http://a/1"])], [page("http://a/1", huge)]
    )
    [row] = made(steps, {"lead": InputSet(tokens=50)}).kept.to_pylist()
    assert len(row["source_tokens"]) == 50 and len(row["source"]) < 500


def test_the_first_words_are_truncated_across_paragraphs():
    assert first_words(["a b", "c d e", "f"], [1, 0, 2], 4) == "c d e a"
    assert first_words(["a b", "c"], [1], 4) == "c"
    unit = {"lead": "a b c", "paragraphs": [{"text": "b c"}, {"text": "a b"}]}
    assert lead_recall(unit, [1, 2], 2) == 0.5
    assert lead_recall(unit, [1, 2], 4) == 1


def test_a_ranker_learns_what_leads_contain_and_stores_it_in_its_bytes():
    def paragraphs(*texts):
        return [
            {"page_id": "p", "position": place, "cited": True, "searched": False, "text": text}
            for place, text in enumerate(texts)
        ]

    articles = []
    for number in range(12):
        name = f"place{number}"
        good = f"{name} is a town by the sea with {number} mills and a bridge ."
        bad = f"click here to buy tickets number {number} and more of them today ."
        articles.append((name, paragraphs(bad, f"buy {name} hats and coats in our shop now .", good), good))
    found = LearnedRanker.fit(articles, 0.001)
    assert LearnedRanker.of(found.content) == found
    scores = found.scores(
        "hollin",
        paragraphs("click here for tickets and more today .", "hollin is a town by the river with a mill ."),
    )
    assert order_of(scores) == [1, 0]
    assert found.scores("hollin", []) == []
    assert LearnedRanker.fit([("a", paragraphs("b c d"), "x y")], 0.001) is None
    with pytest.raises(ValueError, match="other features"):
        LearnedRanker.of(json.dumps({"features": [], "weights": []}).encode())


def test_recall_is_reported_by_article_ranker_and_length(steps):
    made(steps, {"lead": InputSet()}, SplitParams(validation=0.5, test=0.499))
    rows = steps.ranker.rows.read().to_pylist()
    found = {(row["ranker"], row["words"]): row["bigram_recall"] for row in rows}
    assert found["cheating", 50] == found["tf_idf", 50] == 0.2
    assert found["identity", 5] == 0
    assert all(row["held_out"] for row in rows)
    summary = json.loads((steps.ranker.folder / "recalls.json").read_text())
    [cheating] = [row for row in summary if (row["ranker"], row["words"]) == ("cheating", 5)]
    assert cheating["articles"] == 1 and "above_tf_idf" in cheating


def test_statistics_are_next_to_the_published_ones(steps):
    [outcome] = statistics(
        steps.parts("ranked"),
        steps.parts("corpus"),
        steps.parts("references"),
        ExampleParams(),
        steps.params[1],
        DispersionParams(),
    )
    conserved(outcome)
    [row] = outcome.kept.to_pylist()
    assert (row["lead_words"], row["citations"], row["search_results"]) == (7, 1, 1)
    assert row["citation_words"] == len(f"Home {MONKS} {HARBOUR}".split())
    # salt bread is a . bread; no "flat"
    assert row["rouge1_recall"] == pytest.approx(5 / 6, abs=1e-6)
    tables = json.loads(outcome.files["tables.json"])
    first = tables["table_2"][0]
    assert first == {"aspect": "lead_words", "percentile": 20, "value": 7, "published": 37}
    assert tables["table_1"][-1]["rouge1_recall"] == 83.33
    assert sum(row["candidates"] for row in tables["clones"]) == 2


def test_clones_are_counted_among_the_pages_that_may_be_clones(tmp_path):
    lead = "Salt bread is a flat bread."
    copies = [page(f"http://{host}/1", lead) for host in ("cited", "found", "both")]
    bread = article("Salt bread", lead, cites=["http://cited/1", "http://both/1"])
    steps = Steps(tmp_path, [bread], [*copies, page("http://other/1", "Salt is found in the sea .")])
    hits = {row["address"]: bool(row["hits"]) for row in steps.kept("references")}
    rows = [
        {**row, "hits": [] if row["address"] == "http://cited/1" else row["hits"]}
        for row in steps.kept("references")
    ]
    assert hits.pop("http://other/1") and len(hits) == 3
    found = parts(tmp_path / "cut", schemas.REFERENCES.kept, rows)

    def counts(*among):
        params = CorpusParams(clones_among=among)
        inputs = steps.parts("ranked"), steps.parts("corpus"), found
        [outcome] = statistics(*inputs, ExampleParams(), params, DispersionParams())
        tables = json.loads(outcome.files["tables.json"])["clones"]
        return tuple(sum(row[name] for row in tables) for name in ("candidates", "clones"))

    assert counts("search") == (3, 2)
    assert counts("citations") == (2, 2)
    assert counts("search", "citations") == (4, 3)


def test_every_set_of_the_grid_has_the_same_articles(tmp_path):
    """The monks' page says nothing of salt bread, so the search does not count it: only a citation leads there."""
    articles = [
        article("Salt bread", "Salt bread is a flat bread.", cites=["http://a/1"]),
        article("Glass street", "Glass street is a street.", cites=["http://a/2"]),
    ]
    pages = [page("http://a/1", HARBOUR, "A salt bread."), page("http://a/2", MONKS)]
    steps = Steps(tmp_path, articles, pages, corpus=CorpusParams(clone_recall=1, title_similarity=0))
    made(steps, {"lead": InputSet()})
    slices = {"corpora": {"corpora": ["combined", "citations", "search"]}}
    [outcome] = grid_examples(
        steps.parts("ranked"),
        steps.pieces,
        steps.ranker,
        ALL_TRAIN,
        ExampleParams(),
        GridParams.model_validate({"slices": slices}),
    )
    conserved(outcome)
    assert {(row["title"], row["corpus"]) for row in outcome.kept.to_pylist()} == {
        ("Salt bread", corpus) for corpus in ("combined", "citations", "search")
    }
    assert [(row["title"], row["reason"], row["detail"]) for row in outcome.dropped.to_pylist()] == [
        ("Glass street", "not_in_every_set", "tf_idf-search-500")
    ]
