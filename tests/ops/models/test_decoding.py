"""How many answers models of all kinds generate at a time, and in which precision."""

import pytest
import torch

from silverloom.ops.discofuse.models.fusions import FusionParams
from silverloom.ops.models.decoding import AS_USUAL, Decoding
from silverloom.ops.parasci.generation.generated import GeneratedParams
from silverloom.ops.wikisum.models.summaries import SummaryParams
from tests.ops.models.seq2seq.seq2seq_cases import CONFIGS, COPYNET, SOURCES
from tests.ops.models.seq2seq.seq2seq_cases import model as seq2seq
from tests.ops.wikisum.long_sequences.sequence_cases import PARAMS, examples
from tests.ops.wikisum.long_sequences.sequence_cases import model as sequences

LONG = [example.source for example in examples(12)]

# Without a limit that depends on the longest source of a batch.
CONFIGS = [config.model_copy(update={"growth": None}) for config in CONFIGS]
MODELS = {config.kind + config.pieces: (lambda config=config: seq2seq(config), SOURCES) for config in CONFIGS}
MODELS |= {name: (lambda name=name: sequences(name), LONG) for name in PARAMS}

every = pytest.mark.parametrize("name", MODELS)


def watch(monkeypatch, made, seen):
    """Call `seen` with the sources of each batch that the network of a model answers."""
    generate = made.network.generate

    def generating(*, input_ids, **options):
        seen(input_ids)
        return generate(input_ids=input_ids, **options)

    monkeypatch.setattr(made.network, "generate", generating)


@every
def test_the_configured_number_of_sources_is_answered_together_with_the_same_answers(name, monkeypatch):
    make, sources = MODELS[name]
    made, sizes = make(), []
    watch(monkeypatch, made, lambda sources: sizes.append(len(sources)))
    usual = made.generate(sources)
    assert sizes == [len(set(map(tuple, sources)))]
    made.place(strict=True, decoding=Decoding(batch_size=3))
    assert made.generate(sources) == usual
    assert max(sizes[1:]) == 3 and sum(sizes[1:]) == sizes[0]


@every
def test_a_model_generates_in_bfloat16_on_a_device_that_has_it_and_never_under_strict_numerics(
    name, monkeypatch
):
    make, sources = MODELS[name]
    made, seen = make(), []
    watch(monkeypatch, made, lambda _: seen.append(torch.is_autocast_enabled("cpu")))
    for has in (True, False):
        monkeypatch.setattr("torch.cpu.get_capabilities", lambda has=has: {"avx512_bf16": has})
        for strict in (False, True):
            made.place(strict, Decoding(precision="bfloat16"))
            assert len(made.generate(sources, 3)) == len(sources)
    assert seen == [True, False, False, False]


@pytest.mark.parametrize("name", ["T-D", "T-DMCA", "T-ED"])
def test_a_source_is_encoded_once_for_any_number_of_beams(name):
    made, read = sequences(name), []
    network = made.network
    reader = network.get_encoder() if network.config.is_encoder_decoder else network.get_input_embeddings()

    def reading(_, of, named):
        first = next(value for value in (*of, *named.values()) if isinstance(value, torch.Tensor))
        read.append(first.numel())

    reader.register_forward_pre_hook(reading, with_kwargs=True)
    for beam in (1, 4):
        made.generate(LONG[:1], beam)
        made.generate(LONG, beam)
    alone, firsts = len(LONG[0]) + 1, [number for number in read if number > 4 * len(LONG)]
    assert alone in read and len(set(firsts)) == 1 and len(firsts) == 2


def test_copynet_encodes_a_source_once_for_any_number_of_beams(monkeypatch):
    made, read = seq2seq(COPYNET), []
    encode = made.network.encode
    monkeypatch.setattr(made.network, "encode", lambda numbers: read.append(len(numbers)) or encode(numbers))
    for beam in (1, 4):
        made.generate(SOURCES, beam)
    assert read == [len(SOURCES)] * 2


@pytest.mark.parametrize("section", [FusionParams, GeneratedParams, SummaryParams])
def test_a_section_without_decoding_keeps_its_key(section):
    assert "decoding" not in section().model_dump(mode="json")
    assert section(decoding={"batch_size": 4}).model_dump(mode="json")["decoding"] == {
        "batch_size": 4,
        "precision": "float32",
    }
    assert section(decoding=AS_USUAL) == section()


@pytest.mark.parametrize("bad", [{"batch_size": 0}, {"precision": "float16"}, {"beams": 3}])
def test_a_bad_value_is_refused_by_its_name(bad):
    [(name, value)] = bad.items()
    with pytest.raises(ValueError, match=rf"decoding\.{name}\n(.|\n)*input_value={value!r}"):
        FusionParams(decoding=bad)
