"""What was collected: papers and talks, parsed and split into sentences, by month of publication.

Belongs here: datasets that every system may read. Not here: what one system makes of them.
"""

from __future__ import annotations

from assets.declaration import dataset
from ops.outcome import Outcomes
from ops.parse.gold_alignments import parse_gold_alignments
from ops.parse.papers import parse_papers
from ops.parse.scan import Records
from ops.parse.schemas import GOLD_ALIGNMENTS, PAPERS, SENTENCES, TALKS
from ops.parse.sentences import SentenceParams, filter_sentences
from ops.parse.talks import parse_talks
from ops.parts import Parts


@dataset(group="sources", shape=PAPERS, measures=["text.words", "sections.length", "sentences.length"])
def papers(records: Records) -> Outcomes:
    """Papers of every source: title, sections with their roles, sentences with their place in the source."""
    return records.map(parse_papers)


@dataset(group="sources", shape=TALKS, measures=["words.length"])
def talks(records: Records) -> Outcomes:
    """Transcripts of talks, word by word, with times where the transcript has them."""
    return records.map(parse_talks)


@dataset(group="sources", shape=SENTENCES, consumes="papers.sentences", measures=["text.words", "text.characters"])
def sentences(papers: Parts, params: SentenceParams) -> Outcomes:
    """The papers' sentences without footnotes, copyright lines and equation debris."""
    return papers.map(filter_sentences, params)


@dataset(group="sources", shape=GOLD_ALIGNMENTS, optional=True)
def gold_alignments(records: Records) -> Outcomes:
    """Alignments made by hand: which words of a talk describe which sentence of its paper."""
    return records.map(parse_gold_alignments)


SOURCES = [papers, talks, sentences, gold_alignments]
