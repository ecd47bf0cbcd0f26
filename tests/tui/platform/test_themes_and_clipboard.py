"""Themes, marks and the clipboard: what a terminal and a user's folder can do to the look."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from textual.color import Color
from tui.engines import PRUNING, paper
from tui.harness import Start

import litterm.tui
from litterm.core.errors import SettingsError
from litterm.core.settings import from_home
from litterm.core.tasks import run
from litterm.model.paper import Provenance
from litterm.tui.platform.open_external import find_external_place
from litterm.tui.settings import themes
from litterm.tui.widgets import clipboard
from litterm.tui.widgets.glyphs import (
    AMBIGUOUS_MARKS,
    ASCII,
    UNICODE,
    TerminalAnswer,
    _read_report,
    choose_glyphs,
    default_glyphs,
)
from litterm.tui.widgets.styled_lines import ROLES

SHIPPED = next(folder for folder in themes.theme_folders(Path()) if folder.is_dir())
READING = ("text", "match", "evidence-strong", "evidence-proposed", "evidence-hand")
"""What sentences are written in; the rest is labels and messages."""
ELSEWHERE = ("muted", "accent", "refute", "warning", "error")


def names() -> list[str]:
    return sorted(themes.load_themes([SHIPPED]).themes)


def ratio(one: str, other: str) -> float:
    """Contrast as WCAG 2 computes it; from 1 to 21."""
    light, dark = sorted((luminance(Color.parse(one)), luminance(Color.parse(other))), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(color: Color) -> float:
    def linear(channel: int) -> float:
        share = channel / 255
        return share / 12.92 if share <= 0.03928 else ((share + 0.055) / 1.055) ** 2.4

    return 0.2126 * linear(color.r) + 0.7152 * linear(color.g) + 0.0722 * linear(color.b)


def test_the_five_themes_are_shipped_without_a_fault() -> None:
    loaded = themes.load_themes([SHIPPED])
    assert loaded.faults == ()
    assert {"litterm-dark", "litterm-light", "high-contrast", "colour-blind-safe", "ansi"} <= set(loaded.themes)


@pytest.mark.parametrize("name", [name for name in names() if not themes.load_themes([SHIPPED]).themes[name].ansi])
def test_text_can_be_read_on_every_ground_it_stands_on(name: str) -> None:
    theme = themes.load_themes([SHIPPED]).themes[name]
    colors = {**theme.variables, "text": str(theme.foreground)}
    for ground in ("surface", "panel", "selection"):
        for text in READING:
            assert ratio(colors[text], colors[ground]) >= 7, (
                f"{text} on {ground}: {ratio(colors[text], colors[ground])}"
            )
        for text in ELSEWHERE:
            assert ratio(colors[text], colors[ground]) >= 4.5, f"{text} on {ground}"
    assert ratio(colors["hit-text"], colors["hit"]) >= 7
    assert ratio(colors["hit-now-text"], colors["hit-now"]) >= 7


def test_the_ansi_theme_leaves_every_colour_to_the_terminal() -> None:
    theme = themes.load_themes([SHIPPED]).themes["ansi"]
    colours = {key: value for key, value in theme.variables.items() if key in themes.COLOR_KEYS}
    assert all(value.startswith("ansi_") for value in colours.values())
    # Any of the first eight may be the colour of the ground: what is read stands in the default ones.
    assert {colours[key] for key in ("surface", "panel", "muted", "border", "selection")} == {"ansi_default"}
    assert colours["evidence-strong"] != colours["refute"]


def test_the_colour_blind_safe_theme_has_no_pair_of_red_and_green() -> None:
    theme = themes.load_themes([SHIPPED]).themes["colour-blind-safe"]
    for key in ("evidence-strong", "evidence-proposed", "evidence-hand", "refute", "error", "warning", "match"):
        color = Color.parse(theme.variables[key])
        hue = color.hsl.h * 360
        assert not 75 < hue < 165, f"{key} is green"
        assert 15 <= hue <= 345 or color.hsl.s < 0.2, f"{key} is red"


async def test_every_role_has_a_look_in_every_theme(start: Start) -> None:
    async with start() as bench:
        for name in names():
            bench.app.theme = name
            await bench.settle()
            reader = bench.context.reader
            marked = [reader.style_of(role) for role in ("strong", "hand", "rejected", "hit-now", "chosen")]
            assert all(style != reader.style_of("") for style in marked)
            assert all(reader.style_of(role) is not None for role in ROLES)


def test_no_colour_stands_outside_the_themes() -> None:
    source = Path(litterm.tui.__file__).parent
    for file in [*source.rglob("*.py"), *source.rglob("*.tcss")]:
        assert not re.search(r"#[0-9a-fA-F]{6}\b", file.read_text("utf-8").replace("'#1e2128'", "")), file


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("name = ", "name"),
        ("[colors]\nsurface = 'no colour'", "colors."),
        ("colours = 1", "colours"),
        ("[colors]\nglow = '#ffffff'", "colors.glow"),
        ("[styles]\nmatch-style = 'blink'", "colors.surface is missing"),
    ],
)
def test_a_bad_theme_file_is_named_with_its_key(tmp_path: Path, text: str, told: str) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(text, "utf-8")
    with pytest.raises(SettingsError, match=re.escape(str(file))) as raised:
        themes.read_theme(file)
    assert told in str(raised.value) or text == "name = "


async def test_the_app_starts_with_a_bad_theme_in_the_user_s_folder_and_says_so(start: Start, tmp_path: Path) -> None:
    (tmp_path / "themes").mkdir()
    (tmp_path / "themes" / "mine.toml").write_text("[colors]\nsurface = 3", "utf-8")
    async with start() as bench:
        assert any("mine.toml" in said for said in bench.said)
        assert bench.app.theme == "litterm-dark"


async def test_a_theme_of_the_user_is_found_and_changed_while_the_app_runs(start: Start, tmp_path: Path) -> None:
    from dataclasses import replace

    folder = tmp_path / "themes"
    folder.mkdir()
    text = (SHIPPED / "litterm-dark.toml").read_text("utf-8").replace("litterm-dark", "mine")
    (folder / "mine.toml").write_text(text, "utf-8")
    async with start(settings=replace(from_home(tmp_path), theme="mine")) as bench:
        before = bench.context.reader.style_of("match").color
        changed = text.replace("#f0c674", "#00ffff")
        (folder / "mine.toml").write_text(changed, "utf-8")
        os.utime(folder / "mine.toml", ns=(1, 1))
        bench.app._reload_changed_themes()
        await bench.settle()
        assert bench.context.reader.style_of("match").color != before


async def test_an_unknown_theme_is_told_and_the_default_taken(start: Start, tmp_path: Path) -> None:
    from dataclasses import replace

    async with start(settings=replace(from_home(tmp_path), theme="nope")) as bench:
        assert bench.app.theme == "litterm-dark"
        assert any("nope" in said for said in bench.said)


@pytest.mark.parametrize(
    ("environ", "glyphs"),
    [
        ({"TERM": "xterm-256color", "LANG": "de_DE.UTF-8"}, UNICODE),
        ({"TERM": "xterm-256color", "LANG": "de_DE.UTF-8", "LC_ALL": "C"}, ASCII),
        ({"TERM": "dumb", "LANG": "C.UTF-8"}, ASCII),
        ({"TERM": "linux", "LANG": "C.UTF-8"}, ASCII),
        ({}, ASCII),
    ],
)
def test_without_an_answer_the_marks_follow_term_and_locale(environ: dict[str, str], glyphs: object) -> None:
    assert default_glyphs(environ) is glyphs


def test_marks_that_the_terminal_draws_too_wide_are_not_used() -> None:
    environ = {"TERM": "xterm", "LANG": "C.UTF-8"}
    assert choose_glyphs(None, environ, len(AMBIGUOUS_MARKS)) is UNICODE
    assert choose_glyphs(None, environ, 2 * len(AMBIGUOUS_MARKS)) is ASCII
    assert choose_glyphs(False, environ, 2 * len(AMBIGUOUS_MARKS)) is UNICODE
    assert choose_glyphs(True, environ, len(AMBIGUOUS_MARKS)) is ASCII


def test_every_mark_is_one_cell_and_a_guess_never_looks_like_a_decision() -> None:
    from rich.cells import cell_len

    for glyphs in (UNICODE, ASCII):
        several = ("ascii", "digits", "levels", "closeness")
        marks = [getattr(glyphs, name) for name in glyphs.__slots__ if name not in several]
        assert all(cell_len(mark) == 1 for mark in (*marks, *glyphs.levels, *glyphs.closeness))
        guesses = {glyphs.mark("proposed"), glyphs.mark("strong")}
        decisions = {glyphs.mark("accepted"), glyphs.mark("hand"), glyphs.mark("rejected")}
        assert len(decisions) == 3
        assert not guesses & decisions
    assert all(mark.isascii() for mark in AMBIGUOUS_MARKS) is False


def test_the_first_clipboard_program_that_works_takes_the_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, body in (("wl-copy", "exit 1"), ("xclip", f"cat > {tmp_path}/taken")):
        (tmp_path / name).write_text(f"#!/bin/sh\n{body}\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    monkeypatch.setenv("DISPLAY", ":0")
    copied = run(clipboard.copy_task("“Zitat”", tmp_path / "last-copy.txt"))
    assert copied.tool == "xclip"
    assert (tmp_path / "taken").read_text("utf-8") == "“Zitat”"
    assert (tmp_path / "last-copy.txt").read_text("utf-8") == "“Zitat”"


def test_without_a_display_no_program_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("WAYLAND_DISPLAY", "DISPLAY", "WSL_DISTRO_NAME"):
        monkeypatch.delenv(name, raising=False)
    assert run(clipboard.copy_task("x", tmp_path / "deep" / "copy.txt")).tool is None


def test_a_paper_opens_outside_at_its_pdf_page_or_its_address(tmp_path: Path) -> None:
    pdf = tmp_path / "a.pdf"
    pdf.write_bytes(b"%PDF")
    local = paper("X1-1", "Local", provenance=Provenance("pdf", str(pdf)))
    assert find_external_place(local, 6).address == pdf.resolve().as_uri() + "#page=6"
    assert find_external_place(PRUNING, None).address == "https://aclanthology.org/2022.acl-long.107"
    assert find_external_place(paper("X2-1", "None", urls=("javascript:alert(1)",)), None).address == ""


async def test_a_hint_in_the_key_line_can_be_clicked(start: Start) -> None:
    async with start() as bench:
        await bench.search("pruning")
        line = bench.shown().splitlines()[-1]
        await bench.pilot.click("#keys", offset=(line.index("? help") + 1, 0))
        await bench.settle()
        assert bench.context.dialogs


async def test_right_to_left_titles_are_isolated_and_cut_by_cells(start: Start) -> None:
    async with start() as bench:
        await bench.search("-zzz year:2021")
        assert "\u2068" in bench.shown()
        assert "\u2069" in bench.shown()
        assert "结构化剪枝" in bench.shown()


async def test_a_bug_in_a_handler_ends_with_a_sentence_and_no_traceback(
    start: Start, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with start() as bench:
        told: list[object] = []
        monkeypatch.setattr(bench.app, "panic", lambda *what: told.extend(what))
        monkeypatch.setattr(bench.app, "_close_messages_no_wait", lambda: None)
        try:
            raise IndexError("[red]tuple index out of range")
        except IndexError:
            bench.app._fatal_error()
        [sentence] = map(str, told)
        assert "IndexError: [red]tuple index" in sentence
        assert "Log: " in sentence
        assert "Traceback" not in sentence
        assert "Traceback" in caplog.text


@pytest.mark.parametrize(
    ("received", "answer"),
    [
        (b"\x1b[1;14R", TerminalAnswer(13)),
        (b"RAG\x1b[1;15R\r", TerminalAnswer(14, "RAG\r")),
        ("naïve\x1b[A".encode() + b"\x1b[1;2R\xff", TerminalAnswer(1, "naïve")),
        (b"no answer", TerminalAnswer(None, "no answer")),
        (b"\x1b", TerminalAnswer()),
    ],
)
def test_the_width_of_the_marks_is_told_from_what_was_typed_meanwhile(received: bytes, answer: TerminalAnswer) -> None:
    assert _read_report(received) == answer
