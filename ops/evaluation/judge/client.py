"""Requests to a model, through the `openai` package.

Belongs here: sending requests at once, retries, what counts as a response of the model. Not here: the wording
(asking.py), which requests are sent and what is kept (judgements.py).
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from silverloom.ops.core.extras import require
from silverloom.ops.evaluation.judge.asking import NoCompletionError, UnsoundError, said
from silverloom.ops.evaluation.judge.params import JudgeParams

if TYPE_CHECKING:
    from openai import AsyncOpenAI

_OK = 200
#: No key, a wrong key, no permission, no such model or address: the next row would fail too.
_HOPELESS = frozenset({401, 403, 404, 405})


class JudgeError(RuntimeError):
    """The model cannot be asked: its answers so far are kept, and the next run continues from them."""


class NoAnswerError(ValueError):
    """A request has no answer; the message says why."""


class RefusedRequestError(NoAnswerError):
    """The server responds, but not with a chat completion."""


class Asked(NamedTuple):
    """A request and its response."""

    request: Mapping[str, Any]
    status: int
    response: str

    @property
    def line(self) -> bytes:
        """This as a line of JSON."""
        return json.dumps(self._asdict(), sort_keys=True, ensure_ascii=False).encode() + b"\n"

    @classmethod
    def of(cls, line: bytes) -> Asked:
        """Return the request and response in a line."""
        return cls(**json.loads(line))

    @property
    def refusal(self) -> str:
        """Why this is not an answer of the model; "" if it is one."""
        if self.status != _OK:
            return f"status {self.status}: {self.told}".rstrip(": ")
        try:
            said(self.response)
        except NoCompletionError as error:
            return str(error)
        except UnsoundError:  # still an answer, even if it does not count
            pass
        return ""

    @property
    def told(self) -> str:
        """The beginning of the response, in one line."""
        return " ".join(self.response.split())[:200]


def ask_all(
    requests: Mapping[str, Mapping[str, Any]],
    params: JudgeParams,
    keep: Callable[[str, Asked | NoAnswerError], None],
) -> None:
    """Send requests, and call `keep` with the name and outcome of each as it arrives.

    The package waits as long as a busy server says, up to two minutes, and retries `params.retries` times.
    Raises LookupError without the key, MissingExtraError without the package, and JudgeError if the model
    refuses all requests; those in flight are then cancelled.
    """
    require("judge", "openai")
    asyncio.run(_ask_all(requests, params, keep, params.secret() or ""))


async def _ask_all(
    requests: Mapping[str, Mapping[str, Any]],
    params: JudgeParams,
    keep: Callable[[str, Asked | NoAnswerError], None],
    secret: str,
) -> None:
    from openai import AsyncOpenAI, DefaultAsyncHttpxClient

    at_once = asyncio.Semaphore(params.connections)
    client = AsyncOpenAI(
        base_url=params.address,
        api_key=secret or "none",  # not the one in OPENAI_API_KEY
        timeout=params.timeout,
        max_retries=params.retries,
        http_client=DefaultAsyncHttpxClient(follow_redirects=False),  # a key is for one address only
    )

    async def ask(name: str, body: Mapping[str, Any]) -> None:
        async with at_once:
            keep(name, await _outcome(client, body, secret))

    async with client:
        await asyncio.gather(*(ask(name, body) for name, body in requests.items()))


async def _outcome(client: AsyncOpenAI, body: Mapping[str, Any], secret: str) -> Asked | NoAnswerError:
    from httpx2 import Response
    from openai import APIConnectionError, APIStatusError, Omit

    headers = {} if secret else {"Authorization": Omit()}
    try:
        response = await client.post(
            "/chat/completions", body=dict(body), options={"headers": headers}, cast_to=Response
        )
    except APIStatusError as error:
        response = error.response
    except APIConnectionError as error:  # also for a response that is late
        return NoAnswerError(f"{error} {error.__cause__ or ''}".strip())
    text = response.text
    asked = Asked(body, response.status_code, text.replace(secret, "***") if secret else text)
    if asked.status in _HOPELESS:
        raise JudgeError(f"the model cannot be asked: status {asked.status}: {asked.told}")
    return RefusedRequestError(refusal) if (refusal := asked.refusal) else asked
