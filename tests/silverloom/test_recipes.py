"""The recipes of the documents run as they are printed, on tiny data with a tiny model."""

import os
import re
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
from transformers import AutoTokenizer

from tests.ops.models.seq2seq.pretrained_cases import write_pretrained
from tests.projects import ROOT


def test_the_recipe_trains_a_t5_on_a_release(tmp_path):
    page = (ROOT / "docs/how-to/release.md").read_text()
    [recipe] = re.findall(
        r"```python\n(.*?)```", page.partition("## Fine-tune")[2].partition("\n## ")[0], re.DOTALL
    )
    write_pretrained(tmp_path / "google-t5/t5-small", "t5")
    rows = {"id": ["a", "b"], "unfused_detokenised": ["ann sings ."] * 2, "fused_detokenised": ["ann"] * 2}
    (tmp_path / "release/discofuse").mkdir(parents=True)
    pq.write_table(pa.table(rows), tmp_path / "release/discofuse/train.parquet")
    ended = subprocess.run(
        [sys.executable, "-c", recipe],
        cwd=tmp_path,
        env={**os.environ, "HF_HOME": str(tmp_path / "hub"), "HF_HUB_OFFLINE": "1"},
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 0, ended.stderr
    assert (tmp_path / "fusion-model/model.safetensors").is_file()
    assert AutoTokenizer.from_pretrained(tmp_path / "fusion-model").encode("ann sings .")
