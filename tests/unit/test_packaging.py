"""What is shipped: the wheel and the sdist hold every theme, style, schema, starter paper and weight file."""

from __future__ import annotations

import email
import json
import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

import litterm

CHECKOUT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The wheel and the sdist of this checkout."""
    if find_spec("hatchling") is None:
        pytest.skip("needs hatchling, which comes with the extra `test`: pip install '.[test]'")
    folder = tmp_path_factory.mktemp("dist")
    run = [sys.executable, "-m", "hatchling", "build", "-d", str(folder)]
    subprocess.run(run, cwd=CHECKOUT, check=True, capture_output=True)
    return next(folder.glob("*.whl")), next(folder.glob("*.tar.gz"))


def package_files() -> set[str]:
    """Every file of the package in this checkout, and the themes where the wheel has them."""
    files = [path.relative_to(CHECKOUT) for path in (CHECKOUT / "litterm").rglob("*") if path.is_file()]
    themes = {f"litterm/themes/{path.name}" for path in (CHECKOUT / "themes").glob("*.toml")}
    made = {path for path in files if any(part == "__pycache__" or part.startswith(".") for part in path.parts)}
    return {str(path) for path in files if path not in made} | themes


def test_the_wheel_holds_the_whole_package_and_nothing_else(built: tuple[Path, Path]) -> None:
    names = set(zipfile.ZipFile(built[0]).namelist())
    assert package_files() - names == set()
    assert {
        name
        for name in names
        if not name.startswith(("litterm/", "litterm-", "litterm_benchmarks/", "litterm_training/"))
    } == set()


def test_the_wheel_holds_what_is_no_python(built: tuple[Path, Path]) -> None:
    names = zipfile.ZipFile(built[0]).namelist()
    for folder, ending in (
        ("litterm/themes/", ".toml"),
        ("litterm/data/starter/", ".jsonl"),
        ("litterm/tui/", ".tcss"),
    ):
        assert [name for name in names if name.startswith(folder) and name.endswith(ending)], folder


def test_the_wheel_says_what_the_project_says(built: tuple[Path, Path]) -> None:
    archive = zipfile.ZipFile(built[0])
    (meta,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
    said = email.message_from_bytes(archive.read(meta))
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))["project"]
    assert (said["Version"], said["License-Expression"]) == (litterm.__version__, "MIT")
    assert said["Requires-Python"] == project["requires-python"]
    required = [line for line in said.get_all("Requires-Dist") or [] if "extra ==" not in line]
    assert len(required) == len(project["dependencies"])
    (licence,) = [name for name in archive.namelist() if name.endswith("licenses/LICENSE")]
    assert b"MIT" in archive.read(licence)
    page = str(said.get_payload())
    assert page.startswith("# litterm\n") and "(docs/" not in page and "docs/guide/search.md" in page


def test_the_sdist_holds_what_the_wheel_is_built_from_and_its_tests(built: tuple[Path, Path]) -> None:
    with tarfile.open(built[1]) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    # The starter library is made when a wheel is built.
    made = "litterm/data/starter/library/"
    wanted = {name.replace("litterm/themes/", "themes/") for name in package_files() if not name.startswith(made)}
    wanted |= {"README.md", "LICENSE", "CHANGELOG.md", "pyproject.toml", "tests/conftest.py", "tests/fakes.py"}
    wanted |= {str(path.relative_to(CHECKOUT)) for path in (CHECKOUT / "docs").rglob("*.*")}
    wanted |= {"CONTRIBUTING.md", "hatch_build.py"}
    assert wanted - names == set()


def test_links_and_pictures_of_the_index_page_are_addresses_where_there_is_one() -> None:
    pytest.importorskip("hatchling", reason="needs hatchling, which comes with the extra `test`")
    spec = spec_from_file_location("hatch_build", CHECKOUT / "hatch_build.py")
    assert spec and spec.loader
    hook = module_from_spec(spec)
    spec.loader.exec_module(hook)
    readme = "![Reading](docs/a.svg)\n\n[Search](docs/b.md), [site](https://example.org), [top](#top)"
    elsewhere = "[site](https://example.org), [top](#top)"
    assert hook.index_page(readme) == f"\n\nSearch (`docs/b.md`), {elsewhere}"
    shown = f"![Reading](https://h/docs/a.svg)\n\n[Search](https://h/docs/b.md), {elsewhere}"
    assert hook.index_page(readme, "https://h/") == shown


def test_the_wheel_works_where_there_is_no_checkout(built: tuple[Path, Path], tmp_path: Path) -> None:
    zipfile.ZipFile(built[0]).extractall(tmp_path / "site")
    environ = {**os.environ, "PYTHONPATH": str(tmp_path / "site"), "LITTERM_HOME": str(tmp_path / "home")}
    asked = "import litterm; from litterm.cli.main import main; print(litterm.__file__); main(['doctor', '--json'])"
    run = [sys.executable, "-c", asked]
    done = subprocess.run(run, cwd=tmp_path, env=environ, capture_output=True, text=True, check=True)
    place, _, found = done.stdout.partition("\n")
    assert Path(place).is_relative_to(tmp_path)
    shipped = {row["name"]: int(row["value"]) for row in json.loads(found)["package"]}
    assert shipped["themes"] >= 5
    assert shipped["starter library files"] >= 1


def test_the_changelog_has_a_dated_section_for_this_version_below_what_is_to_come() -> None:
    headings = re.findall(r"^## \[(.+?)\](.*)$", (CHECKOUT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    (to_come, _), *dated = headings
    assert to_come == "Unreleased"
    assert dated[0][0] == litterm.__version__
    assert all(re.fullmatch(r" - \d{4}-\d\d-\d\d", date) for _, date in dated)


def test_the_description_for_registries_of_tools_names_this_version_and_a_command_that_is_there() -> None:
    described = json.loads((CHECKOUT / "server.json").read_text("utf-8"))
    (package,) = described["packages"]
    assert (described["version"], package["version"]) == (litterm.__version__, litterm.__version__)
    assert package["transport"] == {"type": "stdio"}
    assert [argument["value"] for argument in package["packageArguments"]] == ["mcp"]
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["optional-dependencies"]["mcp"]
    # The limit of the registry.
    assert len(described["description"]) <= 100
