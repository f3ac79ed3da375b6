"""Optional keys of params.yaml: a key that is left out has its default, which only what the sample sets changes."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from silverloom.assets.declare.declaration import DECLARED
from silverloom.assets.declare.params_file import ParamsError, check_names, document, raw_section, validated
from silverloom.assets.declare.settings import Settings
from silverloom.orchestration.definitions import workspace

SYSTEMS = ("discofuse", "parasci", "talksumm", "wikisum")

#: Keys of the sample itself, as docs/how-to/own-corpus.md says, and sizes with which it is made in minutes.
OF_SAMPLE = {
    "discofuse.balanced.domains",
    "discofuse.fusion_model.size",
    "discofuse.transfer.domain",
    "discofuse.transfer.size",
    "parasci.generator.size",
    "parasci.pdbert.enabled",
    "parasci.pdbert.size",
    "talksumm.extractor.size",
    "talksumm.gold_papers.seed",
    "wikisum.evaluation.categories",
    "wikisum.examples.sets",
    "wikisum.grid.size",
    "wikisum.grid.slices",
    "wikisum.references.hosts",
    "wikisum.references.least_section_words",
    "wikisum.splits",
    "wikisum.summarizer.sets",
    "wikisum.summarizer.size",
    "wikisum.tokenizer.vocabulary",
    *(f"{system}.rating_sheets" for system in SYSTEMS),
}


def paths(value: Any, prefix: str) -> Iterator[tuple[str, Any]]:
    """Every value within a section, by its dotted path."""
    if isinstance(value, Mapping) and value:
        for name, inner in value.items():
            yield from paths(inner, f"{prefix}.{name}")
    else:
        yield prefix, value


def is_of_sample(path: str) -> bool:
    return any(f"{path}.".startswith(f"{own}.") for own in OF_SAMPLE)


@pytest.mark.parametrize("empty", [{}, None])
def test_a_dataset_depends_on_the_same_values_whether_they_are_given_or_left_out(empty):
    minimal = {**document(), **dict.fromkeys([*SYSTEMS, "parse", "release"], empty)}
    for name, dataset in workspace().datasets.items():
        given, default = dataset.values_in(document()), dataset.values_in(minimal)
        assert given.keys() == default.keys()
        for section in given:
            found, expected = (dict(paths(values[section], section)) for values in (default, given))
            differ = {path for path in found | expected if found.get(path, ...) != expected.get(path, ...)}
            assert all(map(is_of_sample, differ)), (name, differ)


def test_every_key_of_a_section_may_be_given_alone():
    for kind in {kind for dataset in DECLARED.values() for kind in dataset.params.values()}:
        whole = validated(kind, raw_section(document(), kind.section), kind.section)
        for key, value in raw_section(document(), kind.section).items():
            found = validated(kind, {key: value}, kind.section)
            name = next(name for name, field in kind.model_fields.items() if key in (name, field.alias))
            assert getattr(found, name) == getattr(whole, name)


def test_a_partial_store_equals_the_complete_one():
    dataset = workspace().datasets["discofuse/examples"]
    assert dataset.values_in({**document(), "store": {}}) == dataset.values_in(document())
    assert dataset.values_in({**document(), "store": None, "numerics": None}) == dataset.values_in(document())


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ({"talksumm": {"hmms": {}}}, r"unknown key talksumm.hmms \(did you mean talksumm.hmm\?\); known: "),
        ({"zebra": {}}, "unknown key zebra; known: "),
        ({"talksumm": 3}, r"talksumm must hold keys \(found 3\)"),
        ({"talksum": {}}, r"unknown key talksum \(did you mean talksumm\?\); known: "),
    ],
)
def test_an_undeclared_key_is_an_error_even_in_a_section_with_defaults(content, complaint):
    known = {section for dataset in workspace().datasets.values() for section in dataset.sections}
    with pytest.raises(ParamsError, match=complaint):
        check_names(content, known)


def test_an_unknown_key_of_a_subsection_is_an_error():
    (kind,) = (
        kind
        for kind in workspace().datasets["talksumm/alignments"].params.values()
        if kind.section == "talksumm.hmm"
    )
    for key, hint in {"alpha": "", "lamda": " (did you mean lambda?)"}.items():
        with pytest.raises(ParamsError, match=re.escape(f"unknown key talksumm.hmm.{key}{hint}") + "$"):
            validated(kind, raw_section({"talksumm": {"hmm": {key: 1}}}, "talksumm.hmm"), "talksumm.hmm")


def test_an_unknown_key_of_a_source_is_an_error_with_the_nearest_key():
    source = {"kind": "plain_prose", "path": "corpus", "license": "MIT"}
    content = {"partitions": {"every": "none"}, "sources": {"prose": {"mine": source}}}
    with pytest.raises(ParamsError, match=r"key sources.prose.mine.license \(did you mean licence\?\)"):
        validated(Settings, content, "")
