"""The key table: one action a key, everywhere; remapping; help that cannot lie."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest
from textual.actions import parse
from textual.dom import DOMNode
from textual.keys import _get_unicode_name_from_key
from tui.harness import Bench, Start

import litterm.tui
from litterm.core.settings import from_home
from litterm.tui.dialogs.base import Dialog
from litterm.tui.input.command_line import help_group, help_order
from litterm.tui.input.keymap import BY_ID, HINTS, TABLE, KeyBinding, bound_action, remap, textual_key
from litterm.tui.state import PANES, PaneName
from litterm.tui.widgets.field import Field


def action_name(action: str) -> str:
    """An action as the table names it: the screen performs those of its parts."""
    name, method, parameters = parse(action)
    return str(parameters[0]) if (name, method) == ("screen", "perform") else action


@pytest.fixture
def acted(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Actions that ran, by name, in order; those that leave the app are noted and not done."""
    from litterm.tui.app import LittermApp

    done: list[str] = []
    run = LittermApp.run_action

    async def noted(self: LittermApp, action: object, namespace: object = None, *rest: object) -> bool:
        name = action_name(action if isinstance(action, str) else str(action))
        if name in ("quit", "suspend_process"):
            done.append(name)
            return True
        ran = await run(self, action, namespace, *rest)  # type: ignore[arg-type]
        done.extend([name] if ran else [])
        return ran

    monkeypatch.setattr(LittermApp, "run_action", noted)
    yield done


SMALL = (60, 12)
"""A screen that costs little to draw: what a key does is the same on every size."""


def keys_tried_in(pane: PaneName) -> list[KeyBinding]:
    """In the results all keys; elsewhere those that do something else there, and of the others each in some panes."""
    in_force = [key for key in TABLE if key.scope in ("all", pane)]
    return [
        key
        for place, key in enumerate(in_force, PANES.index(pane))
        if pane == "results" or key.scope == pane or key.action_in(pane) != key.action_in("results") or place % 3 == 0
    ]


@pytest.mark.parametrize("pane", PANES)
async def test_every_key_of_the_table_does_one_thing_in_every_pane(
    start: Start, acted: list[str], pane: PaneName
) -> None:
    async with start(size=SMALL) as bench:
        await bench.evidence()
        for key in keys_tried_in(pane):
            for name in key.keys:
                await bench.to(pane)
                acted.clear()
                await bench.tap(name)
                assert acted in ([key.action_in(pane)], [key.action]), f"{name} in {pane}"


@pytest.mark.parametrize("where", ["query-field", "find-field", "asked", "lookup", "excerpt"])
async def test_every_key_in_every_field_is_one_action_or_the_letter(start: Start, acted: list[str], where: str) -> None:
    letters = [name for key in TABLE for name in key.keys if len(name) == 1]
    async with start(size=SMALL) as bench:
        await bench.read()
        field = await open_field(bench, where)
        field.set_text("")
        acted.clear()
        bench.send(*letters, "space")
        await bench.handle()
        assert (field.text, acted) == ("".join((*letters, " ")), [])
        opened = list(bench.context.dialogs)
        for key in TABLE:
            for name in key.keys:
                if len(name) == 1 or name == "space":
                    continue
                if bench.context.work.jobs or bench.context.dialogs != opened or bench.app.focused is not field:
                    await bench.settle()
                    field = await open_field(bench, where)
                opened = list(bench.context.dialogs)
                field.set_text("x")
                acted.clear()
                await bench.tap(name)
                in_force = key.scope == "typing" or key.everywhere
                assert len(acted) == 1 if in_force else len(acted) <= 1, f"{name} in {where}: {acted}"


async def open_field(bench: Bench, where: str) -> Field:
    await bench.to("query" if where == "query-field" else "reader")
    keys = {"query-field": "1", "find-field": "/", "asked": "e", "lookup": ":", "excerpt": "c"}
    await bench.press(keys[where])
    field = bench.app.focused
    assert isinstance(field, Field)
    assert field.id == where
    return field


def test_no_two_bindings_want_the_same_key_in_one_place() -> None:
    assert remap({}).conflicts == ()
    for at, key in enumerate(TABLE):
        for other in TABLE[at + 1 :]:
            if key.scope == other.scope or "typing" not in (key.scope, other.scope):
                shared = set(key.keys) & set(other.keys)
                panes = {"results", "reader", "aspects", "matrix", "home"}
                apart = {key.scope, other.scope} <= panes and key.scope != other.scope
                assert not shared or apart, f"{key.id} and {other.id} share {shared}"


def test_ids_are_unique_and_hints_name_bindings_that_have_words() -> None:
    assert len(BY_ID) == len(TABLE)
    assert all(BY_ID[name].hint for names in HINTS.values() for name in names)


def test_no_typing_key_is_a_letter() -> None:
    assert all(len(name) > 1 for key in TABLE if key.scope == "typing" for name in key.keys)


def test_a_key_is_remapped_by_binding_id() -> None:
    remapped = remap({"all.zoom": "Z", "all.options": ",,f2"})
    assert remapped.conflicts == ()
    assert remapped.shown_key_of("all.zoom") == "Z"
    assert remapped.keymap["all.zoom"] == "Z"


def test_a_clash_is_refused_and_told_with_both_names() -> None:
    remapped = remap({"all.zoom": "e"})
    assert remapped.shown_key_of("all.zoom") == "z"
    [told] = remapped.conflicts
    assert "all.zoom" in told
    assert "all.evidence" in told


def test_a_letter_cannot_become_a_key_of_a_field() -> None:
    assert remap({"typing.run": "x"}).conflicts


def test_an_unknown_binding_is_told_with_the_nearest_name() -> None:
    assert "all.zoom" in remap({"all.zooom": "Z"}).conflicts[0]


async def test_a_remapped_key_works_and_the_old_one_no_longer_does(start: Start, tmp_path: Path) -> None:
    settings = replace(from_home(tmp_path), keys=(("all.zoom", "Z"),))
    async with start(settings=settings) as bench:
        await bench.search("pruning")
        await bench.press("z")
        assert bench.context.board.shape.zoomed is None
        await bench.press("Z")
        assert bench.context.board.shape.zoomed == "results"


async def test_a_command_gets_a_key_of_the_users_own(start: Start, tmp_path: Path) -> None:
    settings = replace(from_home(tmp_path), keys=((":home", "ctrl+g"), (":nowhere", "ctrl+e"), (":page 1", "Z")))
    async with start(settings=settings) as bench:
        await bench.search("pruning")
        await bench.press("ctrl+g")
        assert bench.controllers.home.is_open
        await bench.press("ctrl+g")
        assert not bench.controllers.home.is_open
        await bench.press("ctrl+e")
        assert "No command 'nowhere'." in bench.said
        await bench.press("?", "ctrl+g")
        assert len(bench.context.dialogs) == 1 and not bench.controllers.home.is_open
        assert [key for key, text in help_rows(bench) if text == "your key for :page 1"] == ["Z"]
        await bench.press("escape", "1", "Z")
        assert "pruningZ" in bench.shown()


def help_rows(bench: Bench) -> list[tuple[str, str]]:
    """Key and meaning of the rows of the help."""
    return [(choice.key, choice.label) for choice in bench.context.dialogs[-1]._all]  # type: ignore[attr-defined]


def test_a_command_gets_no_key_that_means_something_else() -> None:
    remapped = remap({":home": "e", ":citep": "ctrl+g"})
    assert [key.id for key in remapped.commands] == [":citep"]
    assert remapped.conflicts[0].endswith(":home keeps no key.")


async def test_a_conflict_in_the_settings_is_told_at_the_start(start: Start, tmp_path: Path) -> None:
    async with start(settings=replace(from_home(tmp_path), keys=(("all.zoom", "e"),))) as bench:
        assert any("all.zoom" in text for text in bench.said)


async def test_the_help_lists_every_key_that_is_bound(start: Start) -> None:
    async with start() as bench:
        await bench.search("pruning")
        await bench.press("?")
        [dialog] = bench.context.dialogs
        listed = {choice.label for choice in dialog._all if not choice.key.startswith(":")}  # type: ignore[attr-defined]
        # The key that opens the command line begins with a colon, too.
        assert listed | {BY_ID["all.command-line"].meaning} == {key.meaning_in("results") for key in TABLE}


async def test_the_help_is_searched_by_typing(start: Start) -> None:
    async with start() as bench:
        await bench.search("pruning")
        await bench.press("?", *"outline")
        assert "outline with tables" in bench.shown()
        assert "half a page down" not in bench.shown()


async def test_the_help_finds_commands_and_enter_runs_one(start: Start) -> None:
    async with start() as bench:
        await bench.search("pruning")
        await bench.press("?", *"rename this project")
        assert ":rename-project NAME" in bench.shown()
        await bench.press("escape", "?", *":theme", "enter")
        assert "theme " in bench.field("lookup").text


async def test_the_help_of_a_small_screen_says_how_to_leave_and_ends_with_fields_and_commands(start: Start) -> None:
    async with start(size=(80, 24)) as bench:
        await bench.search("pruning")
        await bench.press("?")
        [dialog] = bench.context.dialogs
        where = [choice.detail for choice in dialog._all if choice.detail]  # type: ignore[attr-defined]
        assert where[:4] == ["most used · results", "results", "move", "decide and note"]
        assert where[-2:] == ["typing in a field", "commands"]
        assert len(where) == len(set(where)), "a group is named once, where it begins"
        assert "esc leave" in bench.shown()


def test_every_key_of_all_panes_is_in_a_group_of_the_help() -> None:
    groups = {key.id: help_group(key) for key in TABLE}
    assert [name for name, group in groups.items() if group == "all"] == []
    places = [help_order(key) for key in TABLE if key.scope == "all"]
    assert len(places) == len(set(places))


async def test_the_mode_is_shown_and_hints_follow_the_pane(start: Start) -> None:
    async with start() as bench:
        assert bench.shown().splitlines()[-1].split()[0] == "INSERT"
        await bench.search("pruning")
        assert bench.shown().splitlines()[-1].split()[0] == "NORMAL"
        assert "sort" in bench.shown().splitlines()[-1]


def bound(key: KeyBinding) -> set[str]:
    return {textual_key(name) for name in key.keys}


async def test_every_action_of_the_table_is_a_method_of_what_it_names(start: Start) -> None:
    async with start() as bench:
        panes = bench.context.results, bench.context.reader, bench.context.evidence
        owners = (bench.app, Field, *panes)
        for key in TABLE:
            for action in (key.action, *(action for _, action in key.in_pane)):
                target, _, method = action.partition("(")[0].rpartition(".")
                named = (bench.screen.part(target),) if target else owners
                assert any(callable(getattr(owner, f"action_{method}", None)) for owner in named), action


async def test_a_key_that_a_pane_cannot_use_now_does_what_it_does_elsewhere(start: Start, acted: list[str]) -> None:
    async with start() as bench:
        await bench.evidence()
        bench.context.results.state = replace(bench.context.results.state, source="cite")
        await bench.press("2", "M")
        assert acted[-1] == "evidence_llm.open"
        await bench.press("escape", "2")
        bench.screen.press("all.model")
        await bench.settle()
        assert acted[-1] == "evidence_llm.open"


async def test_the_bindings_in_force_can_be_listed_with_what_is_possible_now(start: Start) -> None:
    async with start() as bench:
        await bench.search("pruning")
        assert bench.screen.active_bindings["M"].binding.action == bound_action("rerank.open")
        bench.context.results.state = replace(bench.context.results.state, rows=())
        assert bench.screen.active_bindings["M"].binding.action == bound_action("evidence_llm.open")


def test_every_binding_of_the_workbench_comes_from_the_table() -> None:
    from litterm.tui.app import LittermApp
    from litterm.tui.aspects.pane import AspectsPane
    from litterm.tui.matrix.pane import MatrixPane
    from litterm.tui.reader.pane import ReaderPane
    from litterm.tui.search.results_pane import ResultsPane
    from litterm.tui.workbench import Workbench

    known = {name for key in TABLE for name in bound(key)}
    for owner in (LittermApp, Workbench, ResultsPane, ReaderPane, AspectsPane, MatrixPane):
        for binding in owner.BINDINGS:
            assert getattr(binding, "id", None) in BY_ID
            assert binding.key in known  # type: ignore[union-attr]
    assert all(_get_unicode_name_from_key(name) for name in known)


def dialog_actions() -> Iterator[tuple[type[DOMNode], str]]:
    """Every dialog with the name of each action that it binds; the key table has the actions of all others."""
    modules = pkgutil.walk_packages(litterm.tui.__path__, "litterm.tui.")
    values = [value for module in modules for value in vars(import_module(module.name)).values()]
    for dialog in {value for value in values if isinstance(value, type) and issubclass(value, Dialog)}:
        for binding in vars(dialog).get("BINDINGS", ()):
            yield dialog, binding.action.partition("(")[0]


def test_every_action_that_a_dialog_binds_is_one_of_its_methods() -> None:
    bound = list(dialog_actions())
    assert len(bound) > 40
    assert [pair for pair in bound if not hasattr(pair[0], f"action_{pair[1]}")] == []
