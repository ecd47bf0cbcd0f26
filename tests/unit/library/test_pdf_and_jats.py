"""PDFs join the records of their papers, by the ids and titles that they print."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from litterm import build_engine, load_settings, run


@pytest.mark.parametrize("step", [3, pytest.param(1, marks=pytest.mark.extra, id="all")])
def test_pdfs_of_other_names_join_their_jats_articles_and_a_second_version_the_first(
    shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    """In the suite every third of the 18 articles."""
    monkeypatch.setenv("LITTERM_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LITTERM_OFFLINE", "1")
    pdfs = sorted((shared / "data/pdf").glob("PMC*.pdf"))[::step]
    assert len(pdfs) == 18 // step
    for name in ("jats", "first", "second"):
        (tmp_path / name).mkdir()
    for number, pdf in enumerate(pdfs):
        shutil.copy(next((shared / "data/jats").glob(f"{pdf.stem}.*ml")), tmp_path / "jats")
        # Under a name that says nothing.
        shutil.copy(pdf, tmp_path / "first" / f"scan-{number}.pdf")
        (tmp_path / "second" / f"other-{number}.pdf").write_bytes(pdf.read_bytes() + b"\n% second version\n")
    engine = build_engine(load_settings())
    reports = [run(engine.add([tmp_path / name])) for name in ("jats", "first", "second")]
    assert [report.added for report in reports] == [18 // step, 0, 0]
