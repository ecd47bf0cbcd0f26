"""The examples of CONTRIBUTING are applied to a copy of the package, and each is run."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from documents import CHECKOUT

import litterm

PACKAGE = Path(litterm.__file__).parent
EXAMPLE = re.compile(r"^### (Add an? [\w ]+)\n(?:(?!^### ).*\n)*?```diff\n((?:.*\n)*?)```", re.MULTILINE)
MOST_PLACES = {
    "Add a command": 4,
    "Add an operation": 1,
    "Add a service": 3,
    "Add an export format": 3,
    "Add a setting": 3,
}
"""Files that a change touches at most."""
SERVICE = """
import os
from litterm.core.settings import load
from litterm.core.tasks import run
from litterm.services.registry import open_services
(found,) = run(open_services(load(), os.environ, "1").finders["example"].find("trees", limit=2))
print(found.paper.title)
"""
SERVER = """
import threading
from dataclasses import replace
from litterm.build import build_engine
from litterm.core.settings import load
from litterm.server.http.library_server import LibraryServer
from litterm.server.http.listen import ListenAddress
from litterm.server.users.limits import ServerLimits
from litterm.server.users.user_file import UserFile
settings = load()
users = UserFile(settings.config.parent)
server = LibraryServer(build_engine(settings), settings, users, ServerLimits(), ListenAddress(port=0))
thread = threading.Thread(target=server.run)
thread.start()
print(build_engine(replace(settings, server=server.url)).paper_count())
server.stop()
thread.join()
"""
BIB = "@article{a1, title={Parsing of trees}, author={Ada Adams}, year={2014}}"


def examples() -> dict[str, str]:
    return dict(EXAMPLE.findall((CHECKOUT / "CONTRIBUTING.md").read_text("utf-8")))


def test_an_addition_touches_few_files() -> None:
    found = examples()
    assert found.keys() == MOST_PLACES.keys()
    places = {title: diff.count("\n+++ ") for title, diff in found.items()}
    assert all(places[title] <= most for title, most in MOST_PLACES.items()), places


def test_the_examples_can_be_applied_and_run(tmp_path: Path) -> None:
    for path in sorted(PACKAGE.rglob("*")):
        place = tmp_path / "litterm" / path.relative_to(PACKAGE)
        if path.is_file() and "__pycache__" not in path.parts:
            place.parent.mkdir(parents=True, exist_ok=True)
            # Only Python files are changed; the rest need not be copied.
            shutil.copy(path, place) if path.suffix == ".py" else place.symlink_to(path)
    shutil.copytree(CHECKOUT / "docs" / "reference", tmp_path / "docs" / "reference")
    for title, diff in examples().items():
        applied = subprocess.run(
            ["git", "apply", "-p0", "-"], cwd=tmp_path, input=diff, capture_output=True, text=True, check=False
        )
        assert applied.returncode == 0, f"{title}: {applied.stderr}"
    (tmp_path / "a.bib").write_text(BIB, "utf-8")

    def printed(*arguments: str, statuses: tuple[int, ...] = (0,)) -> str:
        home = str(tmp_path / "home")
        environ = {**os.environ, "LITTERM_HOME": home, "LITTERM_OFFLINE": "1", "LITTERM_ABSTRACT_LINES": "9"}
        done = subprocess.run(
            [sys.executable, *arguments], cwd=tmp_path, env=environ, capture_output=True, text=True, check=False
        )
        assert done.returncode in statuses, done.stderr
        return done.stdout

    assert printed("-c", "import litterm; print(litterm.__file__)").startswith(str(tmp_path))
    printed("-m", "litterm", "add", "a.bib")
    assert printed("-m", "litterm", "count") == "1 papers\n"
    assert "number of papers" in printed("-m", "litterm", "--help")
    assert "Parsing of trees\n" in printed("-m", "litterm", "export", "--all", "--titles")
    # A copy lacks what an installation has, which `doctor` says by its status.
    assert "abstract_lines: 9" in printed("-m", "litterm", "doctor", statuses=(0, 1))
    assert "openalex, example" in printed("-m", "litterm", "find", "--help")
    assert printed("-c", SERVER) == "1\n"
    assert printed("-c", SERVICE) == "A paper on trees\n"
