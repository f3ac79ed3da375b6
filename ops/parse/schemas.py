"""The columns of sources that several systems read: papers, their sentences, articles and web pages.

Belongs here: one `Shape` per dataset. Not here: filling them, and sources of a single system (in its
package).
"""

from __future__ import annotations

import pyarrow as pa

from silverloom.ops.core.outcome import (
    HOLES,
    NAME,
    PASSAGES,
    TEXT,
    TIME,
    TITLE,
    Shape,
    columns,
    extended,
    optional,
    passage,
    place,
    struct,
)

_TEXT, _INT, _LONG = pa.string(), pa.int32(), pa.int64()

#: A raw record: the unit of every parsed dataset.
RECORD = columns(
    ("path", _TEXT, "name of the source in params.yaml, then the file below its folder", NAME),
    ("row", _LONG, "line of the record, from 1, in a file of several"),
    ("content", pa.binary(), "its unchanged bytes"),
)

#: A column of everything that is made from plain text.
ENCODING = optional(
    "encoding", _TEXT, "what its text was in, where not UTF-8: as its source declares, or as was guessed"
)


def unit_of(source: Shape) -> pa.Schema:
    """Return a source's rows as units of what is made from them, without the column `encoding`."""
    return source.kept.remove(source.kept.get_field_index(ENCODING.name))


#: Position and text of a sentence, both within its paper's row and as a row of its own.
_PLACE = (
    ("position", _INT, "in the paper, from 0"),
    ("section", _INT, "index into the paper's sections", passage("sections")),
)
_TEXT_AS_FOUND = (
    ("start", _LONG, "first character in the paper's text"),
    ("end", _LONG, "character after the last"),
    optional(
        "locator",
        _TEXT,
        'in the source\'s own terms: "S sid=12", "sections[3]", "line 40"',
        place("{locator}, characters {start}-{end}"),
    ),
    ("text", _TEXT, "de-hyphenated, white space folded", TEXT),
    ("holes", _INT, "places from which something was taken out that cannot be rendered", HOLES),
)

SENTENCE_IN_PAPER = struct(
    ("id", _TEXT, "made from paper, text as found, and occurrence of that text"), *_PLACE, *_TEXT_AS_FOUND
)

PAPERS = Shape(
    unit=RECORD,
    kept=columns(
        ("document", _TEXT, "the paper's name in its source", NAME),
        optional("title", _TEXT, "as the source has it", TITLE),
        ("month", _TEXT, "of publication, YYYY-MM", TIME),
        (
            "subjects",
            pa.list_(_TEXT),
            "categories, fields of study, journal, as the source has them; then the source's domain",
        ),
        optional("doi", _TEXT, "in lower case, without a resolver; missing where the source has none"),
        ("text", _TEXT, "of a plain-text source: the file, so that offsets are offsets into the file", TEXT),
        (
            "sections",
            pa.list_(
                struct(
                    ("title", _TEXT, "the heading as found"),
                    ("role", _TEXT, 'what it is: "introduction", "related work", ...'),
                )
            ),
            "in the paper's order",
        ),
        ("sentences", pa.list_(SENTENCE_IN_PAPER), "in the paper's order"),
        ENCODING,
    ),
)

_MARK = struct(
    ("id", _TEXT, "made from sentence, text, entry, and occurrence of these"),
    ("sentence_id", _TEXT, "the sentence of the paper that contains it; missing outside of sentences"),
    ("section", _INT, "index into the paper's sections"),
    ("start", _LONG, "first character in the paper's text"),
    ("end", _LONG, "character after the last"),
    ("text", _TEXT, "as printed"),
    ("entry", _TEXT, "key of the bibliography's entry; missing where the source tells none"),
    ("cited_id", _TEXT, 'the first id of the cited paper: "doi:10.1000/1", "arxiv:2104.06921"'),
    ("cited_title", _TEXT, "the cited paper's title"),
)

_ENTRY = struct(
    ("key", _TEXT, "by which marks name it"),
    ("text", _TEXT, "as printed"),
    ("title", _TEXT),
    ("year", _TEXT),
    ("authors", pa.list_(_TEXT)),
    ("ids", pa.list_(_TEXT), "of the cited paper, each with its scheme"),
)

#: What papers cite: a row per paper, even if it cites nothing or its format has no citations.
CITATIONS = Shape(
    unit=RECORD,
    kept=columns(
        ("paper_id", _TEXT, "row of sources/papers"),
        ("document", _TEXT, "the paper's name in its source", NAME),
        ("month", _TEXT, "of publication, YYYY-MM", TIME),
        ("marks", pa.list_(_MARK), "the citation marks, in the paper's order"),
        ("bibliography", pa.list_(_ENTRY), "in the source's order"),
    ),
)

_SENTENCE = columns(
    ("paper_id", _TEXT, "row of sources/papers"),
    *_PLACE,
    optional("section_title", _TEXT, "the heading as found"),
    optional("role", _TEXT, 'of its section: "introduction", "related work", ...'),
    *_TEXT_AS_FOUND,
)

SENTENCES = Shape(
    unit=_SENTENCE,
    kept=extended(_SENTENCE, optional("cut", _TEXT, "what a footnote rule took out, if it took something")),
)

#: An article of an encyclopedia.
ARTICLES = Shape(
    unit=RECORD,
    kept=columns(
        ("document", _TEXT, "the article's name in its source: its title, mostly", NAME),
        ("title", _TEXT, "as the source has it", TITLE),
        ("month", _TEXT, "that params.yaml gives it, YYYY-MM", TIME),
        optional("date", _TEXT, "when it was last edited, where the source tells"),
        optional("page", _TEXT, "its number in the dump"),
        optional("revision", _TEXT, "the number of this revision in the dump"),
        ("text", _TEXT, "paragraphs, each one line, with a blank line between two; no headings", TEXT),
        (
            "holes",
            pa.list_(_LONG),
            "places in the text from which something was taken out that cannot be rendered, in characters",
            HOLES,
        ),
        (
            "sections",
            pa.list_(
                struct(
                    ("title", _TEXT, "the heading; empty of the lead"),
                    ("level", _INT, "1 for the lead, then as many as the heading has signs"),
                    ("start", _LONG, "first character in the text"),
                    ("end", _LONG, "character after the last; equal to start where it has no paragraph"),
                )
            ),
            "in the article's order",
            PASSAGES,
        ),
        (
            "citations",
            pa.list_(
                struct(
                    ("url", _TEXT),
                    ("title", _TEXT, "of the work, as the reference has it; may be empty"),
                    ("date", _TEXT, "of the work, as written; may be empty"),
                    ("archive", _TEXT, "address of an archived copy; may be empty"),
                    ("section", _INT, "index into the sections"),
                )
            ),
            "addresses that references cite, in the article's order, each once a section",
        ),
        (
            "marks",
            pa.list_(
                struct(
                    ("place", _LONG, "character of the text that the reference follows"),
                    (
                        "citations",
                        pa.list_(_INT),
                        "indices into the citations; none where it has no address",
                    ),
                )
            ),
            "the references in the text, in its order",
        ),
        (
            "lists",
            pa.list_(
                struct(
                    ("section", _INT, "index into the sections"),
                    ("place", _LONG, "character of the text that the item follows, or its section's first"),
                    ("text", _TEXT, "of the item"),
                    ("holes", _INT, "places from which something was taken out that cannot be rendered"),
                )
            ),
            "the items of lists, which are no part of the text, in the article's order",
        ),
        ("categories", pa.list_(_TEXT), "that editors put the article in, in its order"),
        ENCODING,
    ),
)

#: A web page, with scores for filtering by readers.
WEB_PAGES = Shape(
    unit=RECORD,
    kept=columns(
        ("document", _TEXT, "its name in its source: WARC-Record-ID, or path", NAME),
        optional("url", _TEXT, "its address, where the source tells", NAME),
        optional("title", _TEXT, "as the page has it", TITLE),
        ("month", _TEXT, "that params.yaml gives it, YYYY-MM", TIME),
        optional("date", _TEXT, "when it was fetched, where the source tells"),
        ("encoding", _TEXT, "by which it was decoded"),
        ("language", _TEXT, 'of the main content, as a code: "en"; "unknown" where it was not recognised'),
        optional("language_distance", _INT, "from the profile of that language; above 1200 it is a guess"),
        optional("boilerplate", pa.float64(), "share of the text in paragraphs that score 0.5 or more"),
        ("text", _TEXT, "all paragraphs, each one line, with a blank line between two", TEXT),
        (
            "paragraphs",
            pa.list_(
                struct(
                    ("start", _LONG, "first character in the text"),
                    ("end", _LONG, "character after the last"),
                    ("boilerplate", pa.float64(), "0 to 1: below 0.5 in the main content, short ones higher"),
                )
            ),
            "in the page's order",
            PASSAGES,
        ),
    ),
)
