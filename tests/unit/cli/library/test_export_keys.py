"""The keys of exports over the real engine: to the letter, and told where they cannot be."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from fakes import ZEBRA, FakeEngine

from litterm.cli.main import main

ENTRIES = """@article{Müller2010, title = {Counting boats at sea}, author = {Able, Ann}, year = 2010, journal = {B}}
@article{O'Neil2011, title = {Ropes of another kind}, author = {Baker, Bo}, year = {2011}, journal = {Boats}}
@article{A B, title = {Keys with a blank inside}, author = {Cole, Cy}, year = {2012}, journal = {Boats}}
"""


def run(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[str, list[str]]:
    assert main(list(argv)) == 0
    captured = capsys.readouterr()
    return captured.out, captured.err.splitlines()


def test_each_format_has_the_users_keys_and_says_which_it_changed(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "own.bib").write_text(ENTRIES, "utf-8")
    run(capsys, "add", str(tmp_path / "own.bib"))
    marks = {
        "--bibtex": ("@article{%s,", "@article{%s,"),
        "--ris": ("ID  - %s\n", "ID  - %s\n"),
        "--csl": ('"id": "%s"', '"id": "%s"'),
        "--csv": ("\n%s,", "\n%s,"),
        "--markdown": ("[@%s]", "[@{%s}]"),
    }
    for form, (usual, quoted) in marks.items():
        out, said = run(capsys, "export", "--all", form)
        out = f"\n{out.replace(chr(13), '')}"
        assert usual % "Müller2010" in out, form
        assert quoted % "O'Neil2011" in out, form
        assert usual % "AB" in out, form
        assert said == [
            "The key “A B” of “Keys with a blank inside” has characters that break a bibliography; it is written as AB."
        ]


@pytest.mark.parametrize("form", ["--key", "--bibtex"])
def test_cite_writes_the_users_key_and_says_what_it_changed(
    home: Path, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    for own, key, is_said in (("O'Neil(2011)", "O'Neil(2011)", False), ("O Neil", "ONeil", True)):
        engine = FakeEngine()
        engine.papers = (replace(ZEBRA, imprint=replace(ZEBRA.imprint, bibkey=own)),)
        assert main(["cite", "zebra [CITATION]", form], build=lambda _settings, engine=engine: engine) == 0  # type: ignore[misc, return-value]
        captured = capsys.readouterr()
        assert key in captured.out
        assert (f"it is written as {key}." in captured.err) is is_said
