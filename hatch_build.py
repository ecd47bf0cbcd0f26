"""What the build of the package makes: the page of a package index, the starter library, and the man pages.

An index shows README as one page and resolves no path of the checkout. With `Source` in `[project.urls]` the paths of
README become addresses below it. Without, a link becomes its text with the path in the source distribution, and
pictures go.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

_STARTER = "litterm/data/starter/library"
_MAKE_STARTER = "from litterm.library.starter import build_prebuilt; build_prebuilt()"
_MAKE_MAN_PAGES = (
    "import sys; from pathlib import Path; from litterm.cli.manual import write_man_pages; "
    "write_man_pages(Path(sys.argv[1]))"
)
_LINK = re.compile(r"(!?)\[([^\]]*)\]\((?![a-z]+:|#)([^)]+)\)")


def index_page(readme: str, source: str = "") -> str:
    """`readme` without paths of the checkout; `source` is the address of the files, empty where there is none."""

    def absolute(match: re.Match[str]) -> str:
        picture, text, path = match.groups()
        if source:
            return f"{picture}[{text}]({source.rstrip('/')}/{path})"
        return "" if picture else f"{text} (`{path}`)"

    return re.sub(r"\n{3,}", "\n\n", _LINK.sub(absolute, readme))


class CustomMetadataHook(MetadataHookInterface):
    """Sets `readme`, which `pyproject.toml` leaves to this file."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Puts the page into `metadata`."""
        source = metadata.get("urls", {}).get("Source", "")
        text = index_page((Path(self.root) / "README.md").read_text("utf-8"), source)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


class CustomBuildHook(BuildHookInterface[Any]):
    """Makes the starter library ready for a wheel, or for the checkout that is installed with `pip install -e`."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Adds the library to the files of the wheel."""
        # By the sources that are built, whatever version of litterm this environment has.
        made = subprocess.run([sys.executable, "-c", _MAKE_STARTER], cwd=self.root, capture_output=True, text=True)
        if made.returncode:
            reason = made.stderr.strip().rpartition("\n")[2]
            self.app.display_warning(
                f"The first search will make the starter library, as the build could not: {reason}"
            )
        build_data["artifacts"].append(f"{_STARTER}/**")
        if version != "editable":
            self._add_man_pages(build_data)

    def _add_man_pages(self, build_data: dict[str, Any]) -> None:
        """Adds a page for each command, which an installer puts where `man` looks."""
        # Deleted with this process, once the wheel is written.
        self._folder = tempfile.TemporaryDirectory()
        run = [sys.executable, "-c", _MAKE_MAN_PAGES, self._folder.name]
        made = subprocess.run(run, cwd=self.root, capture_output=True, text=True)
        if made.returncode:
            reason = made.stderr.strip().rpartition("\n")[2]
            self.app.display_warning(f"There are no man pages, as the build could not make them: {reason}")
        for page in sorted(Path(self._folder.name).glob("*.1")):
            build_data["shared_data"][str(page)] = f"share/man/man1/{page.name}"
