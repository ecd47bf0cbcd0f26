"""Trajectories of the citation agent on disk: a folder each with an append-only journal, as for matrices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from litterm.attribution.agent.codec import choice_from, choice_line, request_from, request_line, step_from, step_line
from litterm.core.errors import UnknownTrajectory
from litterm.library.lock import WriteLock
from litterm.library.run_folders import RunFolders
from litterm.model.attribution.agent import AgentChoice, AgentStep, Trajectory, TrajectoryId, TrajectoryRequest

LAST = "last"
"""What `open` takes for the newest trajectory; no id begins so, for the alphabet of ULIDs has no `l`."""


class FileTrajectories:
    """Trajectories of the agent in `<root>/trajectories`; every line is durable when its call returns."""

    def __init__(self, root: Path) -> None:
        self._runs = RunFolders(root / "trajectories")

    def begin(self, request: TrajectoryRequest) -> TrajectoryId:
        """A new trajectory without steps.

        Raises:
            DiskFull: it could not be written.
        """
        return TrajectoryId(self._runs.begin(request_line(request)))

    def all(self) -> tuple[Trajectory, ...]:
        """Every trajectory, the newest first."""
        trajectories = (self._read(TrajectoryId(name)) for name in self._runs.ids())
        return tuple(trajectory for trajectory in trajectories if trajectory is not None)

    def open(self, trajectory_id: str) -> Trajectory:
        """The trajectory as it is now, by its id or its beginning; `last` is the newest.

        Raises:
            UnknownTrajectory: there is none, or there are several.
        """
        names = self._runs.ids()
        prefix = trajectory_id.strip().lower()
        fitting = names[:1] if prefix == LAST else [name for name in names if prefix and name.startswith(prefix)]
        trajectory = self._read(TrajectoryId(fitting[0])) if len(fitting) == 1 else None
        if trajectory is None:
            several = f"{len(fitting)} trajectories begin with {prefix}" if len(fitting) > 1 else ""
            trouble = several or f"There is no trajectory “{trajectory_id}”"
            raise UnknownTrajectory(f"{trouble}; `litterm cite --replay` without an id lists all.")
        return trajectory

    def lease(self, trajectory_id: TrajectoryId) -> WriteLock | None:
        """The right to continue with it, until `release` or the end of this process; `None` while another has it."""
        return self._runs.lease(trajectory_id)

    def put(self, trajectory_id: TrajectoryId, step: AgentStep) -> None:
        """One more step."""
        self._runs.journal(trajectory_id).append("step", step_line(step))

    def end(self, trajectory_id: TrajectoryId, choice: AgentChoice) -> None:
        """How it has ended, for now."""
        self._runs.journal(trajectory_id).append("end", choice_line(choice))

    def _read(self, trajectory_id: TrajectoryId) -> Trajectory | None:
        """`None` where the first line never was finished."""
        trajectory: Trajectory | None = None
        for time, kind, body in self._runs.journal(trajectory_id).entries():
            try:
                trajectory = _add_line(trajectory, trajectory_id, time, kind, body)
            except (KeyError, TypeError, ValueError):
                # Written by a newer litterm or by hand: what cannot be read counts as not there.
                continue
        return trajectory


def _add_line(
    trajectory: Trajectory | None, trajectory_id: TrajectoryId, time: str, kind: str, body: Mapping[str, object]
) -> Trajectory | None:
    """The trajectory with one more line; a kind this version does not know changes nothing."""
    if kind == "asked":
        return Trajectory(trajectory_id, time, request_from(body))
    if trajectory is None:
        return None
    if kind == "step":
        # Whoever went on after an end has not come to a new one yet.
        return replace(trajectory, steps=(*trajectory.steps, step_from(body, time)), choice=AgentChoice(""))
    return replace(trajectory, choice=choice_from(body)) if kind == "end" else trajectory
