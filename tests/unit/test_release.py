"""A release: the tag that starts it is the version that the files say."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

import litterm

CHECKOUT = Path(__file__).resolve().parents[2]
WORKFLOW: dict[str, Any] = yaml.safe_load((CHECKOUT / ".github/workflows/release.yml").read_text("utf-8"))


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """The files of a release 3.1.4, with the step that looks at them."""
    (tmp_path / "litterm/core").mkdir(parents=True)
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools/release_check.py").write_text((CHECKOUT / "tools/release_check.py").read_text("utf-8"))
    (tmp_path / "litterm/core/version.py").write_text('"""The version."""\n\n__version__ = "3.1.4"\n')
    (tmp_path / "CITATION.cff").write_text("cff-version: 1.2.0\nversion: 3.1.4\ndate-released: 2026-03-14\n")
    (tmp_path / "CHANGELOG.md").write_text("## [Unreleased]\n\n## [3.1.4] - 2026-03-14\n\n## [3.0.0] - 2026-01-01\n")
    return tmp_path


def checked(folder: Path, tag: str) -> subprocess.CompletedProcess[str]:
    """The step of the workflow that looks at the tag, as hosted CI runs it."""
    (script,) = [step["run"] for step in WORKFLOW["jobs"]["tag"]["steps"] if "run" in step]
    environ = {**os.environ, "GITHUB_REF_NAME": tag, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    return subprocess.run(["bash", "-e", "-c", script], cwd=folder, env=environ, capture_output=True, text=True)


def test_the_tag_of_the_version_is_accepted(checkout: Path) -> None:
    done = checked(checkout, "v3.1.4")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("tag", ["v3.1.5", "3.1.4", "v3.1.4; true", "vnext"])
def test_another_tag_is_refused(checkout: Path, tag: str) -> None:
    done = checked(checkout, tag)
    assert done.returncode == 1
    assert tag in done.stderr


@pytest.mark.parametrize(
    ("name", "before", "after", "told"),
    [
        ("CITATION.cff", "version: 3.1.4", "version: 3.1.3", "CITATION.cff says version 3.1.3, the tag v3.1.4"),
        ("CITATION.cff", "03-14", "03-15", "CITATION.cff says 2026-03-15, CHANGELOG.md says 2026-03-14"),
        ("CHANGELOG.md", "## [3.1.4] - 2026-03-14", "", "CHANGELOG.md says version 3.0.0"),
    ],
)
def test_a_file_that_was_forgotten_is_named(checkout: Path, name: str, before: str, after: str, told: str) -> None:
    file = checkout / name
    file.write_text(file.read_text().replace(before, after, 1))
    done = checked(checkout, "v3.1.4")
    assert (done.returncode, told in done.stderr) == (1, True), done.stderr


def test_every_job_waits_for_the_check_of_the_tag() -> None:
    needs = {name: job.get("needs") for name, job in WORKFLOW["jobs"].items()}
    assert needs == {"tag": None, "tests": "tag", "distributions": "tests"}


def test_the_tests_of_a_release_run_on_each_python_of_the_classifiers() -> None:
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))["project"]
    named = re.findall(r"Python :: (3\.\d+)$", "\n".join(project["classifiers"]), re.MULTILINE)
    assert WORKFLOW["jobs"]["tests"]["strategy"]["matrix"]["python"] == named
    assert project["requires-python"] == f">={named[0]}"
    assert " ".join(named) in (CHECKOUT / ".ci/distributions").read_text("utf-8")


def test_the_citation_names_this_version() -> None:
    citation = yaml.safe_load((CHECKOUT / "CITATION.cff").read_text("utf-8"))
    assert citation["version"] == litterm.__version__
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", str(citation["date-released"]))
