"""The five operations of Table 13."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.discofuse.rules.operations import delete, prepend, replace, split, trim

TOKENS = st.lists(st.integers(0, 3) | st.sampled_from(["a", ",", "."]), max_size=12)


def slow_replace(tokens, old, new):
    if not old or len(old) > len(tokens):
        return list(tokens)
    if tokens[: len(old)] == old:
        return list(new) + slow_replace(tokens[len(old) :], old, new)
    return tokens[:1] + slow_replace(tokens[1:], old, new)


@given(TOKENS, st.integers(0, 12), st.integers(0, 12))
def test_delete_removes_a_run(tokens, start, count):
    assert delete(tokens, start, count) == [
        token for at, token in enumerate(tokens) if not start <= at < start + count
    ]


@given(TOKENS, TOKENS)
def test_prepend_puts_a_list_before_another(tokens, before):
    assert prepend(tokens, before) == before + tokens


@given(TOKENS, TOKENS.filter(lambda tokens: len(tokens) < 4), TOKENS)
def test_replace_goes_from_the_left_without_overlap(tokens, old, new):
    assert replace(tokens, old, new) == slow_replace(tokens, old, new)


@given(TOKENS, st.integers(0, 12))
def test_split_loses_nothing(tokens, at):
    first, second = split(tokens, at)
    assert first + second == tokens
    assert len(first) == min(at, len(tokens))


@given(TOKENS)
def test_trim_keeps_the_first_punctuation_and_nothing_after_it(tokens):
    trimmed = trim(tokens, lambda token: token in (",", "."))
    assert tokens[: len(trimmed)] == trimmed
    assert not {",", "."} & set(trimmed[:-1])
    assert len(trimmed) == len(tokens) or trimmed[-1] in (",", ".")


@given(TOKENS)
def test_no_operation_changes_its_argument(tokens):
    before = list(tokens)
    delete(tokens, 0, 2)
    prepend(tokens, ["x"])
    replace(tokens, tokens[:1], ["x"])
    split(tokens, 1)
    trim(tokens, lambda token: token == ",")
    assert tokens == before
