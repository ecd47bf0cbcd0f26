"""Segments of an import as tasks of a Ray cluster: built on a node from spooled lines, published where they belong."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from litterm.core.durable_files import sync_tree, translate_write_errors
from litterm.core.temporary_files import scratch_folder
from litterm.library.segments.built_segment import BuildJob, BuiltSegment
from litterm.library.workers.segment_builder import ChildSegmentBuilder
from litterm.library.workers.segments import build

if TYPE_CHECKING:
    from litterm.cluster.connection import RayCluster

_MAX_TASK_RETRIES = 3
_log = logging.getLogger(__name__)

Files = Mapping[str, bytes]
"""By path below the folder of a segment."""


class ClusterSegmentBuilder(ChildSegmentBuilder):
    """Builds large segments on a node; small ones here, as always, and large ones too where no node gives an answer."""

    def __init__(self, cluster: RayCluster) -> None:
        super().__init__()
        self._cluster = cluster

    def _build_in_child(self, folder: Path, average_length: float | None) -> BuildJob:
        ray = self._cluster.ray()
        task = ray.remote(build_on_node).options(
            num_cpus=1, max_retries=_MAX_TASK_RETRIES, scheduling_strategy="SPREAD"
        )
        ref = task.remote(_read_files(folder), average_length)
        return _NodeBuildJob(
            ray, ref, folder, lambda: super(ClusterSegmentBuilder, self)._build_in_child(folder, average_length)
        )


class _NodeBuildJob:
    """A segment that a node is building; fits `BuildJob`."""

    def __init__(self, ray: Any, ref: Any, folder: Path, build_locally: Callable[[], BuildJob]) -> None:
        self._ray = ray
        self._ref = ref
        self._folder = folder
        self._build_locally = build_locally
        self._local_job: BuildJob | None = None

    def done(self) -> bool:
        """Whether it has come."""
        if self._local_job is not None:
            return self._local_job.done()
        return bool(self._ray.wait([self._ref], timeout=0)[0])

    def result(self) -> BuiltSegment:
        """The built segment, durable in its folder.

        Raises:
            ChildFailed, DiskFull: it was built here, and that failed.
        """
        if self._local_job is None:
            try:
                answer: tuple[BuiltSegment, Files] = self._ray.get(self._ref)
            except self._ray.exceptions.RayError:
                _log.exception("no node built the segment in %s", self._folder)
                # The lines are still there.
                self._local_job = self._build_locally()
            else:
                _replace_files(answer[1], self._folder)
                return answer[0]
        return self._local_job.result()

    def cancel(self) -> None:
        """Stops the work; the folder is left as it is."""
        self._ray.cancel(self._ref, force=False)
        if self._local_job is not None:
            self._local_job.cancel()


def build_on_node(spool: Files, average_length: float | None) -> tuple[BuiltSegment, Files]:
    """The segment of the lines in `spool`; what a task does."""
    with scratch_folder() as folder:
        _write_files(spool, folder)
        built = build(folder, average_length)
        return built, _read_files(folder)


def _read_files(folder: Path) -> Files:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def _write_files(files: Files, folder: Path) -> None:
    with translate_write_errors(folder):
        for name, content in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)


def _replace_files(files: Files, folder: Path) -> None:
    """Puts `files` in the place of the lines that they were made from."""
    for path in folder.iterdir():
        path.unlink()
    _write_files(files, folder)
    with translate_write_errors(folder):
        sync_tree(folder)
