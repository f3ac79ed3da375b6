"""A tiny pretrained encoder-decoder: BART with random weights, saved in Hugging Face's format."""

import torch
from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers
from transformers import (
    BartConfig,
    BartForConditionalGeneration,
    PreTrainedTokenizerFast,
    T5Config,
    T5ForConditionalGeneration,
)

WORDS = [
    "we",
    "use",
    "parser",
    "is",
    "used",
    "by",
    "us",
    "today",
    "ann",
    "sings",
    ".",
    "0",
    "1",
    "2",
    "3",
    "4",
    "5",
    "6",
    "7",
    "8",
    "9",
]


def write_pretrained(folder, architecture="bart"):
    """Write one with its tokenizer, and return the folder."""
    special = {"pad_token": "<pad>", "bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>"}
    tokenizer = Tokenizer(models.WordLevel(unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.train_from_iterator(
        [" ".join(WORDS)], trainers.WordLevelTrainer(special_tokens=list(special.values()))
    )
    begin = "<s> " if architecture == "bart" else ""
    ends = [(name, tokenizer.token_to_id(name)) for name in ("<s>", "</s>")]
    tokenizer.post_processor = processors.TemplateProcessing(single=f"{begin}$A </s>", special_tokens=ends)
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, **special).save_pretrained(folder)
    size = {"vocab_size": tokenizer.get_vocab_size(), "d_model": 8, "pad_token_id": 0, "eos_token_id": 2}
    torch.manual_seed(0)
    if architecture == "bart":
        config = BartConfig(
            **size, encoder_layers=1, decoder_layers=1, encoder_attention_heads=1, decoder_attention_heads=1,
            encoder_ffn_dim=8, decoder_ffn_dim=8, max_position_embeddings=64, bos_token_id=1,
            decoder_start_token_id=2, forced_eos_token_id=2,
        )  # fmt: skip
        network = BartForConditionalGeneration(config)
    else:
        config = T5Config(**size, d_kv=4, d_ff=8, num_layers=1, num_heads=2, decoder_start_token_id=0)
        network = T5ForConditionalGeneration(config)
    network.save_pretrained(folder)
    return folder
