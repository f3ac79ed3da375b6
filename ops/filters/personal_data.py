"""Personal data in texts: found, counted, and masked.

Belongs here: what counts as personal data, and the masks that replace it. Not here: the bound on its amount
(bounds.py).

E-mail and IP addresses are found as in datatrove's PIIFormatter: its expression for e-mail, with at most 64
characters before the @ and 255 after it (RFC 5321), and public IP addresses, here of version 6 too. The
library phonenumbers finds telephone numbers by the numbering plans of all countries; a number without a
country code is read as one of `region`. Credit cards are 13 to 19 digits in groups that pass Luhn's check
(ISO/IEC 7812-1).
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from silverloom.ops.core.outcome import Row

#: The part of an address before the @, up to the end of the searched text; and the part after it.
_LOCAL = re.compile(r"\b[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]++(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]++)*+\Z")
_DOMAIN = re.compile(
    r"(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?\.)+[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
)
_LONGEST_LOCAL, _LONGEST_DOMAIN = 64, 255
_NETWORK = re.compile(
    r"(?<![\w.:])(?:(?:\d{1,3}\.){3}\d{1,3}|(?=[0-9a-fA-F]*:)[0-9a-fA-F:]{3,39}(?:\.\d{1,3}){0,3})(?![\w:]|\.\d)"
)
_CARD = re.compile(r"(?<![\w.-])\d{4}(?:[ -]?\d{2,6}){2,4}(?![\w-]|\.\d)")

#: The mask for each kind; example.com, 192.0.2.0 and 555-01 are reserved for examples.
MASKS = {
    "emails": "email@example.com",
    "telephones": "+1 555-0100",
    "network_addresses": "192.0.2.1",
    "credit_cards": "0000 0000 0000 0000",
}


class FoundDatum(NamedTuple):
    """A piece of personal data: its kind, and its position in the text."""

    kind: str
    start: int
    end: int


def personal_data(text: str, region: str | None) -> list[FoundDatum]:
    """Return the personal data in a text, in order. If two overlap, the one found first below wins.

    `region` is a country code of ISO 3166 ("US"), whose telephone numbers may lack a country code.
    """
    data: list[FoundDatum] = []
    taken = bytearray(len(text))  # 1 for each character inside a datum
    for find in (_emails, _networks, _cards, _telephones):
        for datum in find(text, region):
            if 1 not in taken[datum.start : datum.end]:
                taken[datum.start : datum.end] = b"\1" * (datum.end - datum.start)
                data.append(datum)
    return sorted(data, key=lambda datum: datum.start)


def counts(text: str, region: str | None) -> Row:
    """Return the number of personal data of each kind in a text."""
    kinds = [datum.kind for datum in personal_data(text, region)]
    return {kind: kinds.count(kind) for kind in MASKS}


def masked(text: str, region: str | None) -> str:
    """Return a text with its personal data replaced by MASKS."""
    parts, last = [], 0
    for datum in personal_data(text, region):
        parts += [text[last : datum.start], MASKS[datum.kind]]
        last = datum.end
    return "".join([*parts, text[last:]])


def _emails(text: str, region: str | None) -> Iterator[FoundDatum]:
    """Yield e-mail addresses. Searches from each @ to both sides, so that time is linear in any text."""
    last, at = 0, text.find("@")
    while at >= 0:
        domain = _DOMAIN.match(text, at + 1, at + 1 + _LONGEST_DOMAIN)
        if domain and (local := _LOCAL.search(text, max(last, at - _LONGEST_LOCAL), at)):
            last = domain.end()
            yield FoundDatum("emails", local.start(), last)
        at = text.find("@", at + 1)


def _networks(text: str, region: str | None) -> Iterator[FoundDatum]:
    return _matches("network_addresses", _NETWORK, text, _is_public)


def _cards(text: str, region: str | None) -> Iterator[FoundDatum]:
    return _matches("credit_cards", _CARD, text, _is_card)


def _telephones(text: str, region: str | None) -> Iterator[FoundDatum]:
    from phonenumbers import PhoneNumberMatcher  # numbering plans take a tenth of a second

    for match in PhoneNumberMatcher(text, region):
        yield FoundDatum("telephones", match.start, match.end)


def _matches(
    kind: str, expression: re.Pattern[str], text: str, holds: Callable[[str], bool]
) -> Iterator[FoundDatum]:
    for match in expression.finditer(text):
        if holds(match.group()):
            yield FoundDatum(kind, match.start(), match.end())


def _is_public(address: str) -> bool:
    try:
        return ipaddress.ip_address(address).is_global
    except ValueError:
        return False


def _is_card(text: str) -> bool:
    digits = [int(sign) for sign in text if sign.isdigit()]
    if not 13 <= len(digits) <= 19 or not any(digits):
        return False
    doubled = [sum(divmod(2 * digit, 10)) for digit in digits[-2::-2]]
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0
