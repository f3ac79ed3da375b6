"""Collections on a local server, for tests of crawls."""

import bz2

from tests.ops.crawl.hostile import reply


def ranges(body):
    """A route that serves ranges of a file."""

    def route(handler):
        first, _, last = handler.headers["Range"].removeprefix("bytes=").partition("-")
        reply(206, body=body[int(first) : int(last) + 1 if last else None])(handler)

    return route


def oai(*records, token=""):
    listed = "".join(records) + f"<resumptionToken cursor='0' completeListSize='3'>{token}</resumptionToken>"
    return f"<OAI-PMH xmlns='http://www.openarchives.org/OAI/2.0/'><ListRecords>{listed}</ListRecords></OAI-PMH>".encode()


def paper(number, created, extra=""):
    return (
        f"<record><header><identifier>oai:arXiv.org:{number}</identifier><datestamp>2018-07-02</datestamp></header>"
        f"<metadata><arXiv xmlns='http://arxiv.org/OAI/arXiv/'><id>{number}</id><created>{created}</created>"
        f"<title>On {number}</title><categories>cs.CL</categories>{extra}</arXiv></metadata></record>"
    )


def dump(packs):
    """A dump in many streams, and its index, from lists of titles."""
    begin = bz2.compress(b"<mediawiki>\n")
    body, lines = begin, []
    for pack in packs:
        lines += [f"{len(body)}:{number}:{title}" for number, title in enumerate(pack)]
        body += bz2.compress("".join(f"<page><title>{title}</title></page>\n" for title in pack).encode())
    return body, bz2.compress("\n".join(lines).encode())
