"""All four systems over real data, on one machine and on a cluster that is killed repeatedly: same bytes?

    python benchmarks/whole.py DATA [--papers 40] [--abstracts 600] [--pages 120] [--kills 2] [--seed 0]

DATA is a folder of public corpora, listed in docs/reports/real-data.md. The options set how many records are
taken, evenly spaced. All articles are taken, and they also serve as web pages, because what they cite is not
in the data. Talks are the real one and the sample's, with the sample's papers, summaries and alignments. One
clone makes every dataset with `silverloom run` on this machine. Another makes them on a Ray cluster of three
nodes (processes of this machine; the driver's node computes nothing), with Dagster's storage in Postgres and
an MLflow server with its store in Postgres too; its driver and all its processes are killed at random times
and restarted.

Prints seconds, rows by reason, and how many partitions Dagster and MLflow know. Fails unless both clones have
the same bytes and Dagster has a materialisation of every partition.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

import yaml
from dotenv import set_key

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import silverloom.orchestration.definitions  # noqa: F401  before numpy, whose kernels it pins
from benchmarks.wikisum_real import records
from silverloom.ops.parse import wikipedia
from silverloom.orchestration.files.identity import folder_hashes
from silverloom.orchestration.workspace.environment import QUIET, STRICT
from silverloom.orchestration.workspace.postgres import with_driver
from tests.browser.servers import free_ports, wait
from tests.postgres import absent, serving
from tests.ray_cluster import three_nodes

#: The sample's corpora that complement the real ones, by section of `sources`.
KEPT = {"papers", "talks", "gold_alignments", "human_summaries"}

#: Counts the materialisations of each partition in Dagster's storage.
TOLD = """
import json
from collections import Counter
from silverloom.orchestration.dagster.instance import instance
found = Counter()
for key in instance().get_asset_keys():
    records = instance().fetch_materializations(key, limit=1000).records
    found.update(f"{key.to_user_string()} {record.partition_key or ''}".strip() for record in records)
print(json.dumps(found))
"""

#: Lists the partitions that have runs in MLflow.
TRACKED = """
import json, mlflow, orchestration  # whose .env names the store
client = mlflow.MlflowClient()
runs = client.search_runs([one.experiment_id for one in client.search_experiments()], max_results=10000)
own = [run.data.tags for run in runs if "partition" in run.data.tags]
print(json.dumps(sorted({f"{tags['dataset']} {tags['partition']}" for tags in own})))
"""


def each(things: list[Any], number: int) -> list[Any]:
    """Return `number` evenly spaced items."""
    return things[:: max(1, len(things) // number)][:number]


def extracted(archive: Path, folder: Path, number: int) -> None:
    """Extract `number` entries of an archive's folder; the members of an entry stay together."""
    with tarfile.open(archive) as tar:
        members = [member for member in tar.getmembers() if member.isfile()]
        depth = 2 if members[0].name.startswith("tests/") else 1
        named = sorted({"/".join(member.name.split("/")[: depth + 1]) for member in members})
        chosen = set(each(named, number))
        tar.extractall(
            folder,
            [one for one in members if "/".join(one.name.split("/")[: depth + 1]) in chosen],
            filter="data",
        )


def lines(source: Path, target: Path, number: int) -> None:
    """Copy `number` lines of a compressed file."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(source, "rt", encoding="utf-8") as file:
        chosen = each(file.readlines(), number)
    with gzip.open(target, "wt", encoding="utf-8") as file:
        file.writelines(chosen)


def write_corpus(data: Path, corpus: Path, papers: int, abstracts: int, pages: int) -> None:
    """Write the selected part of the data."""
    extracted(data / "acl_papers.tar.gz", corpus / "acl", papers)
    extracted(data / "web/trafilatura_eval.tar.gz", corpus / "web", pages)
    extracted(data / "wikipedia/wikitext_pages.tar.gz", corpus / "wikitext", 1000)
    (corpus / "dumps").mkdir()
    for dump in (data / "wikipedia").glob("*.bz2"):
        shutil.copy(dump, corpus / "dumps")
    lines(data / "science_fulltext/scirex.jsonl.gz", corpus / "scirex/papers.jsonl.gz", papers // 3)
    lines(
        data / "science_fulltext/unarXive_sample.jsonl.gz", corpus / "unarxive/papers.jsonl.gz", papers // 6
    )
    lines(data / "abstracts/abstracts.jsonl.gz", corpus / "abstracts/abstracts.jsonl.gz", abstracts)
    for name, split in (("tune", "train"), ("validation", "validation"), ("validation", "test")):
        lines(data / f"fusion_transfer/{name}.tsv.gz", corpus / f"fusion/{split}.tsv.gz", abstracts // 3)
    write_encyclopedia(corpus)
    paper = json.loads((data / "talks/example_paper.scienceparse.json").read_text())
    (corpus / "science_parse").mkdir()
    (corpus / "science_parse/example.json").write_text(json.dumps(paper))
    (corpus / "talks").mkdir()
    shutil.copy(data / "talks/example_transcript.txt", corpus / "talks")
    row = (
        f'example_transcript.txt,"{paper["title"]}",2018-06-15,https://talks.example.org/1,CC-BY-NC-SA-4.0\n'
    )
    (corpus / "talks/metadata.csv").write_text(f"file,title,date,url,licence\n{row}")


def write_encyclopedia(corpus: Path) -> None:
    """Write the articles as pages too: they replace the cited pages, which are not in the data."""
    found = [*records(wikipedia.FORMATS, "mediawiki_dump", corpus / "dumps")]
    found += records(wikipedia.FORMATS, "wikitext", corpus / "wikitext")
    (corpus / "encyclopedia").mkdir()
    for row in wikipedia.parse_articles(found).kept.to_pylist():
        address = f"https://en.wikipedia.org/wiki/{quote(row['title'].replace(' ', '_'))}"
        text = "".join(f"<p>{escape(paragraph)}</p>" for paragraph in row["text"].split("\n\n"))
        page = (
            f'<html><head><title>{escape(row["title"])}</title><link rel="canonical" href="{address}"></head>'
        )
        (corpus / f"encyclopedia/{row['id']}.html").write_text(f"{page}<body>{text}</body></html>")


def sources(sample: Mapping[str, Any]) -> dict[str, Any]:
    """Return the `sources` of params.yaml: real ones and some of the sample's."""

    def of(kind: str, path: str, month: str, licence: str, **more: Any) -> dict[str, Any]:
        return {
            "kind": kind,
            "path": f"../corpus/{path}",
            "month": {"constant": month},
            "licence": licence,
            **more,
        }

    added = {
        "papers": {
            "acl": of("cl_scisumm", "acl", "2018-06", "CC-BY-SA-4.0"),
            "real_scirex": of("scirex", "scirex", "2018-07", "Apache-2.0"),
            "unarxive": of("unarxive", "unarxive", "2018-08", "CC-BY-4.0"),
            "example": of("science_parse", "science_parse", "2018-06", "CC-BY-NC-SA-4.0"),
        },
        "talks": {"example": of("transcripts", "talks", "2018-06", "CC-BY-NC-SA-4.0")},
        "human_summaries": {"acl": of("cl_scisumm_summaries", "acl", "2018-06", "CC-BY-SA-4.0")},
        "passages": {
            "abstracts": of("abstracts", "abstracts", "2018-07", "CC-BY-4.0", fields={"date": "year"}),
            "citing": of("citing_sentences", "acl", "2018-06", "CC-BY-SA-4.0"),
        },
        "prose": {
            "abstracts": of(
                "table", "abstracts", "2018-07", "CC-BY-4.0", domain="science",
                fields={"text": "abstract", "id": "id", "title": "title", "date": "year"},
            ),
            "wiki": {"dataset": "sources/articles", "domain": "encyclopedia"},
        },
        "articles": {
            "dumps": of("mediawiki_dump", "dumps", "2018-06", "CC-BY-SA-4.0"),
            "wikitext": of("wikitext", "wikitext", "2018-07", "CC-BY-SA-4.0"),
        },
        "web_pages": {
            "pages": of("html", "web", "2018-06", "LicenseRef-unknown"),
            "encyclopedia": of("html", "encyclopedia", "2018-07", "CC-BY-SA-4.0"),
        },
        "fusion_pairs": {"wikisplit": of("split_and_rephrase", "fusion", "2018-06", "CC-BY-SA-4.0")},
    }  # fmt: skip
    return {
        section: {**(sample.get(section, {}) if section in KEPT else {}), **added.get(section, {})}
        for section in sorted(KEPT | added.keys())
    }


def clone(folder: Path) -> Path:
    """Return a clone of this checkout's commit whose params use the corpus next to it."""
    root = folder / "checkout"
    subprocess.run(["git", "clone", "-q", "--shared", ROOT, root], check=True)
    shutil.rmtree(root / "manifests", ignore_errors=True)
    (root / "dvc.lock").unlink(missing_ok=True)
    path = root / "params.yaml"
    params = yaml.safe_load(path.read_text())
    params["sources"] = sources(params["sources"])
    params["engine"]["join_bytes"] = 1 << 20
    params["wikisum"]["examples"]["citations"] = 0  # nothing is crawled
    path.write_text(yaml.safe_dump(params, sort_keys=False))
    for command in (["render"], ["setup"]):
        python(root, "-m", "silverloom.orchestration.cli", *command)
    return root


def environment(root: Path, **more: str) -> dict[str, str]:
    """Return the environment for a clone's programs, which find its code through PYTHONPATH."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("DAGSTER", "SILVERLOOM"))
    }
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {**kept, **STRICT, **QUIET, "PATH": path, "PYTHONPATH": str(root), **more}


def python(root: Path, *argv: str, **more: str) -> str:
    """Return a program's output in a clone. Raises SystemExit with its last lines if it fails."""
    done = subprocess.run(
        [sys.executable, *argv], cwd=root, env=environment(root, **more), text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
    )  # fmt: skip
    if done.returncode:
        raise SystemExit(f"{argv} ended with {done.returncode}:\n{done.stdout[-4000:]}")
    return done.stdout


def run(root: Path, log: Path, after: float | None = None, **more: str) -> float | None:
    """Make everything; return the seconds it took, or None if it was killed after `after` seconds."""
    begun = time.monotonic()
    with log.open("a") as out:
        command = [sys.executable, "-m", "silverloom.orchestration.cli", "run", "--jobs", "2"]
        driver = subprocess.Popen(
            command, cwd=root, env=environment(root, **more), stdout=out, stderr=out, start_new_session=True
        )
        try:
            status = driver.wait(after)
        except subprocess.TimeoutExpired:
            os.killpg(driver.pid, signal.SIGKILL)
            driver.wait()
            return None
    if status:
        raise SystemExit(f"the run ended with {status}:\n{log.read_text()[-4000:]}")
    return time.monotonic() - begun


@contextlib.contextmanager
def mlflow_server(store: str, folder: Path) -> Iterator[str]:
    """Yield the address of an MLflow server."""
    port = free_ports(1)
    command = [sys.executable, "-m", "mlflow", "server", "--port", str(port), "--workers", "1"]
    command += [
        "--backend-store-uri",
        with_driver(store),
        "--artifacts-destination",
        str(folder / "artifacts"),
    ]
    with (folder / "mlflow.log").open("w") as out:
        server = subprocess.Popen(command, stdout=out, stderr=out, start_new_session=True)
        try:
            wait(f"http://127.0.0.1:{port}/health", server)
            yield f"http://127.0.0.1:{port}"
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(server.pid, signal.SIGTERM)
            server.wait()


def datasets(root: Path) -> dict[str, dict[str, str]]:
    """Return the file hashes of each partition, by its folder below data/."""
    found = sorted((root / "manifests").rglob("*.json"))
    names = [
        path.relative_to(root / "manifests").with_suffix("").as_posix().removesuffix("/all") for path in found
    ]
    return {
        name: dict(json.loads(path.read_bytes())["files"]) for name, path in zip(names, found, strict=True)
    }


def reasons(root: Path) -> dict[str, Counter[str]]:
    """Return how many rows each group kept, dropped by reason, and rejected."""
    found: dict[str, Counter[str]] = {}
    for path in (root / "manifests").rglob("*.json"):
        counts = json.loads(path.read_bytes())["counts"]
        group = found.setdefault(path.relative_to(root / "manifests").parts[0], Counter())
        group.update({what: counts.get(what, 0) for what in ("kept", "rejected")})
        group.update(counts.get("reasons", {}))
    return found


def main() -> None:
    """Run and compare both."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("data", type=Path)
    for name, default in (("papers", 40), ("abstracts", 600), ("pages", 120), ("kills", 2), ("seed", 0)):
        parser.add_argument(f"--{name}", type=int, default=default)
    given = parser.parse_args()
    if reason := absent():
        raise SystemExit(reason)
    with tempfile.TemporaryDirectory(prefix="whole-") as name, contextlib.ExitStack() as stack:
        here, there = Path(name, "here"), Path(name, "there")
        write_corpus(given.data.resolve(), here / "corpus", given.papers, given.abstracts, given.pages)
        shutil.copytree(here / "corpus", there / "corpus")
        first, second = clone(here), clone(there)  # from the same commit
        alone = run(first, Path(name, "here.log"))
        assert alone is not None
        print(f"one machine: {alone:.0f} s", flush=True)
        for group, counts in sorted(reasons(first).items()):
            print(
                f"  {group}: "
                + ", ".join(f"{number} {what}" for what, number in counts.most_common() if number)
            )

        server = stack.enter_context(serving())
        tracking = stack.enter_context(mlflow_server(server.database(), there))
        cluster = stack.enter_context(three_nodes())
        for variable, value in (
            ("SILVERLOOM_DAGSTER_POSTGRES", server.database()),
            ("MLFLOW_TRACKING_URI", tracking),
        ):
            set_key(second / ".env", variable, value)
        python(second, "-m", "silverloom.orchestration.cli", "setup")
        engine = {"SILVERLOOM_ENGINE": "ray", "SILVERLOOM_RAY_ADDRESS": cluster.address}
        drawn = random.Random(given.seed)  # noqa: S311  not for security
        begun, log = time.monotonic(), Path(name, "there.log")
        for _ in range(given.kills):
            after = drawn.uniform(0.1, 0.5) * alone
            ended = run(second, log, after, **engine)
            how = "killed" if ended is None else "ended"
            print(
                f"cluster: {how} after {ended or after:.0f} s, {len(datasets(second))} partitions made",
                flush=True,
            )
        run(second, log, **engine)
        print(f"cluster: {time.monotonic() - begun:.0f} s in total", flush=True)

        one, other = datasets(first), datasets(second)
        differing = [key for key in sorted(one | other) if one.get(key) != other.get(key)]
        told = Counter(json.loads(python(second, "-c", TOLD).splitlines()[-1]))
        tracked = json.loads(python(second, "-c", TRACKED).splitlines()[-1])
        print(f"{len(one)} partitions, {len(differing)} with other bytes: {', '.join(differing)}")
        twice = sum(count > 1 for count in told.values())
        print(f"Dagster knows {len(told)}, {twice} of them more than once; MLflow knows {len(tracked)}")
        unknown = sorted(other.keys() - {name.replace(" ", "/") for name in told})
        damaged = [key for key in other if dict(folder_hashes(second / "data" / key)) != other[key]]
        if differing or damaged or unknown:
            raise SystemExit(f"other bytes: {differing}; damaged: {damaged}; Dagster lacks: {unknown}")


if __name__ == "__main__":
    main()
