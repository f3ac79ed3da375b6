"""Oversized input is bounded, and affects only itself.

Belongs here: one unit too large for the memory next to a normal one. Not here: the bounds of each op
(tests/ops).
"""

import json
import subprocess
import sys

import pytest

from silverloom.assets.declare.project import checkout

#: Aligns a pair with too many words and sentences, and a small one, with 1.5 GB of spare memory.
ALIGN = """
import json, resource
import pyarrow as pa
import pytest
from silverloom.ops.talksumm import HmmParams
from silverloom.ops.talksumm import align
from silverloom.ops.talksumm.schemas import PAIRS

def pair(name, words, sentences):
    row = dict.fromkeys(PAIRS.kept.names) | {"id": name, "source_ids": [], "licence": "MIT", "talk_id": name, "paper_id": name}
    row["words"] = [{"text": "parsers", "offset": 0, "start": None, "end": None}] * words
    row["sentences"] = [
        {"id": f"{name}-{at}", "sentence_id": str(at), "position": at, "section_title": "", "role": "method",
         "text": f"Dependency parsers analyse sentence {at} of the paper.", "holes": 0}
        for at in range(sentences)
    ]
    return row

def aligned(*pairs):
    return align(pa.Table.from_pylist(list(pairs), schema=PAIRS.kept), HmmParams())

small = pair("small", 3, 2)
alone = aligned(small)
pages = int(open("/proc/self/statm").read().split()[0])
resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + 1_500_000_000,) * 2)
found = aligned(pair("large", 150_000, 10_000), small)
lost = {(row["pair_id"], row["reason"], row["score"]) for row in found.dropped.to_pylist()}
print(json.dumps([found.kept.equals(alone.kept), len(found.units), len(found.dropped), sorted(lost)]))
"""

ANNOTATE = """
import json, resource
import silverloom.orchestration  # pins the kernels before numpy is loaded
import pyarrow as pa
from silverloom.ops.discofuse.dataset.annotated import annotate
from silverloom.ops.discofuse.annotation import AnnotationParams
from silverloom.ops.discofuse.schemas import PROSE

def annotated(*texts):
    rows = [
        {"id": str(number), "source_ids": [], "licence": "MIT", "document": "d", "title": None, "month": "2018-06",
         "domain": "sports", "text": text}
        for number, text in enumerate(texts)
    ]
    return annotate(pa.Table.from_pylist(rows, schema=PROSE.kept), AnnotationParams())

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

alone = annotated("He ran. She stayed.")
before = peak()
found = annotated("He ran. She stayed.", "a, " * 20_000, "(" * 100_000)
print(json.dumps([found.kept.slice(0, 1).equals(alone.kept), len(found.kept), peak() - before]))
"""


def child(code):
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=checkout(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.long
def test_a_pair_of_150_000_words_and_10_000_sentences_is_dropped_and_its_neighbour_is_aligned(tally):
    """A talk and a paper too large to align."""
    tally.attempt()
    same, units, dropped, lost = child(ALIGN)
    assert same and units == 10_002 and dropped == 10_000
    assert lost == [["large", "too_large", 150_000 * 10_000.0]]
    tally.survive()


@pytest.mark.long
def test_documents_without_sentence_ends_are_parsed_in_bounded_memory(tally):
    """A document of 40,000 tokens without a sentence end, and one of 100,000 parentheses."""
    tally.attempt()
    same, documents, memory = child(ANNOTATE)
    assert same and documents == 3
    assert memory < 400_000_000
    tally.survive()
