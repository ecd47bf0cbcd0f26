"""The ACL Anthology: its whole record as one archive, later only the files that changed, and PDFs one at a time.

Its data: https://github.com/acl-org/acl-anthology.
Files are imported by `importers.anthology`, which knows both generations of their schema.
"""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from litterm.core.errors import BadInput, Malformed, NotFound, ServiceDown, SourceError, Unreachable
from litterm.core.filesystem import replace_text
from litterm.core.tasks import Task
from litterm.importers.bibtex.reader import read_bibtex
from litterm.importers.byte_sources import memory_content
from litterm.model.events import Notice, Progress
from litterm.model.library import Failure, Parsed
from litterm.model.paper import Paper, PaperId
from litterm.model.services import ANY_YEAR, CatalogueBatch, ExpectedSize, OpenText, Scope
from litterm.services.http.client import HttpClient
from litterm.services.http.download import download, open_pdf
from litterm.services.http.messages import (
    DUMP_TIMEOUT_S,
    HOUR_S,
    MEGABYTE,
    Request,
    ServiceResponse,
    hashed_file,
    quote_segment,
)
from litterm.services.http.rate_limit import rate_limit_of
from litterm.services.json_access import Record, integer, position, record, records, require_fields, text
from litterm.text.references.identity import key_in, paper_ids, scheme_of

NAME = "acl"
ARCHIVE = "https://codeload.github.com/acl-org/acl-anthology/tar.gz/refs/heads/master"
TREE = "https://api.github.com/repos/acl-org/acl-anthology/git/trees/master:data/xml"
RAW = "https://raw.githubusercontent.com/acl-org/acl-anthology/master/data/xml"
SITE = "https://aclanthology.org"
_DUMP_NAME = "anthology+abstracts.bib.gz"
_API_HOST = "api.github.com"
_NOT_FOUND_MESSAGE = "The ACL Anthology does not have it."
_ARCHIVE_BYTES = 60 * MEGABYTE
"""About what the archive of the repository weighs; the service does not announce it."""
_MAX_ARCHIVE_BYTES = 2048 * MEGABYTE
_MAX_FILE_BYTES = 64 * MEGABYTE
_MAX_SINGLE_FILES = 120
"""Changed files from which on the archive is quicker."""
_FILES_A_BATCH = 20
_COLLECTION = re.compile(r"(?:(\d{4})\.([\w-]+)|([A-Z])(\d{2}))\.xml")
_END, _TAIL_BYTES = re.compile(rb"(?:</collection>|<collection\b[^<>]*/>)\s*(?:<!--.*)?$", re.S), 400
_ENTRY = re.compile(rb"^[ \t\r]*@\w+\s*\{", re.M)
_CHUNK_BYTES = 1 << 20
_CENTURY = 50
"""Two-digit years above it are of the last century: the oldest volume is of 1952, the newest so named of 2019."""
_VENUE_BY_LETTER = {
    "A": "anlp", "C": "coling", "D": "emnlp", "E": "eacl", "H": "hlt", "I": "ijcnlp", "J": "cl", "K": "conll",
    "L": "lrec", "M": "muc", "N": "naacl", "P": "acl", "Q": "tacl", "R": "ranlp", "S": "semeval", "W": "ws",
    "X": "tipster", "Y": "paclic",
}  # fmt: skip


class AclAnthology:
    """Fits `Catalogue`, `IdLookup` and `TextRoute`."""

    name = NAME
    schemes = ("acl",)

    def __init__(
        self, client: HttpClient, *, archive: str = ARCHIVE, tree: str = TREE, raw: str = RAW, site: str = SITE
    ) -> None:
        self._client = client
        self._archive, self._tree, self._raw, self._site = archive, tree, raw, site

    def expected_size(self, scope: Scope, cursor: str) -> Task[ExpectedSize]:
        """The bytes that are to come."""
        plan = yield from self._plan(scope, cursor)
        if plan is None:
            return ExpectedSize(bytes=_ARCHIVE_BYTES)
        return ExpectedSize(bytes=sum(plan.sizes.get(name, 0) for name in plan.changed))

    def next_batch(self, scope: Scope, cursor: str, folder: Path) -> Task[CatalogueBatch]:
        """The archive, or the next files that changed since the cursor; the cursor names what is known of each file."""
        plan = yield from self._plan(scope, cursor)
        if plan is None:
            return (yield from self._fetch_whole(folder))
        files: list[Path] = []
        missing: list[Failure] = []
        known = dict(plan.known)
        place = folder / "xml"
        place.mkdir(exist_ok=True)
        yield from self._venues(folder / "json")
        for name in plan.changed[:_FILES_A_BATCH]:
            # Not cached: what is imported need not be in the cache as well.
            request = Request(
                f"{self._raw}/{quote_segment(name)}", expect="xml", most_bytes=_MAX_FILE_BYTES, keep=False
            )
            # Known even where it does not come: it would otherwise be asked for in every step.
            known[name] = plan.now[name]
            try:
                answer = yield from self._client.get(request, _ends)
            except NotFound:
                # Renamed since the listing was made: under the other name it is in the next one.
                missing.append(Failure(f"{NAME}:{name}", "The Anthology lists this file but does not have it."))
                continue
            path = place / name
            path.write_bytes(answer.body)
            files.append(path)
        complete = len(plan.changed) <= _FILES_A_BATCH
        return CatalogueBatch(tuple(missing), tuple(files), cursor=_dump_listing(known), done=complete)

    def lookup(self, ids: Sequence[PaperId]) -> Task[tuple[Parsed | Failure, ...]]:
        """One result an id, in order: the entry that the site publishes for each."""
        results: list[Parsed | Failure] = []
        for paper_id in ids:
            # There is no interface for single papers; the site publishes an entry for each.
            request = Request(f"{self._site}/{quote_segment(paper_id.partition(':')[2])}.bib", expect="text")
            try:
                answer = yield from self._client.get(request, _entries)
                entries = tuple(read_bibtex(memory_content(answer.url, answer.body)))
            except (NotFound, BadInput):
                entries = ()
            entry = next((item for item in entries if isinstance(item, Parsed)), None)
            results.append(_under(paper_id, entry) if entry is not None else Failure(paper_id, _NOT_FOUND_MESSAGE))
        return tuple(results)

    def serves(self, paper: Paper) -> bool:
        """Whether `paper` has an Anthology id."""
        return bool(key_in(paper, "acl"))

    def fetch(self, paper: Paper, folder: Path) -> Task[OpenText]:
        """Its PDF.

        Raises:
            NotFound: the Anthology has no PDF of it: some papers lie elsewhere, some are lost.
        """
        key = key_in(paper, "acl")
        if not key:
            raise NotFound(f"{paper.id} is not in the ACL Anthology.")
        if paper.retraction.startswith("removed"):
            raise NotFound(f"The ACL Anthology has removed {key}.")
        path = hashed_file(folder, key, ".pdf")
        other_sources = _urls_elsewhere(paper)
        if other_sources:
            return (yield from open_pdf(self._client, other_sources, path, version="published"))
        # Volumes since 2016 are CC BY 4.0, older ones CC BY-NC-SA 3.0.
        licence = "CC BY 4.0" if (paper.year or 0) >= 2016 else "CC BY-NC-SA 3.0"
        url = f"{self._site}/{quote_segment(_file_name(paper) or key)}.pdf"
        return (yield from open_pdf(self._client, url, path, licence=licence, version="published"))

    def _venues(self, folder: Path) -> Task[None]:
        """The names of venues to where a checkout has them beside its files; without them slugs are shown."""
        request = Request(f"{self._raw.rpartition('/')[0]}/json/venues.json", most_bytes=_MAX_FILE_BYTES)
        try:
            answer = yield from self._client.get(request)
        except SourceError as error:
            if error.transient:
                raise
            return
        folder.mkdir(exist_ok=True)
        (folder / "venues.json").write_bytes(answer.body)

    def _fetch_whole(self, folder: Path) -> Task[CatalogueBatch]:
        path, listing = folder / "acl-anthology.tar.gz", folder / "listing.json"
        if path.exists() and listing.exists():
            # It had come before a kill; what has changed since comes the next time.
            return CatalogueBatch(files=(path,), cursor=listing.read_text("utf-8"), done=True)
        try:
            # Before the archive: what changes between the two is seen as changed the next time, and fetched twice at
            # worst.
            current_files, _ = yield from self._listing()
        except SourceError:
            current_files = {}
        try:
            yield from self._download_packed(self._archive, path)
        except Unreachable:
            # What broke off continues the next time.
            raise
        except SourceError as error:
            entries = yield from self._dump(error, folder)
            # Nothing is known of single files: the next time asks for the archive again.
            return CatalogueBatch(files=(entries,), done=True)
        replace_text(listing, _dump_listing(current_files))
        return CatalogueBatch(files=(path,), cursor=_dump_listing(current_files), done=True)

    def _dump(self, trouble: SourceError, folder: Path) -> Task[Path]:
        """The site's own file of all entries, for when the archive is not available; complete, but less exact."""
        yield Notice(f"{trouble} The BibTeX of the Anthology's own site is fetched instead.")
        try:
            yield from self._download_packed(f"{self._site}/{_DUMP_NAME}", folder / _DUMP_NAME)
        except SourceError as error:
            raise trouble from error
        return folder / _DUMP_NAME

    def _download_packed(self, url: str, path: Path) -> Task[None]:
        """What is packed at `url` as `path`, looked through to its end: what is cut off would count as all there is.

        Raises:
            Unreachable: it is cut off, or damaged on its way.
        """
        request = Request(url, expect="gzip", read_s=DUMP_TIMEOUT_S, most_bytes=_MAX_ARCHIVE_BYTES, keep=False)
        yield from download(self._client, request, path)
        try:
            with gzip.open(path) as unpacked:
                while unpacked.read(_CHUNK_BYTES):
                    yield Progress("reading what was fetched")
        except (OSError, EOFError, zlib.error) as error:
            path.unlink()
            raise Unreachable(f"What {rate_limit_of(request.host).owner} sent is cut off or damaged.") from error

    def _plan(self, scope: Scope, cursor: str) -> Task[_Plan | None]:
        """What changed since the cursor; `None` where the archive is the better way."""
        known = {name: text(sha) for name, sha in record(position(cursor).get("files")).items()}
        narrow = bool(scope.venues) or scope.years != ANY_YEAR
        # The first time nearly every file is wanted, and one archive is 35 MB where the files are 132.
        if not known and not narrow:
            return None
        try:
            current_files, sizes = yield from self._listing()
        except SourceError as error:
            yield Notice(f"{error} The whole archive is fetched instead; what has not changed is passed over.")
            return None
        # Backwards by name, which begins with the year: the newest volumes come first.
        changed = [
            name
            for name in sorted(current_files, reverse=True)
            if known.get(name) != current_files[name] and _is_wanted(name, scope)
        ]
        if len(changed) > _MAX_SINGLE_FILES and not narrow:
            return None
        return _Plan(known, current_files, sizes, tuple(changed))

    def _listing(self) -> Task[tuple[Mapping[str, str], Mapping[str, int]]]:
        request = Request(self._tree, fresh_s=HOUR_S, headers=(("accept", "application/vnd.github+json"),))
        rows = _collections((yield from self._client.get(request, _collections)))
        # Twelve digits are enough to see a change, and the cursor holds 1,535 of them.
        names = {text(row.get("path")): text(row.get("sha"))[:12] for row in rows}
        return names, {text(row.get("path")): integer(row.get("size")) or 0 for row in rows}


def _entries(answer: ServiceResponse) -> None:
    if _ENTRY.search(answer.body) is None:
        raise Malformed("The ACL Anthology answered with something other than BibTeX.")


def _collections(answer: ServiceResponse) -> list[Record]:
    tree = records(require_fields(answer, _API_HOST, "tree").get("tree"))
    rows = [row for row in tree if _COLLECTION.fullmatch(text(row.get("path")))]
    if not rows:
        raise Malformed("GitHub lists no files of the Anthology.")
    return rows


def _ends(answer: ServiceResponse) -> None:
    if not _END.search(answer.body[-_TAIL_BYTES:]):
        raise ServiceDown("A file of the Anthology breaks off in the middle.")


def _under(paper_id: PaperId, entry: Parsed) -> Parsed:
    """`entry` under the id it was asked for by, whatever ids it states, and as good as all the Anthology says."""
    paper = entry.paper
    other_ids = tuple(alias for alias in paper_ids(paper) if alias != paper_id and scheme_of(alias) != "local")
    provenance = replace(paper.provenance, format="anthology")
    return replace(entry, paper=replace(paper, id=paper_id, aliases=other_ids, provenance=provenance))


@dataclass(frozen=True, slots=True)
class _Plan:
    """Which files are fetched, and what is known of all of them: hashes and bytes by name."""

    known: Mapping[str, str]
    now: Mapping[str, str]
    sizes: Mapping[str, int]
    changed: tuple[str, ...]


def _file_name(paper: Paper) -> str:
    """The name of the Anthology's own PDF, which is not always the id; empty where the record does not give it."""
    site_paths = (url.removeprefix(f"{SITE}/") for url in paper.urls if url.startswith(f"{SITE}/"))
    return next((name.removesuffix(".pdf") for name in site_paths if name.endswith(".pdf")), "")


def _urls_elsewhere(paper: Paper) -> str:
    """The address of a paper's PDF where the Anthology has none itself."""
    if _file_name(paper):
        return ""
    return next((url for url in paper.urls if url.lower().endswith(".pdf")), "")


def _dump_listing(files: Mapping[str, str]) -> str:
    return json.dumps({"files": dict(sorted(files.items()))}, separators=(",", ":"))


def _is_wanted(name: str, scope: Scope) -> bool:
    match = _COLLECTION.fullmatch(name)
    if match is None:
        return False
    year, venue, letter, short = match.groups()
    number = int(year) if year else int(short) + (1900 if int(short) > _CENTURY else 2000)
    if not (scope.years.first or 0) <= number <= (scope.years.last or 9999):
        return False
    if not scope.venues:
        return True
    slug = venue or _VENUE_BY_LETTER.get(letter, "")
    # Findings and workshops of a venue are in collections of several venues: they are always looked through.
    return slug in ("findings", "ws") or any(slug == venue_key.lower() for venue_key in scope.venues)
