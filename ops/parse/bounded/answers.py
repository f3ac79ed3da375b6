"""What a parser gives, on its way out of the child: JSON, which can do nothing but be wrong.

Belongs here: how an answer is written and read. Not here: sending it (serve.py), bounding it (child.py).

Input that takes over the child can answer anything. Pickle would run that in the parent; JSON is read as what
the parser says that it returns, or refused.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import FunctionType, MethodType
from typing import Any, get_type_hints

from pydantic import TypeAdapter
from pydantic_core import CoreConfig, PydanticSerializationError, SchemaValidator

from ops.parse.characters import check_texts
from ops.parse.source import ParseError, ServiceError

KEPT, REFUSED, UNAVAILABLE = b"k", b"r", b"u"


def answer_of(function: Callable[..., Any], result: object) -> bytes:
    """Return the answer that holds a result.

    Raises ParseError for halves of surrogate pairs, and ValueError for what else JSON cannot hold.
    """
    results = _results(_plain(function))
    try:
        return KEPT + results.dump_json(result, warnings="error")
    except PydanticSerializationError:
        check_texts(results.dump_python(result, warnings="none"), "what it becomes")
        raise


def refusal(cause: str, kind: bytes = REFUSED) -> bytes:
    """Return the answer that nothing came of a call."""
    return kind + cause.encode(errors="backslashreplace")


def too_large(most: int) -> str:
    """Return the cause where an answer is larger than the bound."""
    return f"what it becomes is larger than {most} bytes"


def result_of(function: Callable[..., Any], answer: bytes) -> Any:
    """Return the result that an answer holds.

    Raises ParseError for a refusal, ServiceError as the function does, and pydantic's ValidationError for
    what the function does not return.
    """
    if answer.startswith(KEPT):
        return _reader(_plain(function)).validate_json(answer[1:])
    kind = ServiceError if answer.startswith(UNAVAILABLE) else ParseError
    raise kind(answer[1:].decode(errors="replace"))


def _plain(function: Callable[..., Any]) -> FunctionType:
    plain = function.__func__ if isinstance(function, MethodType) else function
    assert isinstance(plain, FunctionType)
    return plain


@cache
def _results(function: FunctionType) -> TypeAdapter[Any]:
    """Return what writes the results of a function, by its annotations."""
    return TypeAdapter(get_type_hints(function, include_extras=True)["return"])


@cache
def _reader(function: FunctionType) -> SchemaValidator:
    """Return what reads them; it keeps no strings, which in texts are hardly met twice: a quarter faster."""
    return SchemaValidator(_results(function).core_schema, CoreConfig(cache_strings=False))
