"""Letters are never commands by accident: text typed in any state of the screen changes nothing and is not lost."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from string import ascii_lowercase

import pytest
from tui.engines import SmallEngine
from tui.harness import Bench, Start

from litterm.library.journal import FileJournal
from litterm.tui.dialogs.text import TypedTextDialog
from litterm.tui.input.completion import Completion, complete
from litterm.tui.input.letter_run import LetterRun, TypedLetter

WORDS = """
all ahead under as at table do dog add exact dust cats vast easy fast text state sad seed data test stem mass exam dash
west east rats stars tax taxes case base face lace race pace sweets sets debts beds words swords works wards yard yards
caenorhabditis elegans transformer attention pruning sparse dense layers heads models language corpus citation evidence
hypothesis protein folding binding receptor agonist dosage trial cohort placebo outcome survival tumour marker genome
sequence alignment parsing tagging chunking entity linking relation extraction summary translation decoding beam search
sampling temperature entropy gradient descent momentum optimizer schedule warmup dropout batch epoch recall precision
accuracy baseline ablation robust adversarial defence privacy federated quantum kernel bayesian prior posterior markov
chain monte carlo variational inference latent manifold embedding vector cosine nearest neighbour graph node edge
cluster community detection spectral causal effect confounder instrument regression discontinuity panel survey random
field maximum minimum entropy kalman filter control policy reward agent planning exploration bandit regret horizon
question answering dialogue speech recognition vision language grounding commonsense reasoning proof theorem program
synthesis code repair compiler benchmark leaderboard annotation agreement crowd worker survey interview qualitative
coding theme grounded theory meta review registered report replication open science archive metadata
""".split()[:200]
EVERY_LETTER = "sphinx of black quartz judge my vow"

State = Callable[[Bench], Awaitable[None]]
"""Brings a workbench into a state to type in."""


class PauseClock:
    """Stands still but while somebody waits."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s

    async def pause(self, _seconds: float) -> None:
        self.now_s += 1.0
        await asyncio.sleep(0)


def guarded(bench: Bench) -> PauseClock:
    """Letters sent at once belong together; a letter sent alone is a command."""
    clock, run = PauseClock(), bench.app.letter_run
    run.clock, run.pause, run.max_gap_s = clock, clock.pause, 0.1
    return clock


def run_of(word: str, gap_s: float = 0.0) -> list[TypedLetter]:
    return [TypedLetter(letter, at * gap_s) for at, letter in enumerate(word)]


@pytest.mark.parametrize("in_dialog", [False, True])
def test_every_one_of_two_hundred_words_is_text_before_a_letter_of_it_acts(in_dialog: bool) -> None:
    assert len(WORDS) == 200
    run = LetterRun(clock=lambda: 0.0)
    assert [word for word in WORDS if run.judge(run_of(word), ended=False, in_dialog=in_dialog) != "text"] == []


@pytest.mark.parametrize("keys", ["aj", "kx", "jjjj", "gG", "nnN", "ssss"])
def test_moves_repeats_and_a_decision_with_a_step_are_commands(keys: str) -> None:
    run = LetterRun(clock=lambda: 9.0)
    assert run.judge(run_of(keys), ended=False, in_dialog=False) == "commands"


def test_letters_with_a_pause_between_them_are_commands() -> None:
    run = LetterRun(clock=lambda: 9.0)
    assert run.judge(run_of("axe", gap_s=0.2), ended=False, in_dialog=False) == "commands"


def test_a_letter_that_changes_something_waits_for_the_next_one_and_a_move_does_not() -> None:
    run = LetterRun(clock=lambda: 0.0)
    assert run.judge(run_of("a"), ended=False, in_dialog=False) == "unclear"
    assert run.judge(run_of("a"), ended=True, in_dialog=False) == "commands"
    assert run.judge(run_of("j"), ended=False, in_dialog=False) == "commands"


async def in_results(bench: Bench) -> None:
    await bench.search("pruning")


async def on_the_chips(bench: Bench) -> None:
    await bench.search("pruning year:2000..")
    bench.context.focus_pane("query")


async def in_the_reader(bench: Bench) -> None:
    await bench.read()


async def in_the_evidence(bench: Bench) -> None:
    await bench.evidence()
    await bench.press("4")


async def at_home(bench: Bench) -> None:
    await bench.search("pruning")
    await bench.press("0")


async def in_options(bench: Bench) -> None:
    await bench.search("pruning")
    await bench.press(",")


async def told_why(bench: Bench) -> None:
    await bench.search("pruning")
    await bench.press("i")


async def at_the_jobs(bench: Bench) -> None:
    await bench.search("pruning")
    await bench.press("!")


async def in_the_help(bench: Bench) -> None:
    await bench.search("pruning")
    await bench.press("?")


async def in_the_menu(bench: Bench) -> None:
    await bench.search("pruning")
    await bench.press(";")


async def at_the_facets(bench: Bench) -> None:
    await bench.search("pruning")
    await bench.until(lambda: bench.context.results.facets)
    await bench.press("p")


async def at_the_projects(bench: Bench) -> None:
    await bench.search("pruning")
    await bench.press("P")


async def at_the_reading_lists(bench: Bench) -> None:
    await bench.search("pruning")
    await bench.press("L")


async def at_the_tags(bench: Bench) -> None:
    await bench.search("pruning")
    await bench.press("t")


async def at_the_note(bench: Bench) -> None:
    await bench.search("pruning")
    await bench.press("m")


async def at_a_citation(bench: Bench) -> None:
    await bench.search("pruning")
    await bench.press("c")


async def at_the_hypothesis(bench: Bench) -> None:
    await bench.read()
    await bench.press("e")


async def in_the_command_line(bench: Bench) -> None:
    await bench.search("pruning")
    await bench.press(":")


async def finding(bench: Bench) -> None:
    await bench.read()
    await bench.press("/")


async def in_the_query(bench: Bench) -> None:
    await bench.search("pruning")
    await bench.press("1")


async def in_the_matrix(bench: Bench) -> None:
    await bench.search("pruning")
    await bench.press("space", "E")
    bench.field("asked").set_text("pruned models are fast")
    await bench.press("enter")


STATES: list[State] = [
    in_results, on_the_chips, in_the_reader, in_the_evidence, at_home, in_options, told_why, at_the_jobs, in_the_matrix,
]  # fmt: skip


FIELDS: list[State] = [
    in_the_query, at_the_tags, at_the_note, at_a_citation, at_the_hypothesis, in_the_command_line, finding, in_the_help,
    in_the_menu, at_the_facets, at_the_projects, at_the_reading_lists,
]  # fmt: skip
"""States with a field to type into, and lists of choices."""


def journal(bench: Bench) -> list[object]:
    """All that the user has ever decided or written, in order."""
    return list(FileJournal(bench.engine.settings.library / "journal").entries())


def decided(bench: Bench) -> tuple[object, object, list[type]]:
    """What the user has written, and which paper and dialogs are open."""
    dialogs = [type(dialog) for dialog in bench.context.dialogs if not isinstance(dialog, TypedTextDialog)]
    return journal(bench), bench.context.reader.state.paper, dialogs


async def assert_words_change_nothing(bench: Bench, state: State, text: str) -> None:
    """Types `text` as one burst in the state, and goes back with esc."""
    await state(bench)
    guarded(bench)
    before = decided(bench)
    bench.send(*("space" if letter == " " else letter for letter in text))
    await bench.settle()
    assert decided(bench) == before
    while bench.context.dialogs:
        await bench.press("escape")
    written, paper, _ = before
    assert decided(bench) == (written, paper, [])


@pytest.mark.parametrize("state", STATES)
async def test_two_hundred_words_typed_where_letters_are_commands_change_nothing(start: Start, state: State) -> None:
    async with start(SmallEngine()) as bench:
        await assert_words_change_nothing(bench, state, " ".join(WORDS))


@pytest.mark.parametrize("state", FIELDS)
async def test_every_letter_typed_into_a_field_or_list_of_choices_changes_nothing(start: Start, state: State) -> None:
    # Here each letter is handled by itself, whatever stands before it: the words are shared out among the states.
    words = [*WORDS[FIELDS.index(state) :: len(FIELDS)], *EVERY_LETTER.split()]
    assert {*"".join(words)} >= {*ascii_lowercase}
    async with start(SmallEngine()) as bench:
        await assert_words_change_nothing(bench, state, " ".join(words))


def kept(bench: Bench) -> object:
    context = bench.context
    return (
        journal(bench),
        context.reader.state.paper,
        context.board.shape.focus,
        context.query.field.text,
        len(context.dialogs),
    )


@pytest.mark.parametrize("state", STATES)
async def test_words_typed_where_letters_are_commands_are_asked_about_and_change_nothing(
    start: Start, state: State
) -> None:
    at = STATES.index(state)
    text = " ".join(WORDS[at * 22 : (at + 1) * 22])
    async with start(SmallEngine()) as bench:
        await state(bench)
        guarded(bench)
        before = kept(bench)
        bench.send(*("space" if letter == " " else letter for letter in text))
        await bench.settle()
        asked = bench.context.dialogs[-1]
        assert isinstance(asked, TypedTextDialog)
        assert bench.field("typed-text").text == text
        await bench.press("escape")
        assert kept(bench) == before


async def test_what_was_typed_is_searched_for_with_enter(start: Start) -> None:
    async with start() as bench:
        await bench.read()
        guarded(bench)
        bench.send(*"sheared")
        await bench.settle()
        await bench.press("enter")
        assert bench.context.dialogs == []
        assert bench.context.query.field.text == "sheared"
        assert [row.paper.id for row in bench.context.results.shown] == ["acl:S24-1"]


async def test_letters_asked_about_can_be_carried_out(start: Start) -> None:
    async with start() as bench:
        await bench.search("pruning")
        guarded(bench)
        bench.send(*"sas")
        await bench.settle()
        await bench.press("f2")
        paper = bench.context.results.shown[0].paper
        notes = bench.engine.annotations.notes(paper.id)
        assert (notes.screening, notes.starred, bench.context.dialogs) == ("included", False, [])


async def test_a_letter_alone_is_a_command(start: Start) -> None:
    async with start() as bench:
        await bench.search("pruning")
        guarded(bench)
        await bench.press("a")
        assert bench.engine.annotations.included_papers() == (bench.context.results.shown[0].paper.id,)


async def test_tab_with_nothing_to_complete_stays_in_the_field(start: Start) -> None:
    async with start() as bench:
        await bench.press("1", *"zz", "tab", "shift+tab", *"sdc")
        assert bench.context.query.field.text.endswith("zzsdc")
        assert bench.context.dialogs == []


async def test_tab_lists_several_values_with_their_meaning_and_goes_through_them(start: Start) -> None:
    async with start(size=(80, 24)) as bench:
        await bench.search("pruning")
        # The papers of all results are counted after the first rows are there.
        await bench.until(lambda: bench.context.results.facets)
        (papers,) = [facet.count for facet in bench.context.results.facets if facet.value == "acl"]
        await bench.press("1")
        bench.context.query.field.set_text("pruning venue:")
        await bench.press("tab")
        assert re.search(rf"venue:acl +{papers} papers", bench.shown())
        assert bench.context.query.field.text == "pruning venue:"
        await bench.press("tab")
        assert bench.context.query.field.text == "pruning venue:acl"
        await bench.press("tab")
        assert bench.context.query.field.text == "pruning venue:iclr"
        await bench.press("escape")
        assert not re.search(r"venue:acl +\d+ papers", bench.shown())
        assert bench.app.focused is bench.context.query.field


async def test_names_of_filters_are_completed_before_anything_was_searched(start: Start) -> None:
    async with start() as bench:
        await bench.press("1", "ctrl+u", *"deci", "tab")
        assert bench.context.query.field.text == "decision:"


async def test_after_an_error_nothing_is_pending(start: Start) -> None:
    async with start() as bench:
        await bench.press("1", "ctrl+u")
        bench.context.query.field.set_text("foo:bar")
        await bench.press("enter")
        assert bench.app.focused is bench.context.query.field
        bench.context.query.field.set_text("pruning")
        bench.controllers.search.search_as_typed("pruning")
        await bench.settle()
        assert bench.app.focused is bench.context.query.field


async def test_typing_on_after_enter_stays_in_the_field(start: Start) -> None:
    engine = SmallEngine()
    gate = engine.gate("pruning studies")
    async with start(engine) as bench:
        bench.context.focus_pane("query", typing=True)
        bench.context.query.field.set_text("pruning")
        bench.controllers.search.submit_query("pruning")
        bench.controllers.search.schedule_search("pruning studies")
        gate.set()
        await bench.settle()
        assert bench.app.focused is bench.context.query.field


@pytest.mark.parametrize(
    ("word", "text", "listed"),
    [
        ("ven", "venue:", []),
        ("venue:e", "venue:e", ["venue:emnlp", "venue:eacl"]),
        ("venue:acl,em", "venue:acl,emnlp", []),
        ("-venue:em", "-venue:emnlp", []),
        ("zebra", "zebra", []),
        ("", "", []),
    ],
)
def test_a_word_is_completed_as_far_as_it_is_certain(word: str, text: str, listed: list[str]) -> None:
    known = [Completion(each) for each in ("venue:", "venue:acl", "venue:emnlp", "venue:eacl", "tag:mine")]
    if word == "ven":
        known = known[:1]
    done = complete(word, known)
    assert done.text == text
    assert [each.text for each in done.choices] == listed


async def test_the_sources_of_a_subscription_are_listed_with_their_meaning(start: Start) -> None:
    async with start() as bench:
        await bench.press("escape", "colon", *"sync", "space")
        lines = [line for line in bench.shown().splitlines() if "ACL Anthology" in line]
        assert len(lines) == 1
        assert "acl " in lines[0]
        await bench.press(*"ar", "tab", *"zebras")
        assert bench.field("lookup").text == "sync arxiv zebras"
