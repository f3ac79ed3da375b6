"""Which model judges, and how it is called.

Belongs here: the section `judge` of params.yaml. Not here: the wording of requests (asking.py).
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Mapping
from functools import cache
from typing import Any
from urllib.parse import urlsplit

from pydantic import Field, JsonValue, field_validator, model_validator

from silverloom.ops.core.params import Params

#: Allowed in a header. If a value holds a line break, Python's error message shows the whole value.
_KEY = re.compile(r"[\x21-\x7e]+")


#: Say something once in this process.
_tell_once = cache(logging.getLogger(__name__).warning)


class JudgeParams(Params, section="judge"):
    """A model with an API like OpenAI's; without an address no model is asked."""

    address: str | None = Field(
        None, description="where it answers, like http://localhost:8000/v1; null: nothing is asked"
    )
    model: str = Field("", description="its name there")
    key: str | None = Field(
        None,
        pattern=r"^[A-Za-z_][A-Za-z0-9_]*$",
        description="the variable of the environment that holds the key; null: none is sent",
    )
    rater: str = Field("judge", pattern=r"^[a-z0-9][a-z0-9_-]*$", description="its name among the raters")
    questionnaires: tuple[str, ...] | None = Field(None, description="those that it answers; null: all")
    body: Mapping[str, JsonValue] = Field(
        {"temperature": 0, "max_tokens": 1000},
        description="fields of a request other than model and messages",
    )
    connections: int = Field(4, ge=1, description="requests at a time")
    timeout: float = Field(120.0, gt=0, description="seconds that the server may be silent")
    retries: int = Field(4, ge=0, description="after 429, an error of the server or a cut answer")

    @model_validator(mode="before")
    @classmethod
    def _former(cls, values: Any) -> Any:
        """Ignore `longest_wait`, which projects of earlier versions have."""
        if isinstance(values, dict) and "longest_wait" in values:
            _tell_once("judge.longest_wait has no effect any more: remove it from params.yaml")
            return {name: value for name, value in values.items() if name != "longest_wait"}
        return values

    @field_validator("address")
    @classmethod
    def _an_address(cls, value: str | None) -> str | None:
        if value is not None:
            parts = urlsplit(value)
            if parts.scheme not in ("http", "https") or not parts.hostname:
                raise ValueError("give an address that begins with http:// or https://")
            if parts.username is not None or parts.query:
                raise ValueError("keys are no part of the address: `key` names a variable that holds one")
        return value

    @field_validator("body")
    @classmethod
    def _besides(cls, value: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
        if set(value) & {"model", "messages", "stream"}:
            raise ValueError("model, messages and stream are not to be given here")
        return value

    @model_validator(mode="after")
    def _named(self) -> JudgeParams:
        if self.address and not self.model:
            raise ValueError("an address needs a model")
        return self

    def secret(self) -> str | None:
        """Return the key. Raises LookupError, without showing it, if the variable holds no valid key."""
        if self.key is None:
            return None
        key = os.environ.get(self.key, "").strip()
        if not key:
            raise LookupError(f"judge.key: the environment variable {self.key} holds no key")
        if not _KEY.fullmatch(key):
            raise LookupError(
                f"judge.key: the environment variable {self.key} holds a space, a line break or another"
                " character that no key has"
            )
        return key
