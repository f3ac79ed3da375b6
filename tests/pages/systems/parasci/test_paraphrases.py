"""The counts, lists and rows on the pages of ParaSCI."""

import json
import re

import pytest

from silverloom.assets.rows.reading import counted
from silverloom.ops.core.parts import FILES
from silverloom.ops.parasci.dataset.filtered import FilterParams
from silverloom.ops.parasci.dataset.filtered import passes as passes_thresholds
from silverloom.pages.systems.parasci import scores
from silverloom.pages.systems.parasci.funnel import funnel
from tests.browser.paraphrase_corpus import HARM, KEYS, Corpus, params_of, whole
from tests.browser.paraphrase_corpus import pairs as scored
from tests.ops.parasci.parasci_cases import scored_pair


def data_of(page):
    return json.loads(
        re.search(r'<script id="data" type="application/json">(.*?)</script>', page.decode(), re.S)[1]
    )


def limits():
    return params_of("parasci/filtered", FilterParams).origins


def passes(pair, origin):
    return passes_thresholds(pair, params_of("parasci/filtered", FilterParams), origin)


def test_the_funnel_equals_that_of_a_plain_loop(tmp_path):
    everything = Corpus(tmp_path).candidates().judged().everything()
    rows = {row["origin"]: row for row in funnel(everything, counted(everything))}
    for origin in KEYS:
        found = [pair for pair in scored() if origin in pair["origins"]]
        kept = [pair for pair in found if any(passes(pair, name) for name in pair["origins"])]
        row = rows[origin]
        assert (row["compared"], row["stored"]) == (1_000, len(found) + 1)
        assert row["kept"] == len(kept) and row["dropped"]["cosine"] == 1
        assert sum(row["dropped"].values()) + row["kept"] == row["stored"]
        assert set(row["dropped"]) <= {"cosine", "consistency", "length_rate"}


def test_a_pair_that_one_method_found_twice_is_shown_as_merged(tmp_path):
    corpus = Corpus(tmp_path).candidates()
    everything = corpus.judged([pair for pair in scored() if pair["id"] != "scored-1"]).everything()
    [row] = [row for row in funnel(everything, counted(everything)) if row["origin"] == "definitions"]
    assert row["dropped"]["merged"] == 1


def test_missing_datasets_are_not_counted(tmp_path):
    everything = Corpus(tmp_path).candidates().everything()
    rows = funnel(everything, counted(everything))
    assert {row["kept"] for row in rows} == {None}
    assert [row["stored"] for row in rows if row["origin"] == "intra"] == [31]


def test_both_thresholds_count_as_the_dataset_does_and_other_rules_are_refused(tmp_path):
    planes = data_of(Corpus(tmp_path).candidates().judged().files()["paraphrases.html"])["planes"]
    assert set(planes) == set(limits())
    for origin in KEYS:
        plane, found = planes[origin], [pair for pair in scored() if origin in pair["origins"]]
        assert plane["total"] == len(found)
        for row, up in zip(plane["counts"], plane["second"]["values"], strict=True):
            for kept, across in zip(row, plane["first"]["values"], strict=True):
                slow = 0
                for pair in found:
                    others = any(passes(pair, name) for name in pair["origins"] if name != origin)
                    slow += others or (pair["consistency"] >= across and pair["length_rate"] < up)
                assert kept == slow


def test_scores_of_other_pairs_are_refused(tmp_path):
    corpus = Corpus(tmp_path).judged()
    stale = Corpus(tmp_path / "stale").judged(scored()[:30])
    corpus.found["parasci/scored"] = stale.found["parasci/scored"]
    with pytest.raises(ValueError, match=r"pairs of .* would be kept, but it has"):
        corpus.files()


def test_table_2_has_our_values_in_order_and_then_the_papers(tmp_path):
    page = Corpus(tmp_path).judged().files()["paraphrases.html"].decode()
    names = re.findall(r'<tr><th scope="row">([^<]*)</th>', page.split('id="statistics"')[1].split("<h2")[0])
    assert names[:4] == ["all", "intra", "definitions", "citations"]
    assert names[-2:] == ["ParaSCI-ACL, paper", "ParaSCI-arXiv, paper"]
    assert "33\u202f981" in page and "26.52" in page


def test_ratings_are_next_to_the_papers(tmp_path):
    corpus = whole(tmp_path)
    folder = corpus.found["parasci/human_evaluation"][""]
    table = json.loads((folder / FILES / "table.json").read_text())
    rated = scores.rated(table, "table_4", ["intra", "definitions", "citations"])
    assert [name for name, _ in rated["lines"]] == ["all", "intra", "definitions", "citations"]
    assert dict(rated["paper"])["ParaSCI-ACL"] == ["4.17", "3.82", "2.73", "2.01"]
    page = corpus.files()["paraphrases.html"].decode()
    mean = rated["lines"][0][1][0]["mean"]
    assert f'<span class="value">{mean:.2f}</span>' in page
    assert all(len(line) == 6 for _, line in scores.rated(table, "table_5", ["intra"])["paper"])


def test_every_table_has_the_numbers_of_each_source_if_there_are_several(tmp_path):
    sources = ("acl", "arxiv")
    found = [
        {**pair, **{f"{side}_source": sources[at // 4 % 2] for side in ("first", "second")}}
        for at, pair in enumerate(scored())
    ]
    corpus = Corpus(tmp_path).judged(found).people().models(corpora=sources)
    page = corpus.files()["paraphrases.html"].decode()
    for anchor in ("statistics", "consistency", "phenomena"):
        names = re.findall(
            r'<tr><th scope="row">([^<]*)</th>', page.split(f'id="{anchor}"')[1].split("<h")[0]
        )
        assert [name for name in names if name.startswith("source ")] == ["source acl", "source arxiv"]
    of_generators = page.split('id="evaluation"')[1].split('id="generated"')[0]
    assert [name in of_generators for name in ("generation: acl", "generation: arxiv")] == [True, True]


def test_ratings_by_a_model_judge_are_next_to_those_of_people(tmp_path):
    corpus = Corpus(tmp_path).judged().people(judge="A <model>")
    table = json.loads((corpus.found["parasci/human_evaluation"][""] / FILES / "table.json").read_text())
    page = corpus.files()["paraphrases.html"].decode()
    part = page.split('id="judge"')[1]
    assert "<i>A &lt;model&gt;</i>" in part and "<i>gpt</i>" in part
    compared = table["judge"]["compared"]
    assert [row["judge"] for row in compared] == [4.0] * 10
    [kappa] = [row["kappa"] for row in table["judge"]["agreement"] if row["question"] == "consistency"]
    for text in (f"{compared[0]['people']:.2f}", "4.00", f"{kappa:.3f}"):
        assert f">{text}</td>" in part
    alone = Corpus(tmp_path / "alone").judged().people().files()["paraphrases.html"].decode()
    assert 'id="judge"' not in alone


def test_tables_3_and_6_have_both_systems_their_test_and_the_papers_values(tmp_path):
    page = Corpus(tmp_path).models().files()["paraphrases.html"].decode()
    part, generation = page.split('id="extractions"')[1].split("<h2")[0].split('id="evaluation"')
    for texts, section in (
        (("PDBERT", "Best clause", "90.0", "above", "88.23", "387"), part),
        (("COPY", "model (transformer)", "100.0", "iBLEU", "15.70", "18.45", "Quora"), generation),
    ):
        assert [text for text in texts if text not in section] == []
    assert "No systems are scored" not in page


def test_generated_sentences_are_a_bounded_sample_of_each_model(tmp_path, monkeypatch):
    monkeypatch.setattr(scores, "MOST_SENTENCES", 7)
    found = data_of(Corpus(tmp_path).models().files()["paraphrases.html"])["generated"]
    assert len(found) == 7 and {sentence["model"] for sentence in found} == {"transformer"}
    for sentence in found:
        before = "".join(text for sign, text in sentence["difference"] if sign in "=-")
        assert before == sentence["source"]


def test_hostile_texts_are_escaped_everywhere(tmp_path):
    pair = scored_pair(
        "a", f"One {HARM}", f"Two {HARM}", keys=[f"definitions:{HARM}"], origins=["definitions"]
    )
    files = Corpus(tmp_path).judged([pair]).people().models(HARM).files()
    assert any(b"window.harmed" in content for content in files.values())
    for content in files.values():
        assert b"<script>window" not in content and b"<b>bold" not in content


def test_pages_do_not_depend_on_the_order_of_rows(tmp_path):
    there = Corpus(tmp_path / "a").judged(scored()).files()
    back = Corpus(tmp_path / "b").judged(scored()[::-1]).files()
    assert there == back
