"""What one suite has tried, and what it broke."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Outcome:
    """One row of the table."""

    name: str
    what: str
    """What is counted, in the plural."""
    tried: int = 0
    broken: list[str] = field(default_factory=list)
    """A line for each thing that must not have happened."""
    seen: str = ""
    """Other figures that say how hard it was tried."""

    def line(self) -> str:
        """The row as text."""
        held = "held" if not self.broken else f"{len(self.broken)} BROKEN"
        return f"{self.name:<28} {self.tried:>6,} {self.what:<22} {held:<12} {self.seen}".rstrip()
