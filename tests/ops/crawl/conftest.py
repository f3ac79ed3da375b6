"""Crawls of tests begin in forks of a process that has imported Scrapy already."""

import sys

import pytest


@pytest.fixture(autouse=True)
def warm(monkeypatch, zygote):
    monkeypatch.setattr(sys, "executable", str(zygote.bin / "python"))
