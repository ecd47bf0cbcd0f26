"""What a reviewed draft leaves on the disk: filled marks, new entries, and the names of its bibliographies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from libraries import by, paper

from litterm.attribution.drafts.decisions import REFUSED, DraftDecisions
from litterm.attribution.drafts.drafts import Drafts, acceptable_candidates, new_bibliography_path
from litterm.core.errors import BadInput, UsageError
from litterm.core.tasks import Task, run
from litterm.library.state.connection import StateDatabase
from litterm.library.state.sessions import draft_decisions
from litterm.model.attribution.citation import Attribution, Candidate, CandidateBounds, Excerpt
from litterm.model.attribution.draft import ReviewedDraft, WrittenFiles
from litterm.model.events import Event, Progress
from litterm.model.paper import LibraryName, Paper, PaperId

ZEBRAS = paper("Z", "Of zebras", authors=by("Li, Ann"), year=2004)
HORSES = paper("H", "Of horses", authors=by("Miller, Bo"), year=2009)


@dataclass
class Candidates:
    """An attributor with these candidates and their confidences for every excerpt; `calls` are what it was given."""

    ranked: Sequence[tuple[Paper, float | None]] = ((ZEBRAS, 0.9), (HORSES, 0.1))
    calls: list[tuple[str, int, CandidateBounds]] = field(default_factory=list)

    def attribute(self, excerpt: Excerpt, *, k: int, bounds: CandidateBounds) -> Task[Attribution]:
        yield from ()
        self.calls.append((excerpt.text, k, bounds))
        if "wordless" in excerpt.text:
            raise UsageError("No word around the mark.")
        candidates = tuple(
            Candidate(rank, held, 1.0, confidence=confidence)
            for rank, (held, confidence) in enumerate(self.ranked[:k], 1)
        )
        return Attribution(excerpt, "x", candidates, verdict="found" if candidates else "absent")


@dataclass
class Desk:
    """A folder with drafts, and candidates for their marks."""

    folder: Path
    attributor: Candidates = field(default_factory=Candidates)
    library_names: list[LibraryName | None] = field(default_factory=list)

    @property
    def drafts(self) -> Drafts:
        def attributor(library_name: LibraryName | None) -> Candidates:
            self.library_names.append(library_name)
            return self.attributor

        decisions = DraftDecisions(draft_decisions(StateDatabase(self.folder / "state")))
        return Drafts(None, lambda: None, attributor, lambda: None, decisions)  # type: ignore[arg-type, return-value]

    def put(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
        return path

    def text(self, name: str) -> str:
        return (self.folder / name).read_bytes().decode()

    def review(self, name: str, **options: object) -> ReviewedDraft:
        return run(self.drafts.review(self.drafts.read(self.folder / name), **options))  # type: ignore[arg-type]

    def write(
        self, name: str, accepted: dict[int, PaperId] | None = None, *, output: str = "", in_place: bool = False
    ) -> WrittenFiles:
        review = self.review(name)
        chosen = acceptable_candidates(review) if accepted is None else accepted
        target = self.folder / output if output else None
        return self.drafts.write(review, chosen, target, in_place=in_place)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


WHOLE = "\\begin{document}\nZebras run [?].\n\\end{document}\n"
BIB = "@misc{mine, title = {Of zebras}, author = {Ann Li}, year = 2004}\n"


# -- reviews -----------------------------------------------------------------------------------------------------------


def test_every_mark_is_answered_within_bounds_and_progress_is_said(desk: Desk) -> None:
    desk.put("a.tex", "Zebras run [?].\n\nwordless [?]\n\nHorses trot [?].\n")
    events: list[Event] = []
    drafts = desk.drafts
    task = drafts.review(drafts.read(desk.folder / "a.tex"), k=1, before=2010, library_name="own")
    review = run(task, events.append)
    assert [answer.error for answer in review.answers] == ["", "No word around the mark.", ""]
    assert [answer.mark.index for answer in review.answers] == [0, 1, 2]
    assert review.answers[1].attribution is None
    assert {(k, bounds.year) for _, k, bounds in desk.attributor.calls} == {(1, 2010)}
    assert set(desk.library_names) == {"own"}
    assert [(event.done, event.total) for event in events if isinstance(event, Progress)] == [(0, 3), (1, 3), (2, 3)]
    assert len(desk.review("a.tex").answers[0].attribution.candidates) == 2  # type: ignore[union-attr]
    assert desk.attributor.calls[-1][1] == 5


def test_a_candidate_in_the_bibliography_has_its_key_and_the_others_new_ones(desk: Desk) -> None:
    desk.put("a.tex", WHOLE)
    desk.put("a.bib", BIB)
    review = desk.review("a.tex")
    assert review.keys[ZEBRAS.id] == "mine"
    assert review.held == {ZEBRAS.id}
    assert review.keys[HORSES.id] not in ("mine", "")


@pytest.mark.parametrize(
    ("confidence", "threshold", "accepted"),
    [(0.9, None, True), (0.9, 0.9, True), (0.9, 0.91, False), (None, None, True), (None, 0.0, False)],
)
def test_the_first_candidate_is_acceptable_if_it_is_likely_enough(
    desk: Desk, confidence: float | None, threshold: float | None, accepted: bool
) -> None:
    desk.put("a.tex", "Zebras run [?].\n\nwordless [?]\n\nHorses trot [?].\n")
    desk.attributor.ranked = ((ZEBRAS, confidence), (HORSES, 1.0))
    chosen = acceptable_candidates(desk.review("a.tex"), threshold=threshold)
    assert chosen == ({0: ZEBRAS.id, 2: ZEBRAS.id} if accepted else {})


def test_what_is_absent_is_not_acceptable(desk: Desk) -> None:
    desk.put("a.tex", WHOLE)
    desk.attributor.ranked = ()
    assert acceptable_candidates(desk.review("a.tex")) == {}


# -- copies ------------------------------------------------------------------------------------------------------------


def test_a_copy_has_the_key_and_names_the_file_of_new_entries(desk: Desk) -> None:
    path = desk.put("a.tex", WHOLE)
    done = desk.write("a.tex")
    key = desk.review("a.tex").keys[ZEBRAS.id]
    assert desk.text("a.cited.tex") == WHOLE.replace("[?]", f"\\cite{{{key}}}").replace(
        "\\end", "\\bibliographystyle{plain}\n\\bibliography{a.cited}\n\\end"
    )
    assert desk.text("a.cited.bib").count("@") == 1 and f"{{{key}," in desk.text("a.cited.bib")
    assert done == WrittenFiles(desk.folder / "a.cited.tex", desk.folder / "a.cited.bib", 1, 1)
    assert path.read_text() == WHOLE


def test_a_paper_cited_twice_has_one_entry_and_one_that_is_there_none(desk: Desk) -> None:
    text = "Zebras run [?]. They rest [?]. Horses trot [?].\n"
    desk.put("a.tex", text)
    done = desk.write("a.tex", {0: HORSES.id, 1: HORSES.id, 2: ZEBRAS.id})
    assert (done.accepted, done.entries) == (3, 2)
    desk.put("a.bib", BIB)
    done = desk.write("a.tex", {0: HORSES.id, 1: HORSES.id, 2: ZEBRAS.id}, output="b.tex")
    assert (done.accepted, done.entries, done.bib) == (3, 1, desk.folder / "b.cited.bib")
    done = desk.write("a.tex", {2: ZEBRAS.id}, output="c.tex")
    assert (done.accepted, done.entries, done.bib) == (1, 0, None)
    assert "\\cite{mine}" in desk.text("c.tex") and not (desk.folder / "c.cited.bib").exists()


def test_what_is_no_candidate_is_left_out(desk: Desk) -> None:
    desk.put("a.tex", "Zebras run [?].\n\nwordless [?]\n")
    done = desk.write("a.tex", {0: REFUSED, 1: ZEBRAS.id, 7: ZEBRAS.id})
    assert (done.accepted, done.entries, done.bib) == (0, 0, None)
    assert desk.text("a.cited.tex") == "Zebras run [?].\n\nwordless [?]\n"


@pytest.mark.parametrize("output", ["a.tex", "refs.bib", "part.tex", "sub/../a.tex"])
def test_no_copy_goes_over_a_file_of_the_draft(desk: Desk, output: str) -> None:
    desk.put("sub/x", "")
    desk.put("a.tex", "\\begin{document}Zebras run [?].\\input{part}\\bibliography{refs}\\end{document}")
    desk.put("part.tex", "More.")
    desk.put("refs.bib", BIB)
    with pytest.raises(UsageError, match="would overwrite the draft or its bibliography"):
        desk.write("a.tex", output=output)


def test_new_entries_do_not_go_over_a_bibliography_of_the_draft(desk: Desk) -> None:
    desk.put("a.tex", "\\begin{document}Zebras run [?].\\bibliography{b.cited}\\end{document}")
    desk.put("b.cited.bib", "")
    with pytest.raises(UsageError, match="would overwrite"):
        desk.write("a.tex", output="b.tex")
    assert new_bibliography_path(Path("x/b.tex")) == new_bibliography_path(Path("x/b.cited.tex"))
    assert new_bibliography_path(Path("x/b.tex")) == Path("x/b.cited.bib")


def test_a_draft_that_was_changed_meanwhile_is_left_alone(desk: Desk) -> None:
    desk.put("a.tex", "\\begin{document}Zebras run [?].\\input{part}\\end{document}")
    desk.put("part.tex", "More.")
    review = desk.review("a.tex")
    part = desk.put("part.tex", "Less.")
    with pytest.raises(BadInput) as error:
        desk.drafts.write(review, {0: ZEBRAS.id}, None, in_place=True)
    assert str(error.value) == f"{part} was changed since it was read; read it again."
    assert "[?]" in desk.text("a.tex")


def test_a_copy_elsewhere_names_the_draft_s_own_bibliography_by_its_way_there(desk: Desk) -> None:
    desk.put("a.tex", WHOLE)
    desk.put("refs.bib", BIB)
    (desk.folder / "out").mkdir()
    desk.write("a.tex", {0: HORSES.id}, output="out/b.tex")
    assert "\\bibliography{../refs,b.cited}" in desk.text("out/b.tex")
    desk.write("a.tex", {}, output="out/c.tex")
    assert desk.text("out/c.tex") == WHOLE, "without a new key nothing is named"


# -- parts -------------------------------------------------------------------------------------------------------------


def test_of_several_files_those_that_change_and_those_that_name_them_are_copied(desk: Desk) -> None:
    desk.put("a.tex", "\\begin{document}Start.\\input{x/b}\\input{d}\\bibliography{refs}\\end{document}")
    desk.put("x/b.tex", "Between.\\input{x/c}")
    desk.put("x/c.tex", "Zebras run [?].")
    desk.put("d.tex", "No mark.")
    desk.put("refs.bib", BIB)
    done = desk.write("a.tex")
    assert [path.relative_to(desk.folder).as_posix() for path in done.parts] == ["x/b.cited.tex", "x/c.cited.tex"]
    assert "\\input{x/b.cited.tex}\\input{d}" in desk.text("a.cited.tex")
    assert desk.text("x/b.cited.tex") == "Between.\\input{x/c.cited.tex}"
    assert desk.text("x/c.cited.tex") == "Zebras run \\cite{mine}."
    assert not (desk.folder / "d.cited.tex").exists()


def test_in_place_only_files_with_accepted_marks_change(desk: Desk) -> None:
    desk.put("a.tex", "\\begin{document}Start [?].\\input{b}\\end{document}")
    desk.put("b.tex", "Zebras run [?].")
    desk.put("a.bib", BIB)
    done = desk.write("a.tex", {1: ZEBRAS.id}, in_place=True)
    assert (done.draft, done.bib, done.accepted, done.entries) == (desk.folder / "a.tex", None, 1, 0)
    assert done.parts == (desk.folder / "b.tex",)
    assert desk.text("b.tex") == "Zebras run \\cite{mine}."
    # Its one bibliography, found beside it, is named now that a key of it is cited.
    assert desk.text("a.tex") == (
        "\\begin{document}Start [?].\\input{b}\\bibliographystyle{plain}\n\\bibliography{a}\n\\end{document}"
    )


def test_in_place_entries_go_to_the_first_bibliography_or_a_new_one(desk: Desk) -> None:
    desk.put("a.tex", "\\begin{document}Zebras run [?].\\bibliography{one,two}\\end{document}")
    desk.put("one.bib", "")
    desk.put("two.bib", BIB)
    done = desk.write("a.tex", {0: HORSES.id}, in_place=True)
    assert (done.bib, done.entries, desk.text("two.bib")) == (desk.folder / "one.bib", 1, BIB)
    assert "Of horses" in desk.text("one.bib").replace("{", "").replace("}", "")
    (desk.folder / "other").mkdir()
    desk.put("other/new.tex", WHOLE)
    for name in ("one.bib", "two.bib"):
        (desk.folder / name).unlink()
    done = desk.write("other/new.tex", {0: HORSES.id}, in_place=True)
    assert done.bib == desk.folder / "other/new.bib"
    assert "\\bibliography{new}" in desk.text("other/new.tex")


def test_in_place_entries_go_to_the_file_elsewhere_that_a_linked_bibliography_leads_to(desk: Desk) -> None:
    desk.put("paper/a.tex", "\\begin{document}Zebras run [?].\\bibliography{refs}\\end{document}")
    shared, link = desk.put("shared/all.bib", BIB), desk.folder / "paper/refs.bib"
    link.symlink_to(shared)
    done = desk.write("paper/a.tex", {0: HORSES.id}, in_place=True)
    assert (done.bib, done.entries, link.is_symlink()) == (link, 1, True)
    assert shared.read_text().startswith(BIB) and "orses" in shared.read_text()


def test_in_place_nothing_is_written_where_nothing_is_accepted(desk: Desk) -> None:
    desk.put("a.tex", WHOLE)
    done = desk.write("a.tex", {}, in_place=True)
    assert (done.accepted, done.entries, done.bib, desk.text("a.tex")) == (0, 0, None, WHOLE)


# -- where no bibliography can be named --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("a.tex", "add \\bibliography{a.cited} or \\addbibresource{a.cited.bib} next to your own."),
        ("a.md", "give pandoc --bibliography a.cited.bib."),
        ("a.txt", "give it to the tool that makes your list of references."),
    ],
)
def test_a_text_without_a_place_for_it_is_left_and_what_to_do_is_said(desk: Desk, name: str, advice: str) -> None:
    desk.put(name, "Zebras run [?].\n")
    done = desk.write(name)
    assert done.notice == f"The text names no bibliography, so a.cited.bib is not named in it: {advice}"
    assert "bibliography" not in desk.text(done.draft.name)
