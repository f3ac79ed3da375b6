"""Every crawl of these tests begins warm."""

import pytest


@pytest.fixture(autouse=True)
def every_crawl(warm):
    """Crawls begin warm, whoever starts them."""
