"""The cells of a small grid, and the examples that its models learn from."""

from silverloom.ops.wikisum.models.grid import CHEATING, GridParams
from tests.ops.wikisum.models.summarizer_cases import ARCHITECTURES, MIXTURE, example, params, tokenizer

SLICES = {
    "extractors": {"rankers": [CHEATING, "tf_idf"], "lengths": [8], "architectures": ["t_d"]},
    "architectures": {"lengths": [8], "architectures": ["t_d", "seq2seq", "t_dmca_moe"]},
}


def given(slices=SLICES, **more):
    sizes = params(ARCHITECTURES | {"t_dmca_moe": MIXTURE}).sizes
    return GridParams(size="tiny", sizes=sizes, slices=slices, resamples=50, **more)


def rows_of(folder, grid_params, count=18, only=None):
    _, found = tokenizer(folder / "tokenizer")
    return [
        {**example(number, found, name, "train" if name == only else None), "id": f"{name}-{number}"}
        for name in grid_params.sets()
        for number in range(count)
    ]
