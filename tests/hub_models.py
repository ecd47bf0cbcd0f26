"""Models at a local hub: their description and their files."""

from __future__ import annotations

import hashlib
from pathlib import Path

from fakes_web_server import WebServer, as_json, page

NAME, REVISION = "maker/tiny-model", "a" * 40


def blob(content: bytes) -> str:
    return hashlib.sha1(f"blob {len(content)}\0".encode() + content).hexdigest()


def publish(server: WebServer, folder: Path, *, prefix: str = "", **card: object) -> None:
    """The files of `folder` at the hub, with one that is none of its business."""
    siblings: list[dict[str, object]] = [{"rfilename": "run.py", "size": 3, "blobId": blob(b"no!")}]
    for path in sorted(folder.rglob("*")):
        if not path.is_file():
            continue
        content, name = path.read_bytes(), str(path.relative_to(folder))
        row: dict[str, object] = {"rfilename": name, "size": len(content), "blobId": blob(content)}
        if name.endswith(".safetensors"):
            row["lfs"] = {"sha256": hashlib.sha256(content).hexdigest(), "size": len(content)}
        siblings.append(row)
        server.on(f"{prefix}/{NAME}/resolve/{REVISION}/{name}", page(content))
    server.on(f"{prefix}/api/models/{NAME}", as_json({"id": NAME, "sha": REVISION, "siblings": siblings, **card}))
