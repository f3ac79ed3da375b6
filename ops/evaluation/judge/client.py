"""Requests to a model, through the `openai` package.

Belongs here: sending requests at once, retries, what counts as a response of the model. Not here: the wording
(asking.py), which requests are sent and what is kept (judgements.py).
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, NamedTuple

from silverloom.ops.core.extras import require
from silverloom.ops.evaluation.judge.asking import NoCompletionError, UnsoundError, said
from silverloom.ops.evaluation.judge.params import JudgeParams

if TYPE_CHECKING:
    from openai import AsyncOpenAI

_OK = 200
#: The most bytes of an answer.
MOST_BYTES = 2**20
#: Compressed, an answer could be larger than it seems.
_HEADERS = {"Accept": "application/json", "Accept-Encoding": "identity", "Content-Type": "application/json"}
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

    The package waits as long as a busy server says, up to two minutes, and retries `params.retries` times. A
    request takes at most 10 times `params.timeout` for each try, and two minutes between two; an answer has
    at most 1 MiB. Raises LookupError without the key, MissingExtraError without the package, and JudgeError
    if the model refuses all requests: then no more are sent, and answers that arrive within `params.timeout`
    are kept.
    """
    require("judge", "openai")
    secret = params.secret() or ""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        asyncio.run(_ask_all(requests, params, keep, secret))
        return
    arrived: SimpleQueue[tuple[str, Asked | NoAnswerError] | None] = SimpleQueue()
    with ThreadPoolExecutor(1) as thread:  # a notebook's loop runs in this one
        asked = _ask_all(requests, params, lambda *outcome: arrived.put(outcome), secret)
        ended = thread.submit(asyncio.run, asked)
        ended.add_done_callback(lambda _: arrived.put(None))
        for name, outcome in iter(arrived.get, None):
            keep(name, outcome)
        ended.result()


async def _ask_all(
    requests: Mapping[str, Mapping[str, Any]],
    params: JudgeParams,
    keep: Callable[[str, Asked | NoAnswerError], None],
    secret: str,
) -> None:
    from httpx2 import AsyncByteStream, Headers, Request, Response
    from openai import AsyncOpenAI, DefaultAsyncHttpxClient

    class Beginning(AsyncByteStream):
        """The first bytes of a response, one more than an answer may have."""

        def __init__(self, whole: AsyncByteStream) -> None:
            self._whole = whole

        async def __aiter__(self) -> AsyncIterator[bytes]:
            left = MOST_BYTES + 1
            async for chunk in self._whole:
                yield chunk[:left]
                if (left := left - len(chunk)) <= 0:
                    return

        async def aclose(self) -> None:
            await self._whole.aclose()

    at_once, failed = asyncio.Semaphore(params.connections), list[Exception]()
    longest = 10 * params.timeout * (params.retries + 1) + 120 * params.retries

    async def only_ours(request: Request) -> None:
        """Replace all headers: the package adds some that OPENAI_* in the environment means for others."""
        own = {"Host": request.url.netloc.decode(), "Content-Length": str(len(request.content)), **_HEADERS}
        request.headers = Headers({**own, **({"Authorization": f"Bearer {secret}"} if secret else {})})

    async def bounded(response: Response) -> None:
        assert isinstance(response.stream, AsyncByteStream), "the client is asynchronous"
        response.stream = Beginning(response.stream)

    client = AsyncOpenAI(
        base_url=params.address,
        api_key=secret or "none",  # not the one in OPENAI_API_KEY
        timeout=params.timeout,
        max_retries=params.retries,
        http_client=DefaultAsyncHttpxClient(
            follow_redirects=False,  # a key is for one address only
            event_hooks={"request": [only_ours], "response": [bounded]},
        ),
    )

    async def ask(name: str, body: Mapping[str, Any]) -> None:
        async with at_once:
            if failed:
                return
            try:
                outcome = await asyncio.wait_for(_outcome(client, body, secret), longest)
            except TimeoutError:
                outcome = NoAnswerError(f"no whole answer within {longest:g} seconds")
            except Exception as error:
                failed.append(error)
                raise
            keep(name, outcome)

    async with client:
        tasks = [asyncio.create_task(ask(name, body)) for name, body in requests.items()]
        await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
        if failed:
            await asyncio.wait(tasks, timeout=params.timeout)
        for task in tasks:
            task.cancel()
        ended = await asyncio.gather(*tasks, return_exceptions=True)
    for error in (*failed, *ended):
        if error is not None:
            raise error


async def _outcome(client: AsyncOpenAI, body: Mapping[str, Any], secret: str) -> Asked | NoAnswerError:
    from httpx2 import Response
    from openai import APIConnectionError, APIStatusError

    try:
        response = await client.post("/chat/completions", body=dict(body), cast_to=Response)
    except APIStatusError as error:
        response = error.response
    except APIConnectionError as error:  # also for a response that is late
        return NoAnswerError(f"{error} {error.__cause__ or ''}".strip())
    text = response.text
    asked = Asked(body, response.status_code, text.replace(secret, "***") if secret else text)
    if asked.status in _HOPELESS:
        raise JudgeError(f"the model cannot be asked: status {asked.status}: {asked.told}")
    if len(response.content) > MOST_BYTES:
        return RefusedRequestError(f"the answer is larger than {MOST_BYTES} bytes")
    return RefusedRequestError(refusal) if (refusal := asked.refusal) else asked
