"""The OpenReview groups that hold the submissions of each year's ICLR."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from litterm.model.search import YearRange
from litterm.services.openreview.notes import V2_STATUS

_FIRST_YEAR = 2013
_FIRST_V2 = 2024
_NOT_HERE = 2015
"""The one year that was not on OpenReview."""
_LOWER = (2013, 2014, 2016, 2017)
"""Years whose invitations are written in lower case."""


@dataclass(frozen=True, slots=True)
class SubmissionList:
    """One list of notes: a year, and which of its lists."""

    year: int
    query: tuple[tuple[str, str], ...]
    status: str = ""
    v2: bool = False

    def is_there(self, newest: int) -> bool:
        """Whether it is sure to hold something: the papers of a conference that is over, `newest` being to come."""
        return not self.status and self.year < newest - 1


def steps_of(years: YearRange, newest: int) -> list[SubmissionList]:
    """Every list to read, the newest year first."""
    first, last = max(years.first or _FIRST_YEAR, _FIRST_YEAR), min(years.last or newest, newest)
    return [step for year in range(last, first - 1, -1) if year != _NOT_HERE for step in _lists_of(year)]


def _lists_of(year: int) -> Iterable[SubmissionList]:
    if year >= _FIRST_V2:
        domain = ("domain", f"ICLR.cc/{year}/Conference")
        for path, status in V2_STATUS.items():
            yield SubmissionList(year, (("content.venueid", f"ICLR.cc/{year}/{path}"), domain), status, v2=True)
        return
    if year in _LOWER:
        tracks = ("workshop",) if year == 2016 else ("conference",) if year == 2013 else ("conference", "workshop")
        for track in tracks:
            status = "Workshop" if track == "workshop" else ""
            yield _v1_step(year, f"{track}/-/submission", status)
        return
    yield _v1_step(year, "Conference/-/Blind_Submission")
    yield _v1_step(year, "Conference/-/Withdrawn_Submission", "Withdraw")
    yield _v1_step(year, "Conference/-/Desk_Rejected_Submission", "Desk Reject")


def _v1_step(year: int, path: str, status: str = "") -> SubmissionList:
    return SubmissionList(year, (("invitation", f"ICLR.cc/{year}/{path}"), ("details", "directReplies")), status)
