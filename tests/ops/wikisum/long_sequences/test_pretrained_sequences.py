import inspect

import pytest
import torch
from tokenizers import Tokenizer, models
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer, BertConfig

from silverloom.ops.models.installed import ModelNotInstalledError
from silverloom.ops.models.seq2seq.pretrained import FOLDER
from silverloom.ops.models.trained import ModelFilesError
from silverloom.ops.models.training import TrainingParams, train
from silverloom.ops.models.training.examples import ExampleStore
from silverloom.ops.wikisum.long_sequences.model import PARAMS
from silverloom.ops.wikisum.long_sequences.pretrained import begin, load
from silverloom.ops.wikisum.long_sequences.sizes import PretrainedParams
from silverloom.ops.wikisum.long_sequences.task import LOG_PERPLEXITY, SequenceTask
from silverloom.ops.wikisum.long_sequences.texts import PretrainedTexts
from tests.ops.wikisum.long_sequences.pretrained_cases import write_led, write_long_t5, write_pair

SOURCES = ["ann <eot> ann sings every day .", "bob <eot> bob sings . she sings ."]
TARGETS = ["ann is a person who sings .", "bob is a person ."]
MARK = "<eot>"
OTHER = Tokenizer(models.WordLevel({"ann": 0}, unk_token="ann"))


@pytest.fixture(params=[write_led, write_long_t5])
def folder(request, tmp_path):
    return request.param(tmp_path / "model", [*SOURCES, *TARGETS])


def made(folder, **more):
    return begin(PretrainedParams(model=str(folder), **{"longest_target": 30, "beam": 1, **more}), [MARK])


def examples(model):
    return [model.example(*pair) for pair in zip(SOURCES, TARGETS, strict=True)]


def written(folder, files):
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def with_global_attention(network, numbers):
    """Return the global attention that LED's own documentation uses for summaries."""
    if "global_attention_mask" not in inspect.signature(network.forward).parameters:
        return {}
    seen = torch.zeros_like(numbers)
    seen[:, 0] = 1
    return {"global_attention_mask": seen}


def test_losses_and_answers_equal_those_of_hugging_face(folder, tmp_path):
    model = made(folder)
    place = written(tmp_path / "saved", model.files()) / FOLDER
    network, tokenizer = (
        AutoModelForSeq2SeqLM.from_pretrained(place).eval(),
        AutoTokenizer.from_pretrained(place),
    )
    with torch.no_grad():
        ours = model.losses(examples(model))
    answers = PretrainedTexts(model, OTHER).generate(SOURCES)
    for place, (source, target) in enumerate(zip(SOURCES, TARGETS, strict=True)):
        numbers = tokenizer(source, return_tensors="pt").input_ids
        more = with_global_attention(network, numbers)
        labels = tokenizer(target, return_tensors="pt").input_ids
        with torch.no_grad():
            theirs = network(input_ids=numbers, labels=labels, **more).loss
        assert ours.output_tokens[place] == labels.shape[1]
        torch.testing.assert_close(ours.output[place] / labels.shape[1], theirs, rtol=1e-4, atol=1e-5)
        written_by_them = network.generate(numbers, **more)
        assert tokenizer.decode(written_by_them[0], skip_special_tokens=True).strip() == answers[place]


def test_the_first_token_has_global_attention(tmp_path):
    """With a window of 4 tokens and one layer, nothing else connects the last token to the first."""
    model = made(write_led(tmp_path / "led", SOURCES, positions=256))
    encoder = model.network.get_encoder()
    source = model.source(" ".join(["sings"] * 40))
    other = [*model.source("bob")[:2], *source[2:]]
    numbers, mask = model.inputs([source, other])
    seen = model.attended(numbers)
    assert seen["global_attention_mask"].sum(1).tolist() == [1, 1] and len(source) > 12
    numbers[1, 0] = 7  # another first token
    hidden = encoder(numbers, attention_mask=mask, **seen).last_hidden_state[:, -1]
    local = encoder(numbers, attention_mask=mask).last_hidden_state[:, -1]
    assert not torch.allclose(hidden[0], hidden[1]) and torch.allclose(local[0], local[1])


def test_no_text_is_longer_than_the_models_positions_or_the_params_allow(tmp_path):
    folder = write_led(tmp_path / "led", SOURCES, positions=64, answers=16)
    assert (made(folder).params.longest_source, made(folder).params.longest_target) == (63, 15)
    short = made(folder, longest_source=5, longest_target=4)
    assert (short.params.longest_source, short.params.longest_target) == (5, 4)
    endless = made(write_long_t5(tmp_path / "long-t5", SOURCES))
    assert (endless.params.longest_source, endless.params.longest_target) == (16384, 30)
    model = made(folder)
    whole = model.example(" ".join(SOURCES * 9), " ".join(TARGETS * 9))
    assert len(whole.source) > 64 and len(whole.target) > 16
    with torch.no_grad():
        assert model.losses([whole]).output_tokens.tolist() == [16]
    assert len(model.generate([whole.source])) == 1


@pytest.mark.parametrize("longest", [1, 3, 5, 30])
def test_the_reported_training_text_matches_the_training_tokens(folder, longest):
    model = made(folder, longest_target=longest)
    for target in TARGETS:
        learnt = [*model.example("", target).target, model.end][: longest + 1]
        assert model.answers([learnt]) == [model.learnt_text(target).strip()]


def test_a_special_mark_is_one_token_whether_the_table_has_room_or_grows(tmp_path):
    for room in (0, 8):
        model = made(write_led(tmp_path / str(room), SOURCES, room=room))
        number = model.tokenizer.convert_tokens_to_ids(MARK)
        assert model.source(SOURCES[0]).count(number) == 1
        assert model.network.get_input_embeddings().num_embeddings == number + max(1, room)
        assert MARK not in model.answers([model.source(SOURCES[0])])[0]
    again = made(write_led(tmp_path / "again", SOURCES))
    assert again.files().keys() == model.files().keys()
    first = made(tmp_path / "0")
    assert all(
        torch.equal(a, b) for a, b in zip(first.network.parameters(), again.network.parameters(), strict=True)
    )


def test_a_pretrained_model_is_fine_tuned_and_read_back(folder):
    model = made(folder)
    names = ["a", "b"]
    store = ExampleStore(zip(names, examples(model), strict=True))
    task = SequenceTask(model, store, store, counted=10)
    params = TrainingParams(epochs=20, batch_size=2, learning_rate=0.01, metric=LOG_PERPLEXITY)
    before = task.validate()
    tokens = sum(len(example.target) + 1 for example in examples(model))
    assert before[LOG_PERPLEXITY] == pytest.approx(before["loss"] * tokens / 10)
    outcome = train(task, params)
    assert outcome.best < before[LOG_PERPLEXITY]
    files = model.files()
    again = load(files)
    texts = [PretrainedTexts(found, OTHER).generate(SOURCES) for found in (model, again)]
    assert texts[0] == texts[1]
    assert again.files() == files and again.params == model.params


def test_a_missing_model_or_one_that_is_not_an_encoder_decoder_is_refused(tmp_path):
    BertConfig().save_pretrained(tmp_path / "bert")
    with pytest.raises(ValueError, match="is a bert: no encoder-decoder"):
        made(tmp_path / "bert")
    with pytest.raises(ValueError, match="has no room for <eot>"):
        made(write_pair(tmp_path / "pair"))
    with pytest.raises(ModelNotInstalledError, match="no such file"):
        made(tmp_path / "nowhere")
    with pytest.raises(ModelNotInstalledError, match="hf download nobody/nothing"):
        begin(PretrainedParams(model="nobody/nothing"), [MARK])


def test_an_incomplete_folder_is_refused(folder):
    files = made(folder).files()
    with pytest.raises(ModelFilesError):
        load({PARAMS: files[PARAMS]})
    with pytest.raises(ModelFilesError):
        load({name: content for name, content in files.items() if name != PARAMS})
