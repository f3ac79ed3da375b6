"""Two months of papers and talks, small enough to run the whole DAG in seconds."""

from pathlib import Path

TOPICS = {
    "alpha": ("2018-06", "Counting Rare Words in Small Corpora", "rare words", "frequency tables"),
    "beta": ("2018-06", "Listening to Noisy Channels", "noisy audio", "acoustic filters"),
    "gamma": ("2018-07", "Parsing Long Sentences Quickly", "long sentences", "chart parsers"),
    "delta": ("2018-07", "Choosing Labels for Short Messages", "short messages", "label models"),
}

PAPER = """# {title}
date: {month}-15

## Abstract
We study {thing} and show that {tool} handle them well in practice.

## 1 Introduction
Many systems fail when they meet {thing} in the wild and nobody knows why.
In this paper we describe how {tool} can be adapted to {thing} with little effort.
Our experiments show that the adapted {tool} make half as many errors as before.

## 2 Related Work
Earlier studies looked at {thing} only from a theoretical point of view.

## 3 Method
The central idea is to train {tool} on examples that are chosen by their difficulty.
We estimate the difficulty of every example with a simple regression over its length.
1Available at http://example.org/{name} for everybody.
A second pass removes the examples on which two annotators did not agree at all.

## 4 Results
Adapted {tool} reach an accuracy of ninety percent on three public collections.
The largest gain appears on the collection that contains the most difficult {thing}.

## 5 Conclusion
We have shown that {tool} can deal with {thing} when training examples are chosen carefully.

## Acknowledgments
We thank the anonymous reviewers for their helpful comments on this paper.
"""

TALK = """so um hello everybody today I will talk about {thing} many systems fail when they meet {thing}
and nobody knows why uh we adapted {tool} to them with little effort the central idea is that we train {tool}
on examples chosen by difficulty um and we estimate the difficulty with a regression over the length
a second pass removes examples where annotators did not agree in the results the adapted {tool} reach an accuracy
of ninety percent on three collections the largest gain is on the most difficult {thing} thank you
"""


def write_corpus(folder: Path) -> None:
    """Write four papers with their talks, and one talk without a paper."""
    (folder / "papers").mkdir(parents=True)
    (folder / "talks").mkdir()
    rows = ["file,title,date,url,licence"]
    for name, (month, title, thing, tool) in TOPICS.items():
        words = {"name": name, "month": month, "title": title, "thing": thing, "tool": tool}
        (folder / "papers" / f"{name}.txt").write_text(PAPER.format(**words))
        (folder / "talks" / f"{name}.txt").write_text(TALK.format(**words))
        rows.append(f"{name}.txt,{title},{month}-20,https://talks.example.org/{name},CC0-1.0")
    (folder / "talks" / "lost.txt").write_text("a talk about something that nobody wrote down")
    rows.append("lost.txt,An Unwritten Paper,2018-06-21,https://talks.example.org/lost,CC0-1.0")
    (folder / "talks" / "metadata.csv").write_text("\n".join(rows) + "\n")


def write_paper(folder: Path, name: str, month: str) -> None:
    """Add one paper without a talk."""
    words = {
        "name": name,
        "month": month,
        "title": f"A Note on {name.title()}",
        "thing": name,
        "tool": "notes",
    }
    (folder / "papers" / f"{name}.txt").write_text(PAPER.format(**words))
