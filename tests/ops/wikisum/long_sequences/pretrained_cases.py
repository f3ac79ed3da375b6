"""Tiny pretrained encoder-decoders: random weights, saved in Hugging Face's format."""

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import (
    BertConfig,
    EncoderDecoderConfig,
    EncoderDecoderModel,
    LEDConfig,
    LEDForConditionalGeneration,
    LongT5Config,
    LongT5ForConditionalGeneration,
    PreTrainedTokenizerFast,
)

SPECIAL = {"pad_token": "<pad>", "bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>"}


def write_led(folder, texts=("ann sings .",), positions=64, answers=32, room=0):
    """Write a LED with its own byte pairs, and return the folder; its table has `room` for more tokens."""
    size = _write_tokenizer(folder, texts, "<s> $A </s>")
    torch.manual_seed(0)
    LEDForConditionalGeneration(
        LEDConfig(
            vocab_size=size + room, d_model=8, encoder_layers=1, decoder_layers=1, encoder_attention_heads=2,
            decoder_attention_heads=2, encoder_ffn_dim=8, decoder_ffn_dim=8, attention_window=[4],
            max_encoder_position_embeddings=positions, max_decoder_position_embeddings=answers,
            pad_token_id=0, bos_token_id=1, eos_token_id=2, decoder_start_token_id=2,
        )
    ).save_pretrained(folder)  # fmt: skip
    return folder


def write_long_t5(folder, texts=("ann sings .",)):
    """Write a LongT5, whose positions are unlimited."""
    size = _write_tokenizer(folder, texts, "$A </s>")
    torch.manual_seed(0)
    LongT5ForConditionalGeneration(
        LongT5Config(
            vocab_size=size + 8, d_model=8, d_kv=4, d_ff=8, num_layers=1, num_heads=2, pad_token_id=0,
            eos_token_id=2, decoder_start_token_id=0, local_radius=4, global_block_size=4,
            encoder_attention_type="transient-global",
        )
    ).save_pretrained(folder)  # fmt: skip
    return folder


def write_pair(folder, texts=("ann sings .",)):
    """Write an encoder and a decoder that are separate models."""
    size = _write_tokenizer(folder, texts, "$A </s>")
    part = BertConfig(
        vocab_size=size, hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=8
    )
    config = EncoderDecoderConfig.from_encoder_decoder_configs(part, part)
    EncoderDecoderModel(config=config).save_pretrained(folder)
    return folder


def _write_tokenizer(folder, texts, form):
    found = Tokenizer(models.BPE(unk_token=SPECIAL["unk_token"]))
    found.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    found.decoder = decoders.ByteLevel()
    found.train_from_iterator(
        texts,
        trainers.BpeTrainer(
            vocab_size=320, special_tokens=list(SPECIAL.values()), show_progress=False,
            initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        ),
    )  # fmt: skip
    ends = [(name, found.token_to_id(name)) for name in ("<s>", "</s>")]
    found.post_processor = processors.TemplateProcessing(single=form, special_tokens=ends)
    PreTrainedTokenizerFast(tokenizer_object=found, **SPECIAL).save_pretrained(folder)
    return found.get_vocab_size()
