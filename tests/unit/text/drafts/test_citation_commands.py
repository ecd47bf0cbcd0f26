"""Every citation command is seen with all of its keys, and none of them becomes a word of the claim."""

from __future__ import annotations

import time

import pytest

from litterm.model.attribution.draft import Draft
from litterm.text.drafts.parser import insert_keys, read_draft


def keys_of(text: str, form: str = "tex", known: frozenset[str] = frozenset()) -> list[str]:
    draft = read_draft(text, form, known)  # type: ignore[arg-type]
    return [key for citation in draft.citations for key in citation.keys]


def claims(draft: Draft) -> list[str]:
    return [citation.excerpt for citation in draft.citations]


@pytest.mark.parametrize(
    ("command", "keys"),
    [
        (r"\autocites(vgl.)(u. a.)[12]{ash}[see][{chap. [2]}]{yew}{box,bay}", ["ash", "yew", "box", "bay"]),
        (r"\Textcites{ash}{yew}", ["ash", "yew"]),
        (r"\parencites(see)(end){ash}", ["ash"]),
        ("\\footcites\n  {ash}\n  [3]{yew}", ["ash", "yew"]),
        (r"\supercites{ash}{yew}", ["ash", "yew"]),
        (r"\footcitetexts{ash}{yew}", ["ash", "yew"]),
        (r"\cites[1]{ash}[2]{yew}", ["ash", "yew"]),
        (r"\volcite[see]{3}[17]{ash}", ["ash"]),
        (r"\Pvolcite{3}{ash}", ["ash"]),
        (r"\fvolcite{3}[4]{ash}", ["ash"]),
        (r"\pvolcites{1}[2]{ash}{3}{yew}", ["ash", "yew"]),
        (r"\cite<e.g.,>[p.~4]{ash}", ["ash"]),
        (r"\citeA<see>{ash, yew}", ["ash", "yew"]),
        (r"\shortciteNP{ash}", ["ash"]),
        (r"\citeyearNP{ash}", ["ash"]),
        (r"\footfullcite[2]{ash}", ["ash"]),
        (r"\citealp*{ash}", ["ash"]),
        (r"\Citet{ash}", ["ash"]),
        (r"\citeauthor{ash}", ["ash"]),
        (r"\citefield{ash}{title}", ["ash"]),
        (r"\bibentry{ash}", ["ash"]),
        (r"\cite[see [4]]{ash}", ["ash"]),
        (r"\cite[see [4]{ash}", ["ash"]),
        (r"\cite[{[4]} and \emph{x}][$n<3$]{ash}", ["ash"]),
        (r"\parencite[see also \citealt{yew}][]{ash}", ["yew", "ash"]),
        ("\\cite{%\n  ash}", ["ash"]),
        ("\\cite{ash, % a tree, and no key\n  yew % }\n}", ["ash", "yew"]),
        ("\\cite% here\n  [2]% there\n  {ash}", ["ash"]),
        (r"\hyperlink{anchor}{\cite{ash}}", ["ash"]),
    ],
)
def test_all_keys_are_seen_and_none_is_a_word(command: str, keys: list[str]) -> None:
    draft = read_draft(f"Hedges shelter birds {command} in winter.", "tex")
    assert [key for citation in draft.citations for key in citation.keys] == keys
    assert claims(draft) == ["Hedges shelter birds [CITATION] in winter."]


@pytest.mark.parametrize(
    "command",
    [
        *(r"\nocite{ash}", r"\citestyle{plain}", r"\defcitealias{ash}{Ash}", r"\cite{#1}", r"\citereset"),
        *(r"\newcites{web}{Web}", r"\citetext{see below}", r"\\cite{ash}", r"\citename{Ash, }", "\\cite{\n\nash}"),
    ],
)
def test_what_cites_nothing_is_no_citation(command: str) -> None:
    assert keys_of(f"Hedges shelter birds {command} in winter.") == []


def test_an_unknown_command_cites_where_it_is_given_a_known_key() -> None:
    text = r"One \treecite{see}{ash}, two \treecite{also}{oak}, three \citeborder{red} and \xcite{?}."
    draft = read_draft(text, "tex", frozenset({"ash", "oak"}))
    assert [citation.keys for citation in draft.citations] == [("ash",), ("oak",)]
    assert len(draft.marks) == 1
    # A key that is missing in the bibliography is seen where the command is known to cite by another one.
    assert keys_of(r"\treecite{ash} \treecite{typo}", known=frozenset({"ash"})) == ["ash", "typo"]


def test_open_places_are_filled_beside_comments_and_in_any_group() -> None:
    text = "A \\cite{% which?\n} b \\autocites{ash}[2]{?}{} c \\cite{yew, % ?\n ?}."
    draft = read_draft(text, "tex")
    done = insert_keys(text, [(mark, f"k{mark.index}") for mark in draft.marks])
    assert done == "A \\cite{% which?\nk0} b \\autocites{ash}[2]{k1}{k2} c \\cite{yew, % ?\n k3}."
    assert read_draft(done, "tex").marks == ()


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("[-@ash]", ["ash"]),
        ("[-@ash; see -@yew, p. 3]", ["ash", "yew"]),
        ("-@ash", ["ash"]),
        ("@ash [p. 3]", ["ash"]),
        ("@ash [p. 3; see also @yew]", ["ash", "yew"]),
        ("[see @ash [sic], p. 3]", ["ash"]),
        ("@{a strange key}", ["a strange key"]),
        ("@a:b.c#d$e%f&g-h+i?j<k>l~m/n", ["a:b.c#d$e%f&g-h+i?j<k>l~m/n"]),
        ("[@ash; <!-- old; @box --> @yew]", ["ash", "yew"]),
    ],
)
def test_pandoc_keys_are_seen_whole_and_none_is_a_word(text: str, keys: list[str]) -> None:
    draft = read_draft(f"Hedges shelter birds {text} in winter.", "markdown")
    assert [key for citation in draft.citations for key in citation.keys] == keys
    assert claims(draft)[0] == "Hedges shelter birds [CITATION] in winter."


def test_pandoc_keys_end_where_a_word_or_a_sentence_does() -> None:
    text = "foo-@ash me@yew.org @box--and @bay. [x @elm](y) @oak [^1] @fir [link](z)"
    assert keys_of(text, "markdown") == ["box", "bay", "elm", "oak", "fir"]


def test_what_is_never_true_is_not_read() -> None:
    text = (
        "Oaks \\cite{}.\n\\iffalse \\ifx\\a\\b [?] \\fi "
        "\\ifthenelse{x}{y} \\iff % \\fi\n [?] \\else elms \\cite{}\\fi\n"
        "\\if0 [?] \\fi firs \\cite{} \\iffalse\n[?]"
    )
    draft = read_draft(text, "tex")
    assert [mark.excerpt.count("[CITATION]") for mark in draft.marks] == [1, 1, 1]
    assert draft.marks[1].excerpt == "Oaks [1]. elms [CITATION] firs [2]"


def test_environments_of_comments_and_what_follows_the_input_are_not_read() -> None:
    text = "\\excludecomment{notes}\\begin{notes}[?]\\end{notes}\\begin{comment}[?]\\end{comment}A [?].\\endinput [?]"
    assert len(read_draft(text, "tex").marks) == 1


@pytest.mark.parametrize(
    ("form", "done"),
    [
        ("tex", r"One [\cite{k0}, \cite{k1}] two [\cite{k2}; \cite{k3}] three \cite{k4} four \cite{k5}."),
        ("markdown", "One [@k0, @k1] two [@k2; @k3] three [@k4] four [@k5]."),
        ("text", "One [k0, k1] two [k2; k3] three [k4] four [k5]."),
    ],
)
def test_several_masks_in_one_bracket_and_numbered_ones_are_marks(form: str, done: str) -> None:
    text = "One [CITATION1, CITATION2] two [CITATION; CITATION] three TARGETCIT four [CITATION3]."
    draft = read_draft(text, form)  # type: ignore[arg-type]
    assert draft.marks[1].excerpt == "One [1], [CITATION] two [2]; [3] three [4] four [5]."
    assert insert_keys(text, [(mark, f"k{mark.index}") for mark in draft.marks]) == done
    first = insert_keys(text, [(draft.marks[0], "k0")])
    assert len(read_draft(first, form).marks) == 5  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "unit", [r"\cite[", r"\cites(", r"\cite<", r"\volcite{", r"\iffalse ", r"\citea[{", "[CITATION, "]
)
def test_hostile_commands_take_time_in_proportion_to_their_number(unit: str) -> None:
    def seconds(count: int) -> float:
        started = time.process_time()
        read_draft(unit * count, "tex")
        return time.process_time() - started

    # Four times as long for four times as much, with room for noise; a square would be sixteen times.
    assert seconds(2000) < 10 * max(seconds(500), 0.02)
