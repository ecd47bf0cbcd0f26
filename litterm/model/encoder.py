"""What is known of the user's sentence encoder and of the vectors that it makes of papers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EncoderStatus:
    """How far the papers of the library have vectors."""

    model: str
    """Name of the encoder."""
    licence: str
    """As its folder states it; empty where it states none."""
    papers: int
    """Papers of the library."""
    encoded: int
    """Those of them that have a vector."""
    size: int
    """Bytes that the vectors take, those to come included."""
    running: bool = False
    """Whether a process is making vectors."""
    stopped: bool = False
    """Whether the user has stopped it."""

    @property
    def missing(self) -> int:
        """Papers without a vector."""
        return max(0, self.papers - self.encoded)


@dataclass(frozen=True, slots=True)
class EncodingEstimate:
    """What making the missing vectors takes, measured on some of the papers."""

    papers: int
    seconds: float
    size: int
    """Bytes."""
