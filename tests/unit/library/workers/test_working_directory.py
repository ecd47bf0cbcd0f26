"""What lies beside the papers is data: no Python of litterm's runs it, whatever it is called."""

from __future__ import annotations

import importlib.metadata
import os
import subprocess
import sys
from pathlib import Path

import pytest

import litterm
from litterm.library.segments.segment import SegmentTables
from litterm.library.workers.process import Child, environment, module_command
from litterm.library.workers.segment_builder import ChildSegmentBuilder
from litterm.model.paper import Paper, PaperId
from tests.pdfs import paper


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a PDF and, for every module there is, a file of its name that tells when it is run."""
    hostile = tmp_path / "hostile"
    hostile.mkdir()
    code = f"import _io\n_io.open({str(tmp_path / 'run')!r}, 'a').write(__name__ + ' ')\nraise SystemExit(3)\n"
    for name in every_module() - loaded_by_python():
        (hostile / f"{name}.py").write_text(code)
    (hostile / "x.pdf").write_bytes(paper())
    return hostile


def every_module() -> set[str]:
    """Top-level modules of the standard library and of all that is installed here, litterm apart."""
    names = set(sys.stdlib_module_names) | {"orjson", "numba", "jax", "sitecustomize", "usercustomize", "tests"}
    for distribution in importlib.metadata.distributions():
        for file in distribution.files or ():
            name = file.parts[0].removesuffix(".py")
            names |= {name} if name.isidentifier() and name != "__pycache__" else set()
    return names - {"litterm"}


def loaded_by_python() -> set[str]:
    """What `python -m` loads before anything of litterm's can say no."""
    asked = [sys.executable, "-P", "-c", "import runpy, sys; print(*sys.modules)"]
    return set(subprocess.run(asked, capture_output=True, text=True, check=True).stdout.split())


def run_modules(folder: Path) -> str:
    told = folder.parent / "run"
    return told.read_text() if told.exists() else ""


@pytest.mark.parametrize("path", [None, ":/nowhere", ".:/nowhere"])
def test_no_child_runs_a_file_of_the_working_directory(
    folder: Path, path: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    if path is not None:
        monkeypatch.setenv("PYTHONPATH", path)
    child = Child("pdf")
    try:
        child.ask({"path": "x.pdf"})
        assert "paper" in child.wait(30)
    finally:
        child.close()
    assert run_modules(folder) == ""


def test_nor_does_the_child_that_builds_segments(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spooled = folder.parent / "segment"
    spooled.mkdir()
    spool = SegmentTables(spooled)
    spool.add_paper(Paper(PaperId("local:1"), "A title"))
    spool.close()
    monkeypatch.chdir(folder)
    builder = ChildSegmentBuilder(small_rows=0)
    try:
        job = builder.build(spooled, rows=1, average_length=None)
        assert job.result().rows == 1
    finally:
        builder.close()
    assert run_modules(folder) == ""


@pytest.mark.parametrize(
    "command", [(sys.executable, "-m", "litterm"), (str(Path(sys.executable).with_name("litterm")),)]
)
def test_the_command_itself_imports_nothing_from_there(folder: Path, home: Path, command: tuple[str, ...]) -> None:
    done = subprocess.run(
        [*command, "--offline", "add", "x.pdf"], cwd=folder, capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, run_modules(folder)) == (0, ""), done.stderr


def test_folders_of_pythonpath_stay_and_relative_ones_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(("", "src", "/opt/modules", ".")))
    assert environment()["PYTHONPATH"] == "/opt/modules"
    monkeypatch.setenv("PYTHONPATH", "")
    assert "PYTHONPATH" not in environment()


def test_a_checkout_that_is_not_installed_finds_itself_but_hides_no_module(tmp_path: Path) -> None:
    """Run by a Python that knows only the checkout, as `python -m litterm` in it does."""
    (tmp_path / "litterm").symlink_to(Path(litterm.__file__).parent)
    (tmp_path / "queue.py").write_text("raise SystemExit(3)")
    command = [*module_command("litterm.library.workers", "echo"), "-"]
    # Without the folder of installed packages, where this checkout may be named, too.
    command.insert(1, "-S")
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False, timeout=30)
    assert (done.returncode, done.stderr[:32]) == (2, b"usage: python -m litterm.library")


def test_python_is_started_in_one_way_only() -> None:
    package = Path(litterm.__file__).parent
    starting = {
        str(file.relative_to(package)) for file in package.rglob("*.py") if "sys.executable" in file.read_text("utf-8")
    }
    # `doctor` only shows it.
    assert starting == {"library/workers/process.py", "cli/diagnostics/doctor.py"}


def test_a_child_process_gets_no_key_token_or_password(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = {"PATH": "/usr/bin", "HOME": "/home/ada", "TMPDIR": "/tmp", "LANG": "C.UTF-8", "LC_CTYPE": "C.UTF-8"}
    kept |= {"TZ": "UTC", "PYTHONHASHSEED": "1", "OMP_NUM_THREADS": "1", "LD_LIBRARY_PATH": "/opt/lib"}
    secret = ("LITTERM_API_KEY", "LITTERM_SERVER_TOKEN", "OPENAI_API_KEY", "S2_API_KEY", "OPENREVIEW_PASSWORD")
    for name, value in (kept | dict.fromkeys(secret, "hush-hush")).items():
        monkeypatch.setenv(name, value)
    given = environment({"LITTERM_EXTRA": "1"})
    assert given.items() >= (kept | {"LITTERM_EXTRA": "1", "PYTHONSAFEPATH": "1"}).items()
    assert "hush-hush" not in given.values()
    child = Child("echo")
    try:
        child.ask({})
        assert child.wait(60)["pid"] == child.pid
        environ = Path(f"/proc/{child.pid}/environ")
        assert b"hush-hush" not in (environ.read_bytes() if environ.exists() else b"")
    finally:
        child.kill()
