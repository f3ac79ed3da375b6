"""A pretrained encoder-decoder among the models that write leads: a run trains and scores it."""

import json

import pyarrow.parquet as pq
import pytest

from silverloom.ops.models.seq2seq.pretrained import FOLDER
from tests.ops.wikisum.long_sequences.pretrained_cases import write_led
from tests.projects import spell_out

TOWNS = ["Varn", "Torrow", "Lissa", "Kestrel", "Salm", "Orrin", "Bray", "Dunmore", "Elva", "Fenwick", "Garth"]
LEAD = "'''{town} Harbour''' is a harbour of the islands, which the guild of {town} built of grey stone."
PAGE = (
    "<html><body><main><p>The guild of {town} built {town} harbour of grey stone, when ships were lost on the "
    "reef. Visitors ask for the harbour of {town} before anything else, and walk along its old wall.</p></main>"
    "</body></html>"
)


def corpus(folder):
    for name in ("articles", "pages"):
        (folder / name).mkdir(parents=True)
    for town in TOWNS:
        text = f"{LEAD}\n\n== History ==\nThe council of {{town}} burned the old one.\n".format(town=town)
        (folder / "articles" / f"{town} Harbour.txt").write_text(text)
        (folder / "pages" / f"{town}.html").write_text(PAGE.format(town=town))


def rows(project, name):
    files = sorted((project.root / "data" / name).rglob("kept-*.parquet"))
    return [row for file in files for row in pq.read_table(file).to_pylist()]


@pytest.mark.long
def test_a_pretrained_model_is_trained_scored_and_shown_like_the_others(sample_project, tmp_path):
    project = sample_project.copy(tmp_path / "project")
    corpus(project.root / "corpus")
    led = write_led(tmp_path / "led", [LEAD], positions=512, answers=128)

    def only_this(params):
        wikisum, pages = params["wikisum"], params.get("pages")
        wikisum["tokenizer"]["vocabulary"] = 300
        wikisum["examples"] |= {"citations": 0, "sets": {"lead": {"tokens": 100}}}
        summarizer = spell_out(params, "wikisum.summarizer")
        summarizer["sizes"] = {"tiny": (tiny := summarizer["sizes"]["tiny"])}
        tiny["architectures"] = {
            "t_ed": {"architecture": "transformer_ed", **tiny["architectures"]["t_ed"]},
            "led": {"architecture": "pretrained", "model": str(led), "longest_target": 60, "beam": 2},
        }
        tiny["training"] |= {"epochs": 1}
        wikisum["summarizer"]["sets"] = ["lead"]
        wikisum["grid"]["sizes"] = wikisum["summarizer"]["sizes"]
        wikisum["grid"]["slices"] = {"all": {"lengths": [100], "architectures": ["t_ed", "led"]}}
        wikisum["rating_sheets"] |= {"systems": ["led (tf_idf-combined-100)"], "pairs": []}
        licence = {"licence": "CC0-1.0"}
        params.clear()
        params.update(
            partitions={"every": "none"},
            wikisum=wikisum,
            release={},
            sources={
                "articles": {"mine": {"kind": "wikitext", "path": "corpus/articles", **licence}},
                "web_pages": {"mine": {"kind": "html", "path": "corpus/pages", **licence}},
            },
            **({"pages": pages} if pages else {}),
        )

    project.params(only_this)
    project.silverloom("run")
    summaries = rows(project, "wikisum/summaries")
    assert {row["model"] for row in summaries} == {"lead-led", "lead-t_ed"}
    assert len({row["example_id"] for row in summaries}) == len(summaries) / 2
    files = project.root / "data/wikisum/summarizer/__files/lead-led" / FOLDER
    assert json.loads((files / "config.json").read_text())["model_type"] == "led"
    assert (files / "model.safetensors").read_bytes() != (led / "model.safetensors").read_bytes()

    scored = {row["system"]: row for row in rows(project, "wikisum/evaluation")}
    assert scored.keys() == {"led", "t_ed", "extractive"} and scored["led"]["nats"] > 0
    [table] = (project.root / "data/wikisum/evaluation").rglob("table.json")
    [system] = [row for row in json.loads(table.read_text())["systems"] if row["system"] == "led"]
    assert {"rougeL_f", "bertscore_f", "log_perplexity"} <= system["scores"].keys()
    page = (project.root / "data/quality/pages/leads.html").read_text()
    assert "led, L = 100" in page

    # Weights are inputs: new weights remake the models, and nothing before them.
    write_led(tmp_path / "led", [PAGE], positions=512, answers=128)
    plan = project.silverloom("plan")
    assert "wikisum/summarizer" in plan and "wikisum/grid" in plan and "wikisum/examples" not in plan, plan
