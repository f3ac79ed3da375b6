"""What MkDocs calls while it builds the site: reference pages are made from the code.

Belongs here: which pages are made, and where they go. Not here: what is on them (the other modules).
"""

from __future__ import annotations

import datasets_page
import notebook_page
import params_page
from commands_page import commands_text
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

#: Where a page that people wrote goes on with what is made.
MARK = "<!-- made from the command line's own help -->"
NOTEBOOK = "tutorials/first-look.ipynb"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are made from params, declarations and the notebook."""
    made = {
        **{f"reference/params/{name}.md": text for name, text in params_page.pages().items()},
        **{f"reference/datasets/{name}.md": text for name, text in datasets_page.pages().items()},
    }
    if notebook := files.get_file_from_path(NOTEBOOK):
        made["tutorials/first-look.md"] = notebook_page.page(notebook.content_string)
    for path, text in made.items():
        files.append(File.generated(config, path, content=text))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Put the commands with all their options under the overview of them."""
    if page.file.src_uri != "reference/commands.md":
        return markdown
    if MARK not in markdown:
        raise PluginError(f"{page.file.src_uri}: the line {MARK} is missing")
    return markdown.replace(MARK, commands_text())
