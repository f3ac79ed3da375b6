"""A crawl of a loopback site in a project."""

import pyarrow.parquet as pq

from tests.ops.crawl.crawling import QUICK

CRAWLS, CITED, WEB_PAGES = "sources/crawls", "sources/cited_pages", "sources/web_pages"


def crawling(project, site, *paths, end="2018-06", **month):
    """Make a project crawl pages of a site (by default the first page and its links) and read them."""
    lists = project.root / "corpus/lists"
    lists.mkdir(exist_ok=True)
    lines = [f"{site}{line}" if line.startswith("/") else line for line in paths or ["/"]]
    (lists / "pages.txt").write_text("".join(f"{line}\n" for line in lines))
    source = {"kind": "url_list", "path": "corpus/lists", "month": month, "licence": "CC0-1.0"}

    def change(params):
        params["sources"]["crawls"] = {"web": {**source, "options": {**QUICK, "depth": 1}}}
        params["sources"]["web_pages"] = {"crawled": {"dataset": CRAWLS}}
        params["partitions"] = {"start": "2018-06", "end": end}

    project.params(change)
    project.silverloom("render")


def rows(project, month):
    parts = sorted((project.root / "data" / CRAWLS / month).glob("kept-*.parquet"))
    return {row["url"].rpartition("/")[2]: row for part in parts for row in pq.read_table(part).to_pylist()}
