"""All crawls of these tests start from a warm process."""

import pytest


@pytest.fixture(autouse=True)
def every_crawl(warm):
    """Start every crawl from a warm process."""
