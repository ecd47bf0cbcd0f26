"""Papers into the library, from inside the app, and what became of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from litterm.errors import LittermError
from litterm.model.library import ImportReport
from litterm.model.paper import PaperId
from litterm.tui.dialogs.jobs import Jobs, JobsAnswer
from litterm.tui.stage import Stage

_ID = re.compile(r"(?:acl|iclr|pmc|pmid|doi|arxiv|s2|local|starter):\S+|10\.\d{4,9}/\S+|PMC\d+", re.IGNORECASE)
_WEB = re.compile(r"https?://\S+")
_MARK = re.compile(r"\[CITATION\]|\[CITE\]|\[REF\]", re.IGNORECASE)


class Adding:
    """Imports in the background; shows jobs and failures."""

    def __init__(self, stage: Stage, after: Callable[[], None]) -> None:
        self._stage = stage
        self._after = after
        self.cite: Callable[[str], None] = lambda text: None
        self.search: Callable[[str], None] = lambda text: None
        self.show: Callable[[PaperId], None] = lambda paper_id: None

    def add(self, typed: str) -> None:
        """Import a file, folder or archive."""
        path = Path(typed.strip().strip("'\"")).expanduser()
        if not path.exists():
            self._stage.tell(f"{path}: no such file or folder.", warn=True)
            return
        engine = self._stage.engine
        self._stage.tell(f"Adding {path} in the background.")
        self._stage.work.start("add", f"adding {path.name}", lambda: engine.add([path]), self._reported)

    def _reported(self, report: ImportReport) -> None:
        counts = (
            (report.added, "added"),
            (report.merged, "gained something"),
            (report.unchanged, "known already"),
            (report.documents, "full texts"),
            (report.skipped_files, "files known already"),
            (len(report.failures), "failed: press !"),
        )
        told = ", ".join(f"{count:,} {what}" for count, what in counts if count)
        self._stage.tell(f"{told or 'Nothing in it'} ({report.elapsed_s:.0f} s).", warn=bool(report.failures))
        self._after()

    def pasted(self, text: str) -> None:
        """A paste in command mode: an id opens, a path adds, text with a mark cites, other text searches."""
        text = text.strip()
        if not text:
            return
        if _MARK.search(text):
            self.cite(text)
        elif "\n" not in text and _looks_like_path(text):
            self.add(text)
        elif _ID.fullmatch(text):
            self._by_id(text)
        elif _WEB.fullmatch(text):
            self._by_id(_key_in(text))
        else:
            self.search(text)

    def _by_id(self, key: str) -> None:
        try:
            self.show(self._stage.engine.paper(key).id)
        except LittermError:
            self._stage.tell(f"{key} is not in the library. Save its file and `:add PATH` it.", warn=True)

    def jobs(self) -> None:
        """What runs and what failed."""
        stage = self._stage
        failures = stage.attempt(stage.engine.failures) or ()
        stage.open(Jobs(stage.work.jobs, failures, stage.glyphs), self._answered)

    def _answered(self, answer: JobsAnswer) -> None:
        match answer.what:
            case "cancel":
                if self._stage.work.cancel(answer.group):
                    self._stage.tell("Stopped.")
            case "retry":
                self.retry_failures()
            case "dismiss":
                count = self._stage.attempt(self._stage.engine.dismiss_failures) or 0
                self._stage.tell(f"Dismissed {count:,} failures.")
                self._after()

    def retry_failures(self) -> None:
        """Try the inputs that failed again."""
        engine = self._stage.engine
        self._stage.work.start("add", "retrying failures", engine.retry_failures, self._reported)

    def retry(self) -> None:
        """Try again what failed last: a task of this session, else the failed inputs."""
        stage = self._stage
        if stage.failed_group and stage.work.again(stage.failed_group):
            stage.failed_group = ""
        elif stage.attempt(stage.engine.failures):
            self.retry_failures()
        else:
            stage.tell("Nothing failed here.")


def _looks_like_path(text: str) -> bool:
    if text.startswith(("/", "~/", "./", "../", "file://")):
        return True
    try:
        return len(text) < 1024 and Path(text).exists()
    except OSError:
        return False


def _key_in(address: str) -> str:
    """The paper id a web address most likely means; the address itself if none is known."""
    places: Sequence[tuple[str, str]] = (
        (r"aclanthology\.org/([A-Za-z0-9.\-]+?)(?:\.pdf|/)?$", "acl:{}"),
        (r"openreview\.net/(?:forum|pdf)\?id=([\w\-]+)", "iclr:{}"),
        (r"arxiv\.org/(?:abs|pdf)/([\w./\-]+?)(?:v\d+)?(?:\.pdf)?$", "arxiv:{}"),
        (r"doi\.org/(10\.\S+)$", "doi:{}"),
        (r"/(PMC\d+)", "pmc:{}"),
    )
    for pattern, form in places:
        if found := re.search(pattern, address):
            return form.format(found.group(1))
    return address
