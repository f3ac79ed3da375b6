"""Where the page of a dataset lies, below the folder of all pages.

Belongs here: that name, which pages, links and servers share. Not here: what is on a page.
"""


def page_path(name: str, kind: str = "datasets") -> str:
    """Return the path of a dataset's page of some kind."""
    return f"{kind}/{name.replace('/', '-')}.html"
