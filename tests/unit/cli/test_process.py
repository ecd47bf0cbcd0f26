"""The installed command as a process: streams, signals, encodings, and what it does not import."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from litterm import __version__

HEAVY = (
    "numpy",
    "duckdb",
    "textual",
    "rich",
    "httpx",
    "openai",
    "pypdf",
    "platformdirs",
    "bm25s",
    "argparse",
    "logging",
)


def command(
    *argv: str | bytes, shell: str = "", home: Path, check: bool = False, **environ: str
) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "LITTERM_HOME": str(home), **environ}
    run = ["bash", "-c", shell] if shell else [sys.executable, "-m", "litterm", *argv]
    return subprocess.run(run, capture_output=True, text=True, env=env, check=check, timeout=60)


def test_the_version_costs_no_import_of_anything_heavy(home: Path) -> None:
    code = (
        "import sys; from litterm.cli.main import entry; sys.argv = ['litterm', '--version']; entry();"
        f"print([m for m in {HEAVY} if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [f"litterm {__version__}", "[]"]


@pytest.mark.parametrize("stdout", [">/dev/full", ">&-"])
def test_a_version_that_nobody_can_read_is_no_bug(home: Path, stdout: str) -> None:
    assert "Traceback" not in command(shell=f"{sys.executable} -m litterm --version {stdout}", home=home).stderr


def test_a_usage_error_imports_nothing_heavy_and_leaves_no_files(home: Path) -> None:
    code = (
        "import sys; from litterm.cli.main import main; print(main(['search', '-k', '0', 'x']));"
        f"print([m for m in {HEAVY[:-2]} if m in sys.modules])"
    )
    env = {**os.environ, "LITTERM_HOME": str(home)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env)
    assert done.stdout.splitlines() == ["2", "[]"]
    assert list(home.iterdir()) == []


def test_a_command_that_stores_something_ends_without_a_word_of_its_parts(home: Path, tmp_path: Path) -> None:
    papers = tmp_path / "papers.jsonl"
    papers.write_text('{"id": "doi:10.1000/x", "title": "Zebras cross at night"}\n')
    done = command("add", str(papers), home=home, check=True)
    assert "leaked" not in done.stderr, done.stderr
    assert len(done.stderr.splitlines()) < 5


def test_a_search_of_ones_own_papers_reads_no_references_and_looks_for_no_cycles(home: Path, tmp_path: Path) -> None:
    papers = tmp_path / "papers.jsonl"
    papers.write_text('{"id": "doi:10.1000/x", "title": "Zebras cross at night"}\n')
    command("add", str(papers), home=home, check=True)
    code = (
        "import atexit, gc, sys; from litterm.cli.main import entry\n"
        "sys.argv = ['litterm', 'search', 'zebras crossing at night', '-k', '1', '--json']\n"
        "seen = lambda: [m for m in ('parser', 'resolution') if f'litterm.text.references.{m}' in sys.modules]\n"
        "atexit.register(lambda: print(seen(), gc.get_freeze_count() > 10_000, gc.get_stats()[2]['collections']))\n"
        "entry()"
    )
    env = {**os.environ, "LITTERM_HOME": str(home)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env)
    assert done.stdout.splitlines()[-1] == "[] True 0", "what the interpreter has frozen it need not look through"


def test_a_reader_that_goes_away_is_no_error(home: Path) -> None:
    litterm = f"{sys.executable} -m litterm"
    shell = f"set -o pipefail; {litterm} completion fish | head -1"
    done = command(shell=shell, home=home)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_closed_stdout_is_one_line(home: Path) -> None:
    done = command(shell=f"{sys.executable} -m litterm completion bash >&-", home=home)
    assert done.returncode == 1
    assert done.stderr == "litterm: Standard output is closed; the result cannot be written.\n"


def test_a_full_disk_behind_stdout_is_one_line(home: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("needs /dev/full")
    done = command(shell=f"{sys.executable} -m litterm completion bash >/dev/full", home=home)
    assert done.returncode == 1
    assert "could not be written" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("redirection", ["2>&-", "<&-", "<&- 2>&-"])
def test_other_closed_streams_do_no_harm(home: Path, redirection: str) -> None:
    done = command(shell=f"{sys.executable} -m litterm completion bash {redirection}", home=home)
    assert (done.returncode, "complete -o" in done.stdout) == (0, True)


@pytest.mark.parametrize(
    "environ", [{"LC_ALL": "C"}, {"LC_ALL": "C", "PYTHONIOENCODING": "ascii"}, {"LC_ALL": "POSIX"}]
)
def test_a_broken_argument_in_a_poor_locale_is_still_one_line(home: Path, environ: dict[str, str]) -> None:
    done = command("search", "--year", b"\xff\xfe \xc3", "--zzz", home=home, **environ)
    assert done.returncode == 2
    assert done.stderr.startswith("litterm: ")
    assert "Traceback" not in done.stderr


def test_a_bug_is_one_line_and_a_traceback_in_the_log(home: Path) -> None:
    code = (
        "import sys; import litterm.cli.completion as c; from litterm.cli.main import entry\n"
        "def broken(*_): raise ZeroDivisionError('oh\\nno')\n"
        "c.completion_script = broken; sys.argv = ['litterm', 'completion', 'bash']; entry()"
    )
    env = {**os.environ, "LITTERM_HOME": str(home)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        f"litterm: this is a bug in litterm (ZeroDivisionError: oh); details are in {home}/log/litterm.log.\n"
    )
    log = (home / "log" / "litterm.log").read_text("utf-8")
    assert "Traceback" in log
    assert "ZeroDivisionError: oh" in log


def test_a_bug_before_there_is_a_log_names_its_place(home: Path) -> None:
    code = (
        "import sys; import litterm.cli.parser as p; from litterm.cli.main import entry\n"
        "def broken(*_): return {}['nothing']\n"
        "p.parse = broken; sys.argv = ['litterm', 'search', 'x']; entry()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "litterm: this is a bug in litterm (KeyError: 'nothing'); it was at <string>:2.\n"


@pytest.mark.parametrize("ignored", [False, True])
def test_ctrl_c_while_the_command_is_imported_ends_it_without_a_word(ignored: bool) -> None:
    code = (
        "import os, signal, sys\n"
        "class Impatient:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'litterm.cli.main': os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Impatient())\n"
        f"{'signal.signal(signal.SIGINT, signal.SIG_IGN)' if ignored else ''}\n"
        "from litterm.__main__ import entry; sys.argv = ['litterm', '--version']; entry()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    told = (0, f"litterm {__version__}\n", "") if ignored else (130, "", "")
    assert (done.returncode, done.stdout, done.stderr) == told


def test_the_workbench_refuses_a_pipe_politely(home: Path) -> None:
    done = command(shell=f"echo | {sys.executable} -m litterm", home=home)
    assert (done.returncode, done.stdout) == (2, "")
    assert "needs a terminal" in done.stderr
    assert done.stderr.count("\n") == 1
