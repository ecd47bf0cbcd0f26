"""The workbench over a library that may only be read."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from libraries import record, store
from pty_terminal import LITTERM

pytestmark = pytest.mark.pty


@pytest.mark.skipif(os.getuid() != 0, reason="another user's files are made with rights where there is no root")
def test_a_library_of_somebody_else_is_searched_and_read(terminal, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    kept = tmp_path / "kept"
    store(kept, [record("a1", "Parsing of trees"), record("b1", "Parsing of forests")])
    mount = f'mount --bind "{kept}" "{kept}" && mount -o remount,bind,ro "{kept}" && exec "$@"'
    prefix = [str(shutil.which("unshare")), "-m", "sh", "-c", mount, "sh"]
    if subprocess.run([*prefix, "true"], capture_output=True, check=False).returncode:
        pytest.skip("needs mount namespaces")
    shown = terminal(command=[*prefix, *LITTERM], LITTERM_LIBRARY=str(kept))
    shown.until("2 results")
    shown.press("trees", "enter")
    shown.until("Parsing of trees")
    shown.press("enter")
    shown.until("3 reader")
    shown.press("ctrl+q")
    assert shown.ended() == 0
    assert b"Cannot write" not in shown.raw
