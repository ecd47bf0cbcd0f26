"""Pages of the site that lie beside `docs/`: README as its start, CONTRIBUTING and CHANGELOG; a hook of mkdocs."""

from __future__ import annotations

from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parent.parent
PAGES = {"README.md": "index.md", "CONTRIBUTING.md": "CONTRIBUTING.md", "CHANGELOG.md": "CHANGELOG.md"}
"""By the name in the checkout its name in the site, whose root is `docs/`."""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the pages, with links that hold in the site."""
    for name, page in PAGES.items():
        text = (ROOT / name).read_text("utf-8").replace("](docs/", "](").replace("](LICENSE)", "](LICENSE.txt)")
        files.append(File.generated(config, page, content=text))
    files.append(File.generated(config, "LICENSE.txt", content=(ROOT / "LICENSE").read_text("utf-8")))
    return files


def on_page_markdown(markdown: str, **_: object) -> str:
    """The text of a page of `docs/` with links to the files beside `docs/`."""
    for name, page in PAGES.items():
        markdown = markdown.replace(f"](../{name}", f"]({page}")
    return markdown
