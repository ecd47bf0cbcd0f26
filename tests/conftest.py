"""Fixtures every test may use."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import http_clients
import hypothesis
import pytest
from fakes_model_server import ModelServer, local_ports, serving
from fakes_web_server import WebServer
from model_clients import Clock, Models

from litterm.library.starter import build_prebuilt

CHECKOUT = Path(__file__).resolve().parent.parent

# The same examples in every run, however long they take on a busy machine; `--hypothesis-profile=default` tries others,
# and more of them.
hypothesis.settings.register_profile(
    "landing",
    deadline=None,
    derandomize=True,
    max_examples=50,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("landing")


_sync_to_disk = os.fsync


def pytest_xdist_auto_num_workers() -> int:
    """Half as many again as there are cores: a third of a test is waiting, for servers, other processes and frames."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return cores + (cores + 1) // 2


def pytest_configure() -> None:
    """A suite that a shell runs in the background has interrupts ignored, as would every process it starts."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGHUP, signal.SIGQUIT):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    # There is a worker for each core already: threads of its own for every product of matrices only make it wait.
    for library in ("OPENBLAS", "OMP", "MKL"):
        os.environ.setdefault(f"{library}_NUM_THREADS", "1")
    # With Python's own thresholds the collector takes a seventh of the processor's time in `tests/tui`.
    gc.set_threshold(10_000, 20, 20)
    os.fsync = _check_only
    # As `pip install` does: else every test with a home of its own would make the starter library.
    build_prebuilt()


def pytest_collection_finish() -> None:
    """What is loaded by now lives until the end: the garbage collector leaves it out."""
    gc.collect()
    gc.freeze()


def pytest_unconfigure() -> None:
    """For whoever runs pytest within a longer process."""
    os.fsync = _sync_to_disk


def _check_only(descriptor: int) -> None:
    """`fsync` without the wait for the disk: nothing but a loss of power could tell, and no test brings one about.

    That every file is synced, and in which order, is seen by the tests that put their own `fsync` in its place.
    """
    os.fstat(descriptor)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with real test data (`LITTERM_SHARED`, else `../shared` beside the checkout)."""
    folder = Path(os.environ.get("LITTERM_SHARED") or CHECKOUT.parent / "shared")
    if not (folder / "data").is_dir():
        pytest.skip(f"needs the shared test data, absent at {folder}; set LITTERM_SHARED")
    return folder


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty `LITTERM_HOME`, so that no test touches the user's library."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("LITTERM_HOME", str(folder))
    return folder


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[WebServer]:
    """A server on 127.0.0.1 that is asked in place of every service of papers; it has nothing until it is told."""
    with http_clients.serving() as server:
        monkeypatch.setenv("LITTERM_SERVICES", server.url)
        yield server


@pytest.fixture
def model_server() -> Iterator[ModelServer]:
    """A language model's server on 127.0.0.1; see `fakes_model_server` for what it can do."""
    with serving() as server:
        yield server


@pytest.fixture(autouse=True)
def _no_local_models(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test finds a model of the machine it runs on; `local_ports` of `fakes_model_server` says where to look."""
    local_ports(monkeypatch, 1, 2, 3, 4)


@pytest.fixture
def model_clock() -> Clock:
    """The time of the models made by `make_model`."""
    return Clock()


@pytest.fixture
def make_model(tmp_path: Path, model_server: ModelServer, model_clock: Clock) -> Iterator[Models]:
    """`make_model(temperature=0.5, ...)`: a model at `model_server` with these `[model]` settings."""
    models = Models(tmp_path / "home", model_server.url, model_clock)
    yield models
    models.close()
