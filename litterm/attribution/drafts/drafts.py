"""Drafts: candidates for the citations a text still lacks, and a patched copy of it that has them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from litterm.attribution.candidate_bounds import read_bounds
from litterm.attribution.drafts.decisions import REFUSED, DraftDecisions
from litterm.attribution.excerpt import read_excerpt
from litterm.core.errors import BadInput, UsageError
from litterm.core.tasks import Task
from litterm.core.user_files import append_to_file, make_folder, resolve_target, write_file
from litterm.interfaces import Attributor, Records, WorkLookup
from litterm.model.attribution.draft import (
    CheckedCitation,
    CitedWork,
    DraftFile,
    DraftForm,
    DraftProject,
    DraftSummary,
    MarkAnswer,
    ReviewedDraft,
    WrittenFiles,
)
from litterm.model.events import Progress
from litterm.model.paper import LibraryName, Paper, PaperId
from litterm.render.bibliography.bibliography import Bibliography
from litterm.render.bibliography.keys import STANDARD_KEYS, CitationKeys
from litterm.text.drafts.parser import insert_keys

if TYPE_CHECKING:
    from litterm.attribution.drafts.citation_check import CitationChecker


@dataclass(frozen=True, slots=True)
class Drafts:
    """Drafts read, answered, checked and written; safe from any thread."""

    records: Records
    titles: Callable[[], WorkLookup]
    attributor: Callable[[LibraryName | None], Attributor]
    checker: Callable[[], CitationChecker]
    decisions: DraftDecisions
    citation_keys: CitationKeys = STANDARD_KEYS
    """Makes the keys of papers that the bibliography of a draft lacks."""

    @property
    def refusal_id(self) -> PaperId:
        """What is in a decision where no candidate is right."""
        return REFUSED

    def find_cited_papers(self, project: DraftProject) -> Task[tuple[PaperId, ...]]:
        """The papers of the library that a project cites, those cited in most places first."""
        return (yield from self.checker().find_cited_papers(project))

    def match_keys(self, project: DraftProject) -> Task[tuple[CitedWork, ...]]:
        """Each key that a project cites, once, in the order of the text, with its paper in the library."""
        return (yield from self.checker().match_keys(project))

    def read(self, path: Path, bibs: Sequence[Path] = ()) -> DraftProject:
        """The draft and its bibliographies: `bibs`, else those it names, else those beside it.

        Raises:
            BadInput: it cannot be read.
        """
        from litterm.attribution.drafts.files import read_project

        return read_project(path, bibs)

    def in_progress(self, limit: int) -> tuple[DraftSummary, ...]:
        """The drafts reviewed last that still have open marks, at most `limit`, the newest first."""
        summaries: list[DraftSummary] = []
        # More are looked at than listed, as drafts are moved away and filled in; none of them is small to read.
        for path in self.decisions.drafts()[: 2 * limit]:
            # It may have been moved away.
            with suppress(BadInput):
                project = self.read(path)
                # A text without any has one without width, at its end.
                if any(mark.position.span.start < mark.position.span.end for mark in project.marks):
                    summaries.append(DraftSummary(path, len(self.decided_marks(project)), len(project.marks)))
        return tuple(summaries[:limit])

    def review(
        self,
        project: DraftProject,
        *,
        k: int = 5,
        before: int | str | None = None,
        source: str = "",
        library_name: LibraryName | None = None,
    ) -> Task[ReviewedDraft]:
        """Candidates for every open mark, in `library_name` if given; says how many are done.

        Raises:
            UsageError: `k` is below 1 or `before` is no date.
        """
        answers: list[MarkAnswer] = []
        marks = [(file.path, mark) for file in project.files for mark in file.draft.marks]
        total = len(marks)
        for path, mark in marks:
            yield Progress("open marks", len(answers), total)
            try:
                bounds = read_bounds(before, source, self.records, self.titles)
                attributor = self.attributor(library_name)
                attribution = yield from attributor.attribute(read_excerpt(mark.excerpt), k=k, bounds=bounds)
                answers.append(MarkAnswer(path, mark, attribution))
            except UsageError as error:
                # A mark without words around it must not cost the others.
                answers.append(MarkAnswer(path, mark, None, str(error)))
        papers = [item.paper for answer in answers if answer.attribution for item in answer.attribution.candidates]
        bibliography = Bibliography(project.entries, self.citation_keys)
        bibliography_ids = frozenset(paper.id for paper in papers if bibliography.key_of(paper) is not None)
        keys, _ = bibliography.add(papers)
        return ReviewedDraft(project, tuple(answers), keys, bibliography_ids)

    def check(self, project: DraftProject, *, k: int = 3) -> Task[tuple[CheckedCitation, ...]]:
        """For each cited key, in order, what its paper says to the citing sentence."""
        return (yield from self.checker().check(project, k=k))

    def decided_marks(self, project: DraftProject) -> dict[int, PaperId]:
        """By index of the mark what was accepted in the workbench; `REFUSED` where no candidate was right."""
        return self.decisions.decisions_of(project.path, project.marks)

    def write(
        self,
        review: ReviewedDraft,
        accepted: Mapping[int, PaperId],
        output: Path | None,
        *,
        in_place: bool,
        force: bool = False,
    ) -> WrittenFiles:
        """The draft with the key of each accepted paper in its mark, and the entries its bibliography lacks.

        They go to `output` (else `draft.cited.tex` beside the draft) and `draft.cited.bib`, which the copy names; in
        place, over the draft and to the end of its own bibliography. Of the files that the draft takes in those that
        change are written likewise, and the copies name one another. What is accepted but no candidate of its mark is
        left out. Where another file is in the place of a copy it is kept beside it, unless `force`.

        Raises:
            UsageError: `output` is the draft itself, or a file or bibliography of it.
            BadInput: the draft was changed since it was read, or a file cannot be read or written.
            DiskFull: there is no room.
        """
        project = review.project
        chosen = dict(_accepted_papers(review, accepted))
        target = project.path if in_place else _target(project, output)
        self._require_unchanged(project)
        texts = _filled_texts(review, chosen)
        fresh = _new_entries(review, list(chosen.values()))
        if in_place:
            return _write_in_place(project, texts, fresh, accepted=len(chosen))
        return _write_copies(project, texts, fresh, target, accepted=len(chosen), force=force)

    def _require_unchanged(self, project: DraftProject) -> None:
        from litterm.attribution.drafts.files import read_text

        for file in project.files:
            if read_text(file.path)[0] != file.draft.text:
                raise BadInput(f"{file.path} was changed since it was read; read it again.")


def _write_in_place(
    project: DraftProject, texts: dict[Path, str], fresh: Sequence[Paper], *, accepted: int
) -> WrittenFiles:
    """Writes the files that changed, and `fresh` to the end of the bibliography."""
    # The entries first: a key without its entry is worse than an entry nobody cites.
    bib = _extend_bibliography(project, fresh) if fresh else None
    notice = _name_bibliographies(texts, project, project.path, None if project.bibs else bib)
    # What a link leads to is meant: it is the draft that was read, and was asked to be changed.
    changed = [file for file in project.files if texts[file.path] != file.draft.text] if accepted else []
    for file in changed:
        write_file(file.path, texts[file.path].encode(file.encoding), force=True)
    parts = tuple(file.path for file in changed if file.path != project.path)
    return WrittenFiles(project.path, bib, accepted, len(fresh), notice=notice, parts=parts)


def _write_copies(
    project: DraftProject,
    texts: dict[Path, str],
    fresh: Sequence[Paper],
    target: Path,
    *,
    accepted: int,
    force: bool,
) -> WrittenFiles:
    """Writes a copy of each file that changed, that of the draft itself to `target`, and `fresh` to a new file."""
    bib, replaced = new_bibliography_path(target) if fresh else None, []
    notice = _name_bibliographies(texts, project, target, bib)
    copies = _copies(project, texts, target)
    for copy in copies.values():
        resolve_target(copy, force=force)
    if bib is not None:
        replaced.append(write_file(bib, Bibliography().add(fresh)[1].encode("utf-8", "replace"), force=force))
    # Itself last: it names the others.
    for file in reversed([file for file in project.files if file.path in copies]):
        text = _name_copies(texts[file.path], file, project, copies)
        make_folder(copies[file.path].parent)
        replaced.append(write_file(copies[file.path], text.encode(file.encoding), force=force))
    return WrittenFiles(
        target,
        bib,
        accepted,
        len(fresh),
        tuple(path for path in replaced if path is not None),
        notice,
        tuple(copy for copy in copies.values() if copy != target),
    )


def _filled_texts(review: ReviewedDraft, chosen: Mapping[int, Paper]) -> dict[Path, str]:
    """The text of each file, by its path, with the keys of `chosen` in its marks."""
    return {
        file.path: insert_keys(
            file.draft.text,
            [(mark, review.keys[chosen[mark.index].id]) for mark in file.draft.marks if mark.index in chosen],
        )
        for file in review.project.files
    }


def _name_bibliographies(texts: dict[Path, str], project: DraftProject, target: Path, bib: Path | None) -> str:
    """Names `bib` in that one of `texts` which names the others; what is left to do where none has a place for it.

    A draft that names no bibliography gets the names of those that its keys are from, too.
    """
    names = [bib.name] if bib is not None else []
    naming = next((file for file in project.files if file.draft.bibliographies), project.files[0])
    has_new_keys = any(texts[file.path] != file.draft.text for file in project.files)
    if not project.bibliographies and has_new_keys:
        names = [os.path.relpath(own, target.parent) for own in project.bibs] + names
    if not names:
        return ""
    from litterm.text.drafts.bibliographies import with_bibliography

    form, text = naming.draft.form, texts[naming.path]
    for name in names:
        named = with_bibliography(text, form, name)
        if named is None:
            return _naming_advice(form, name)
        text = named
    texts[naming.path] = text
    return ""


def _naming_advice(form: DraftForm, name: str) -> str:
    commands = {
        "tex": f"add \\bibliography{{{name.removesuffix('.bib')}}} or \\addbibresource{{{name}}} next to your own",
        "markdown": f"give pandoc --bibliography {name}",
        "text": "give it to the tool that makes your list of references",
    }[form]
    return f"The text names no bibliography, so {name} is not named in it: {commands}."


def _copies(project: DraftProject, texts: Mapping[Path, str], target: Path) -> dict[Path, Path]:
    """Where each file that changes is copied to, by its path; the draft itself always is."""
    from litterm.attribution.drafts.files import COPY_SUFFIX

    changed = {file.path for file in project.files if texts[file.path] != file.draft.text} | {project.path}
    by_path = {file.path: file for file in project.files}
    waiting = list(changed)
    # Whoever takes in a file that changes must name its copy, and so changes, too.
    while waiting:
        for path, _ in by_path[waiting.pop()].taken_in_at:
            if path not in changed:
                changed.add(path)
                waiting.append(path)
    copies = {}
    for file in project.files:
        if file.path in changed:
            place = target.parent / os.path.relpath(file.path, project.path.parent)
            copies[file.path] = place.with_name(f"{place.stem}{COPY_SUFFIX}{place.suffix}")
    return {**copies, project.path: target}


def _name_copies(text: str, file: DraftFile, project: DraftProject, copies: Mapping[Path, Path]) -> str:
    """`text` of `file`, filled in, with the names of copies for those of the files that it takes in."""
    from litterm.attribution.drafts.files import COPY_SUFFIX
    from litterm.text.drafts.inclusions import with_copies

    copied = {
        span for part in project.included if part.path in copies for path, span in part.taken_in_at if path == file.path
    }
    # By number: keys that were inserted have moved what is behind them.
    numbers = [number for number, item in enumerate(file.draft.inclusions) if item.span in copied]
    return with_copies(text, file.draft.form, numbers, COPY_SUFFIX)


def _extend_bibliography(project: DraftProject, fresh: Sequence[Paper]) -> Path:
    """The draft's own bibliography with entries for `fresh`; where it is."""
    from litterm.importers.bibtex.bibliography import missing_entries

    bib = project.bibs[0] if project.bibs else project.path.with_suffix(".bib")
    _, addition = missing_entries(bib, fresh)
    if addition:
        append_to_file(bib, addition, force=True)
    return bib


def acceptable_candidates(review: ReviewedDraft, *, threshold: float | None = None) -> dict[int, PaperId]:
    """The first candidate of each mark that has one in the library; with `threshold`, only one at least so likely."""
    chosen = {}
    for index, answer in enumerate(review.answers):
        if answer.attribution is None or not answer.attribution.candidates or answer.attribution.verdict == "absent":
            continue
        best = answer.attribution.candidates[0]
        if threshold is None or (best.confidence is not None and best.confidence >= threshold):
            chosen[index] = best.paper.id
    return chosen


def new_bibliography_path(target: Path) -> Path:
    """Where the new entries of the patched copy `target` go."""
    from litterm.attribution.drafts.files import COPY_SUFFIX

    stem = target.stem if target.stem.endswith(COPY_SUFFIX) else f"{target.stem}{COPY_SUFFIX}"
    return target.with_name(f"{stem}.bib")


def _target(project: DraftProject, output: Path | None) -> Path:
    from litterm.attribution.drafts.files import COPY_SUFFIX

    path = project.path
    target = output or path.with_name(f"{path.stem}{COPY_SUFFIX}{path.suffix}")
    own_files = {file.resolve() for file in (*(file.path for file in project.files), *project.bibs)}
    if target.resolve() in own_files or new_bibliography_path(target).resolve() in own_files:
        raise UsageError(f"{target} would overwrite the draft or its bibliography; choose another name or --in-place.")
    return target


def _accepted_papers(review: ReviewedDraft, accepted: Mapping[int, PaperId]) -> list[tuple[int, Paper]]:
    chosen = []
    for index, answer in enumerate(review.answers):
        papers = {item.paper.id: item.paper for item in answer.attribution.candidates} if answer.attribution else {}
        if accepted.get(index) in papers:
            chosen.append((index, papers[accepted[index]]))
    return chosen


def _new_entries(review: ReviewedDraft, papers: Sequence[Paper]) -> list[Paper]:
    """Those the bibliography lacks, each once, under the key they are cited by."""
    once = {paper.id: paper for paper in papers if paper.id not in review.held}
    return [replace(paper, imprint=replace(paper.imprint, bibkey=review.keys[paper.id])) for paper in once.values()]
