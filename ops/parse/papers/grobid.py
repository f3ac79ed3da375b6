"""GROBID as a service: a paper as PDF goes there, its TEI comes back.

Belongs here: asking. Not here: reading the TEI (tei.py), reading PDF without a service (pdf/).
"""

from __future__ import annotations

from typing import Any

from urllib3 import PoolManager, Retry, Timeout
from urllib3.exceptions import HTTPError, MaxRetryError, ReadTimeoutError

from ops.parse.source import ParseError, ServiceError

_PATH = "/api/processFulltextDocument"
#: Seconds; GROBID gives a paper up after two minutes.
_CONNECT, _ANSWER = 10, 180
_MOST = 64 * 2**20
#: All of its engines are at work (503), or somebody before it asks to be asked less (429).
_BUSY = frozenset({429, 503})
_NOTHING = 204


def tei_of(service: str, content: bytes, retries: int = 5, wait: float = 2.0) -> bytes:
    """Return the TEI of a PDF; a busy service is asked again, after its Retry-After or a `wait` that doubles.

    Raises ParseError where GROBID cannot read the PDF, ServiceError where it is not there or stays busy.
    """
    again = Retry(
        retries,
        connect=1,
        read=False,
        redirect=False,
        status_forcelist=_BUSY,
        allowed_methods=None,
        backoff_factor=wait,
        raise_on_status=False,
    )
    fields: dict[str, Any] = {
        "input": ("paper.pdf", content, "application/pdf"),
        "includeRawCitations": "1",
    }
    try:
        with PoolManager() as pool:
            response = pool.request(
                "POST",
                service.rstrip("/") + _PATH,
                fields=fields,
                headers={"Accept": "application/xml"},
                retries=again,
                timeout=Timeout(_CONNECT, _ANSWER),
                preload_content=False,
            )
            answer = response.read(_MOST + 1, decode_content=True)
    except ReadTimeoutError:
        raise ParseError(f"GROBID gave no answer within {_ANSWER} s") from None
    except MaxRetryError as error:
        raise ServiceError(f"GROBID at {service} cannot be asked: {error.reason}") from None
    except HTTPError as error:
        raise ParseError(f"GROBID broke off: {error}") from None
    if response.status in _BUSY:
        raise ServiceError(f"GROBID at {service} is busy: status {response.status}, {retries} times")
    if response.status == _NOTHING:
        raise ParseError("GROBID found nothing in it")
    if response.status != 200:  # it answers 500 to what it cannot read
        said = " ".join(answer[:200].decode(errors="replace").split())
        raise ParseError(f"GROBID cannot read it: status {response.status}: {said}")
    if len(answer) > _MOST:
        raise ParseError(f"GROBID's answer is larger than {_MOST} bytes")
    return answer
