"""Imports from the workbench: files, ids and pasted text, and the retry of what failed."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from textual import events, on

from litterm.core.errors import AmbiguousPaper, UnknownPaper, UsageError
from litterm.importers.ids import recognize_id
from litterm.importers.zotero.profiles import ZOTERO_WORD, find_database
from litterm.model.annotations import UnfinishedJob
from litterm.model.library import ImportReport
from litterm.model.paper import PaperId
from litterm.model.services import FetchResult, RetryReport
from litterm.render.services import outcome_sentence
from litterm.services.add_by_id import ids_in, is_id
from litterm.text.plural import count_phrase
from litterm.tui.attribution.controller import CitationController
from litterm.tui.context import WorkbenchContext
from litterm.tui.input.action_target import ActionTarget
from litterm.tui.input.typed_path import typed_path
from litterm.tui.jobs.network_consent import NetworkConsent
from litterm.tui.jobs.queue import JobOrder, JobReport
from litterm.tui.library.fetch_context import FetchLog
from litterm.tui.messages import failure_counts
from litterm.tui.reader.controller import ReaderController
from litterm.tui.search.controller import SearchController

if TYPE_CHECKING:
    from litterm.library.watched_folders import FileStamp

_MARK = re.compile(r"\[CITATION\]|\[CITE\]|\[REF\]", re.IGNORECASE)
_SERVICE_NAMES = "services of papers (arXiv, PubMed, Semantic Scholar, Crossref, ...)"
_STARTER = re.compile(r"(?:starter|local):\S+")


class ImportController(ActionTarget):
    """Imports files and looks up ids in the background."""

    def __init__(
        self,
        context: WorkbenchContext,
        consent: NetworkConsent,
        fetch_log: FetchLog,
        after_import: Callable[[], None],
        *,
        search: SearchController,
        reader: ReaderController,
        attribution: CitationController,
    ) -> None:
        self._context = context
        self._consent = consent
        self.fetch_log = fetch_log
        self._after = after_import
        self._search = search
        self._reader = reader
        self._attribution = attribution
        for lane in ("add", "obtain"):
            context.queue.resumers[lane] = self.resume

    def add(self, typed: str) -> None:
        """Import files, folders and archives, or look up ids and addresses."""
        typed, path = typed.strip().strip("'\""), typed_path(typed)
        words, several = ids_in(typed), _paths(typed)
        # What exists is a path, whatever else it looks like.
        if typed == ZOTERO_WORD and not _exists(path):
            self._import_zotero()
        elif not _exists(path) and several:
            self._import(*several)
        elif not _exists(path) and words and all(map(is_id, words)):
            self._look_up(words)
        elif not _exists(path):
            self._context.tell(f"{path}: no such file or folder, and not the id of a paper.", warn=True)
        else:
            self._import(path)

    def _import_zotero(self) -> None:
        try:
            self._import(find_database(Path.home()))
        except UsageError as error:
            self._context.tell(f"There is {error}.", warn=True)

    def _import(self, *paths: Path) -> None:
        context, engine, path = self._context, self._context.engine, paths[0]
        others = f" and {count_phrase(len(paths) - 1, 'other file or folder', 'other files or folders')}"
        description = f"adding {path.name}" + (others if len(paths) > 1 else "")
        saved = UnfinishedJob("add", description, tuple(str(file.absolute()) for file in paths))
        row = context.queue.add(JobOrder("add", description, lambda: engine.add(paths), self._on_report, saved=saved))
        if row is None:
            context.tell(f"{path} is already being imported; ! lists the jobs.")
        elif before := context.queue.waits_for(row):
            context.tell(f"{path} waits for “{before}”; ! lists both.")
        else:
            context.tell(f"Adding {path} in the background.")

    def import_changes(self, folder: Path, files: Mapping[str, FileStamp]) -> None:
        """Import the new and changed `files` of the watched folder."""
        folders = self._context.engine.watched_folders
        description = f"adding {count_phrase(len(files), 'file')} of {folder.name}"
        # Not saved with the session: the next start finds what is left.
        self._context.queue.add(JobOrder("add", description, lambda: folders.sync(folder, files), self._on_report))

    def import_folder(self, typed: str) -> None:
        """`:sync folder`: the new and changed files of the folder typed, else of the watched one, now."""
        context = self._context
        name = typed.strip() or context.settings.watched_folder
        folder = typed_path(name)
        if not name:
            context.tell("Which folder? `:sync folder PATH`, or set `watched_folder`.")
        elif not folder.is_dir():
            context.tell(f"{folder}: no such folder.", warn=True)
        else:
            folders = context.engine.watched_folders
            order = JobOrder("add", f"adding files of {folder.name}", lambda: folders.sync(folder), self._on_report)
            if context.queue.add(order) is None:
                context.tell(f"{folder} is already being read; ! lists the jobs.")
            else:
                context.tell(f"Looking for new and changed files in {folder}.")

    def _look_up(self, words: Sequence[str]) -> None:
        if not self._consent.request(_SERVICE_NAMES, "are sent the ids", retry=lambda: self._look_up(words)):
            return
        services = self._context.engine.services
        description = f"looking up {words[0] if len(words) == 1 else f'{len(words)} papers'}"
        saved = UnfinishedJob("obtain", description, tuple(words))
        self._context.queue.add(
            JobOrder("obtain", description, lambda: services.obtain(words), self._on_obtained, saved=saved),
        )

    def _on_obtained(self, results: tuple[FetchResult, ...]) -> JobReport:
        self.fetch_log.record(results)
        (first_result, *other_results) = results
        fetched = [result for result in results if result.paper_id is not None]
        if other_results:
            sentence = f"{len(fetched)} of {len(results)} are in the library."
            self._context.tell(f"{sentence} ! lists them.", warn=len(fetched) < len(results))
        elif first_result.paper_id is not None:
            sentence = "Already in the library." if first_result.via == "library" else "Added."
            self._context.tell(sentence if first_result.via == "library" else f"{sentence} f fetches the full text.")
            self._reader.open_id(first_result.paper_id)
        else:
            sentence = outcome_sentence(first_result)
            self._context.tell(sentence, warn=True)
        self._after()
        return JobReport(sentence)

    def _on_report(self, report: ImportReport) -> JobReport:
        counts = (
            (report.added, "added"),
            (report.merged, "merged into existing papers"),
            (report.unchanged, "already known"),
            (report.documents, "full text" if report.documents == 1 else "full texts"),
            (report.skipped_files, "file already imported" if report.skipped_files == 1 else "files already imported"),
            *failure_counts(report.failures),
        )
        counts_text = ", ".join(f"{count:,} {noun}" for count, noun in counts if count)
        sentence = f"{counts_text or 'Nothing to import'} ({report.elapsed_s:.0f} s)."
        if report.kept_apart:
            pairs = count_phrase(len(report.kept_apart), "pair", "pairs")
            sentence = f"{sentence} {pairs} kept apart: `:duplicates` lists them."
        if report.remarks:
            sentence = f"{sentence} {report.remarks[0]}"
        self._context.tell(sentence, warn=any(failure.missing != "fields" for failure in report.failures))
        self._after()
        return JobReport(sentence)

    def open_named(self, text: str) -> None:
        """Open the paper with this id or citation key; what is neither is taken as if it were pasted."""
        paper = next(iter(text.split()), "") == text and self._find_named(text)
        if paper:
            self._reader.open_id(paper)
        else:
            self.on_paste(text)

    def _find_named(self, key: str) -> PaperId | None:
        try:
            return self._context.engine.paper(key).id
        except (UnknownPaper, AmbiguousPaper):
            return None

    @on(events.Paste)
    def take_paste(self, event: events.Paste) -> None:
        """A paste that no field took."""
        event.stop()
        self.on_paste(event.text)

    def on_paste(self, text: str) -> None:
        """Handle a paste in NORMAL mode: open a known paper, add another id or a path, or cite a marked text."""
        text = text.strip()
        if not text:
            return
        # In this order: an excerpt may hold an id, and a path may look like one.
        if _MARK.search(text):
            self._attribution.open(text)
        elif "\n" not in text and _looks_like_path(text):
            self.add(text)
        elif is_id(text) or _STARTER.fullmatch(text):
            self._open_or_look_up(text)
        elif (words := ids_in(text)) and all(map(is_id, words)):
            self._look_up(words)
        elif re.fullmatch(r"https?://\S+", text):
            self._context.tell("No paper is known at this address; add its DOI or its file instead.", warn=True)
        else:
            self._search.submit_query(text)

    def _open_or_look_up(self, key: str) -> None:
        """Open the paper if the library has it, or else look it up."""
        engine = self._context.engine
        try:
            # An id has many forms, of which the library knows one; a bare key is looked up as it is.
            held_ids = engine.services.held_papers([recognize_id(key) or key])[0]
            self._reader.open_id(held_ids[0] if len(held_ids) == 1 else engine.paper(key).id)
        except UnknownPaper as error:
            if is_id(key):
                self._look_up((key,))
            else:
                self._context.tell(str(error), warn=True)
        except AmbiguousPaper as error:
            self._context.tell(str(error), warn=True)

    def retry_failures(self, only: Sequence[str] = ()) -> None:
        """Retry all failures, or those of the given origins: files, ids, full texts."""
        engine, description = self._context.engine, f"retrying {only[0] if len(only) == 1 else 'what failed'}"
        # Not saved with the session: the library lists failures itself until they are retried or dismissed.
        self._context.queue.add(JobOrder("add", description, lambda: engine.retry_failures(only), self._on_retried))

    def _on_retried(self, retried: RetryReport) -> JobReport:
        self.fetch_log.record(retried.obtained)
        sentences = [self._on_report(retried.report).text] if retried.report != ImportReport() else []
        if len(retried.obtained) == 1:
            sentences.append(outcome_sentence(retried.obtained[0]))
            self._context.tell(sentences[-1], warn=retried.obtained[0].outcome == "failed")
        elif retried.obtained:
            obtained_count = sum(
                result.outcome != "failed" and result.paper_id is not None for result in retried.obtained
            )
            sentences.append(f"{obtained_count} of {len(retried.obtained)} ids found.")
            self._context.tell(f"{sentences[-1]} ! lists them.")
        if retried.left:
            sentences.append(f"{retried.left:,} came in a file of a service; the next sync retries them.")
            self._context.tell(sentences[-1])
        self._after()
        return JobReport(" ".join(sentences))

    def resume(self, job: UnfinishedJob) -> None:
        """Resume an import or look-up that an earlier session left unfinished."""
        if job.lane == "add":
            self._import(*map(Path, job.args))
        else:
            self._look_up(job.args)

    def action_retry(self) -> None:
        """Retry the last failed task of this session, or else all failures."""
        context = self._context
        if context.failed_group and (
            context.queue.restart(context.failed_group) or context.work.restart(context.failed_group)
        ):
            context.failed_group = ""
        elif context.attempt(context.engine.failures):
            self.retry_failures()
        else:
            context.tell("Nothing failed here.")


def _named_records(report: ImportReport) -> list[str]:
    """Which records were merged, and which kept apart: the first of each, for the list of jobs."""
    from litterm.render import lines

    return lines.named_records(report, lines.LineOptions())


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    # A name longer than the file system allows raises.
    except OSError:
        return False


def _looks_like_path(text: str) -> bool:
    if text.startswith(("/", "~/", "./", "../", "file://")):
        return True
    # Longer text is no path, and asking the file system about it raises.
    return len(text) < 1024 and _exists(Path(text))


def _paths(typed: str) -> tuple[Path, ...]:
    """Several paths as a shell would read them; empty if one of them does not exist."""
    try:
        typed_paths = tuple(Path(word).expanduser() for word in shlex.split(typed))
    # A single quote, as in a name such as O'Brien, ends no word.
    except ValueError:
        return ()
    return typed_paths if len(typed_paths) > 1 and all(map(_exists, typed_paths)) else ()
