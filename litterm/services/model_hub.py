"""The Hugging Face hub: the files of a sentence encoder, with their licence, size and checksums.

https://huggingface.co/docs/hub/api: `/api/models/NAME?blobs=true` describes a model, `/NAME/resolve/REVISION/FILE` is a
file of it. Only files that hold numbers, words or settings are taken, and each is compared with its checksum.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from litterm.core.errors import Malformed, NotFound, UsageError
from litterm.services.http.download import download
from litterm.services.http.messages import DUMP_TIMEOUT_S, MEGABYTE, Request, quote_path
from litterm.services.json_access import record, records, require_fields, text, texts

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.services.http.client import HttpClient

_SITE: Final = "https://huggingface.co"
_NAME: Final = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}")
_REVISION: Final = re.compile(r"[0-9a-f]{40}")
_WEIGHTS: Final = ("model.safetensors", "model.onnx", "onnx/model.onnx")
"""One of them is taken, the first there is."""
_SMALL_FILES: Final = (
    "config.json",
    "1_Pooling/config.json",
    "tokenizer.json",
    "vocab.txt",
    "tokenizer_config.json",
    "sentence_bert_config.json",
    "config_sentence_transformers.json",
    "README.md",
)
_MAX_WEIGHTS_BYTES: Final = 4096 * MEGABYTE
_MAX_SMALL_BYTES: Final = 64 * MEGABYTE
_CHUNK_BYTES: Final = MEGABYTE


@dataclass(frozen=True, slots=True)
class HubFile:
    """One file of a model."""

    name: str
    size: int
    sha256: str = ""
    """Of large files."""
    blob: str = ""
    """Of small files: SHA-1 of the object in git."""


@dataclass(frozen=True, slots=True)
class HubModel:
    """What the hub says of a model, as far as it is to be fetched."""

    name: str
    revision: str
    licence: str
    """Empty where the hub states none."""
    files: tuple[HubFile, ...]

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(file.size for file in self.files)


class ModelHub:
    """The hub, over the client of all services."""

    def __init__(self, client: HttpClient, base: str = _SITE) -> None:
        self._client = client
        self._base = base

    def describe(self, name: str) -> Task[HubModel]:
        """What the hub has under `name`, as in `BAAI/bge-small-en-v1.5`; asks the hub, and fetches no file.

        Raises:
            UsageError: `name` is no name of a model there.
            NotFound: there is no such model, or no file of it can be used.
            SourceError, Offline: the hub could not be asked.
        """
        if not _NAME.fullmatch(name) or ".." in name:
            raise UsageError(f"{name!r} is no name on the hub, such as BAAI/bge-small-en-v1.5, and no folder here")
        request = Request(f"{self._base}/api/models/{quote_path(name)}", (("blobs", "true"),), fresh_s=0)
        answer = yield from self._client.get(request)
        described = require_fields(answer, "the hub", "siblings")
        revision = text(described.get("sha"))
        if not _REVISION.fullmatch(revision):
            raise Malformed(f"The hub does not describe {name} as it should: it names no revision.")
        there = {file.name: file for file in map(_file, records(described["siblings"])) if file is not None}
        weights = next((there[weight] for weight in _WEIGHTS if weight in there), None)
        if weights is None or not ("tokenizer.json" in there or "vocab.txt" in there):
            raise NotFound(f"{name} has no model.safetensors or model.onnx with a vocabulary, so it cannot be used.")
        small = tuple(there[file] for file in _SMALL_FILES if file in there)
        return HubModel(name, revision, _licence(described), (weights, *small))

    def fetch(self, model: HubModel, folder: Path) -> Task[Path]:
        """Downloads `model` into `folder`; what has arrived is continued, what does not fit its checksum is refused.

        Raises:
            Malformed: a file is not what the hub announced.
            DiskFull, TooLarge, SourceError, Offline: as `download`.
        """
        for file in model.files:
            path = folder / file.name
            if path.is_file() and _fits(path, file):
                continue
            most = _MAX_WEIGHTS_BYTES if file.name in _WEIGHTS else _MAX_SMALL_BYTES
            url = f"{self._base}/{quote_path(model.name)}/resolve/{model.revision}/{quote_path(file.name)}"
            arriving = path.with_name(f"{path.name}.arriving")
            request = Request(url, expect="any", read_s=DUMP_TIMEOUT_S, most_bytes=min(most, file.size), keep=False)
            yield from download(self._client, request, arriving)
            if not _fits(arriving, file):
                arriving.unlink(missing_ok=True)
                raise Malformed(f"{file.name} of {model.name} is not what the hub announced; nothing of it was kept.")
            arriving.replace(path)
        return folder


def _file(row: Mapping[str, object]) -> HubFile | None:
    large = record(row.get("lfs"))
    size = large.get("size", row.get("size"))
    if not isinstance(size, int) or size < 0:
        return None
    checked = HubFile(text(row.get("rfilename")), size, text(large.get("sha256")), text(row.get("blobId")))
    # What nobody vouches for is not taken.
    return checked if checked.sha256 or checked.blob else None


def _licence(described: Mapping[str, object]) -> str:
    stated = text(record(described.get("cardData")).get("license"))
    tags = (tag for tag in texts(described.get("tags")) if tag.startswith("license:"))
    return stated or next(tags, "").removeprefix("license:")


def _fits(path: Path, file: HubFile) -> bool:
    if path.stat().st_size != file.size:
        return False
    # What git calls a blob: a header with the size, and the content.
    digest = hashlib.sha256() if file.sha256 else hashlib.sha1(f"blob {file.size}\0".encode(), usedforsecurity=False)
    with path.open("rb") as opened:
        while chunk := opened.read(_CHUNK_BYTES):
            digest.update(chunk)
    return digest.hexdigest() == (file.sha256 or file.blob)
