"""The whole pass of the garbage collection waits until the hand rests."""

from __future__ import annotations

import gc
from time import monotonic

import pytest

from litterm.tui.platform import idle_gc
from litterm.tui.platform.idle_gc import IDLE_BEFORE_GC_S, GcControl, rare_full_collections


@pytest.fixture
def due(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Enough has piled up; whole passes are noted."""
    passes: list[int] = []
    monkeypatch.setattr(idle_gc.gc, "get_count", lambda: (0, 0, 10_000))
    monkeypatch.setattr(idle_gc.gc, "collect", lambda: passes.append(1))
    return passes


def test_nothing_is_looked_through_while_keys_come(due: list[int]) -> None:
    assert not GcControl().collect_if_idle(monotonic())
    assert due == []


def test_everything_is_looked_through_once_the_hand_rests(due: list[int]) -> None:
    with rare_full_collections():
        assert GcControl().collect_if_idle(monotonic() - IDLE_BEFORE_GC_S - 1)
    assert due == [1]


def test_within_no_whole_pass_begins_by_itself_and_afterwards_all_is_as_before() -> None:
    before = gc.get_threshold()
    with rare_full_collections():
        assert gc.get_threshold()[2] > 100_000
        gc.freeze()
    assert gc.get_threshold() == before
    assert gc.get_freeze_count() == 0
