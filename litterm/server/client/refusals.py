"""Refuses, with a sentence that says so, what can only be done on the server itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from litterm.annotations.duplicates import RecordCuration
from litterm.core.errors import UsageError
from litterm.engine.attachments import Attachments
from litterm.engine.file_exports import FileExports
from litterm.library.annotated_papers import AnnotatedPapers
from litterm.library.imports import LibraryImports
from litterm.library.watched_folders import FileStamp, WatchedFolders
from litterm.services.online import OnlineServices

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path

    from litterm.annotations.duplicates import Doubt
    from litterm.core.tasks import Task
    from litterm.model.export import FolderReport
    from litterm.model.imports import LibraryImport
    from litterm.model.library import ImportReport, Parsed
    from litterm.model.paper import Paper, PaperId
    from litterm.model.services import FetchResult, RetryReport, Scope, SyncReport


def refuse_remote(what: str) -> NoReturn:
    """Raises the refusal; never returns.

    Raises:
        UsageError: always; `what` begins its sentence, and is said of several things.
    """
    raise UsageError(
        f"{what} on the server itself; ask whoever runs it, or leave out --server to use your own library."
    )


_SERVICES = "Papers of services come in"


class RemoteFolders(WatchedFolders):
    """Nothing is changed in a folder, as its files would have to be sent to the server; refused if it is asked for."""

    def changed(self, folder: Path) -> Mapping[str, FileStamp]:
        """None."""
        return {}

    def sync(self, folder: Path, files: Mapping[str, FileStamp] | None = None) -> Task[ImportReport]:
        """Refused."""
        raise UsageError(
            "a watched folder is imported into your own library; `litterm add` sends files to a server, and leaving"
            " out --server uses your own"
        )


class RemoteServices(OnlineServices):
    """Live search and lists of references; what would fill the library is refused."""

    def sync(self, name: str, scope: Scope) -> Task[SyncReport]:
        """Refused."""
        refuse_remote(_SERVICES)

    def sync_all(self) -> Task[tuple[SyncReport, ...]]:
        """Refused."""
        refuse_remote(_SERVICES)

    def fetch(self, ids: Sequence[PaperId]) -> Task[tuple[FetchResult, ...]]:
        """Refused."""
        refuse_remote(_SERVICES)

    def obtain(self, words: Sequence[str]) -> Task[tuple[FetchResult, ...]]:
        """Refused."""
        refuse_remote(_SERVICES)

    def bring(self, words: Sequence[str]) -> Task[tuple[FetchResult, ...]]:
        """Refused."""
        refuse_remote(_SERVICES)

    def retry(self, only: Collection[str] = ()) -> Task[RetryReport]:
        """Refused."""
        refuse_remote("Imports that failed are tried again")

    def keep(self, papers: Sequence[Parsed]) -> Task[ImportReport]:
        """Refused."""
        refuse_remote(_SERVICES)


_IMPORTS = "Imports are listed, and searched by `import:` and `is:mine`,"


class RemoteImports(LibraryImports):
    """No import is the user's own, and the others are those of whoever runs the server."""

    def all(self) -> Task[tuple[LibraryImport, ...]]:
        """Refused."""
        refuse_remote(_IMPORTS)

    def own(self) -> tuple[LibraryImport, ...]:
        """Always empty."""
        return ()

    def mine(self) -> frozenset[PaperId]:
        """Always empty."""
        return frozenset()

    def papers(self, condition: str) -> frozenset[PaperId]:
        """Refused."""
        refuse_remote(_IMPORTS)

    def find(self, name: str) -> LibraryImport:
        """Refused."""
        refuse_remote(_IMPORTS)


class RemoteAnnotatedPapers(AnnotatedPapers):
    """Highlights in the files of a server are those of whoever runs it."""

    def holding(self, words: str) -> tuple[PaperId, ...]:
        """Always empty."""
        return ()


class RemoteAttachments(Attachments):
    """PDFs of papers on a server are those of whoever runs it."""

    def attach(self, paper_id: PaperId, path: Path, *, force: bool = False) -> Task[Paper]:
        """Refused."""
        refuse_remote("PDFs are attached")

    def detach(self, paper_id: PaperId, path: Path) -> Task[Paper]:
        """Refused."""
        refuse_remote("PDFs are attached")


_WHOLE_LIBRARY = "A whole library is exported"


class RemoteFileExports(FileExports):
    """As of a library on this machine; the whole library is not copied."""

    def write_folder(
        self,
        ids: Sequence[str] | None,
        folder: Path,
        *,
        notes: bool = True,
        force: bool = False,
        keys: Mapping[PaperId, str] | None = None,
    ) -> Task[FolderReport]:
        """Refused for the whole library."""
        if ids is None:
            refuse_remote(_WHOLE_LIBRARY)
        return FileExports.write_folder(self, ids, folder, notes=notes, force=force, keys=keys)

    def references(
        self, ids: Sequence[str] | None, style: str, *, html: bool = False, most: int | None = None
    ) -> Task[str]:
        """Refused for the whole library."""
        if ids is None:
            refuse_remote(_WHOLE_LIBRARY)
        return FileExports.references(self, ids, style, html=html, most=most)

    def write_parquet(
        self,
        ids: Sequence[str] | None,
        path: Path,
        *,
        notes: bool = True,
        force: bool = False,
        keys: Mapping[PaperId, str] | None = None,
    ) -> Task[Path | None]:
        """Refused for the whole library."""
        if ids is None:
            refuse_remote(_WHOLE_LIBRARY)
        return FileExports.write_parquet(self, ids, path, notes=notes, force=force, keys=keys)


_RECORDS = "Papers are merged, kept apart and removed"


class RemoteCuration(RecordCuration):
    """Shows decisions on records, but refuses new ones."""

    def doubts(self) -> tuple[Doubt, ...]:
        """Refused."""
        refuse_remote(_RECORDS)

    def merge(self, paper: Paper, other: Paper) -> PaperId:
        """Refused."""
        refuse_remote(_RECORDS)

    def apart(self, first_id: PaperId, second_id: PaperId) -> bool:
        """Refused."""
        refuse_remote(_RECORDS)

    def remove(self, papers: Sequence[Paper]) -> int:
        """Refused."""
        refuse_remote(_RECORDS)
