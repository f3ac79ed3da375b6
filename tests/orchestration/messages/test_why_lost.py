"""What the most frequent reasons for dropped rows mean, as lines."""

from silverloom.orchestration.messages import MEANINGS, why_lost


def test_the_most_frequent_reasons_are_explained_first():
    dropped = {"discofuse/examples": {"short": 2, "long": 5}, "talksumm/alignments": {"role_other": 3}}
    assert why_lost(dropped) == [
        "dropped for long: an original sentence has more than `long_tokens` tokens",
        "dropped for role_other: a sentence of a section with one of the `excluded_roles`",
        "dropped for short: an original sentence has `short_tokens` tokens or fewer",
    ]


def test_datasets_that_drop_for_the_same_share_a_line():
    counts = {"parasci/generator": {"long": 1}, "discofuse/transfer": {"long": 1}}
    assert why_lost(counts) == [
        "dropped for long: the source or target has more sub-words than the model reads"
    ]


def test_only_a_few_lines_are_written_and_none_for_an_unknown_reason():
    names = ("short", "long", "holes", "non_ascii", "repeated", "uncovered", "disfluent")
    assert len(why_lost({"discofuse/examples": dict.fromkeys(names, 1)})) == MEANINGS
    assert why_lost({"mine/rows": {"odd": 9}, "discofuse/examples": {"odd": 9}}) == []
