"""The words and the JSON of an encoder and its vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, NotRequired, TypedDict

from litterm.text.escape import plain

if TYPE_CHECKING:
    from litterm.model.encoder import EncoderStatus, EncodingEstimate


class EncoderData(TypedDict):
    """The answer of `encode` and `config encoder`; `encoder` alone, as `null`, where none is set."""

    encoder: str | None
    licence: NotRequired[str | None]
    papers: NotRequired[int]
    encoded: NotRequired[int]
    bytes: NotRequired[int]
    running: NotRequired[bool]
    stopped: NotRequired[bool]


_SECONDS_PER_MINUTE = 60


def licence_words(licence: str) -> str:
    """What is known of a licence."""
    return f"licence {plain(licence)}" if licence else "no licence is stated, so ask its maker before you pass it on"


def size_words(size: int) -> str:
    """Bytes for people."""
    return f"{size / 1e6:,.0f} MB" if size >= 1e6 else f"{max(1, round(size / 1e3)):,} kB"


def estimate_lines(estimate: EncodingEstimate) -> tuple[str, ...]:
    """How long the missing vectors take, and what room."""
    minutes = estimate.seconds / _SECONDS_PER_MINUTE
    took = "less than a minute" if minutes < 1 else f"about {minutes:,.0f} minutes"
    return (f"Vectors of {estimate.papers:,} papers take {took} here and {size_words(estimate.size)} on the disk.",)


def status_lines(status: EncoderStatus | None) -> tuple[str, ...]:
    """The encoder and how far its vectors are."""
    if status is None:
        return ("No encoder is set; `litterm config encoder FOLDER` sets one.",)
    state = "being made" if status.running else "stopped" if status.stopped and status.missing else ""
    if status.missing and not state:
        state = "`litterm encode` makes the rest"
    return (
        f"{plain(status.model)}, {licence_words(status.licence)}",
        f"{status.encoded:,} of {status.papers:,} papers have vectors{f' ({state})' if state else ''}, "
        f"{size_words(status.size)} on the disk",
    )


def status_data(status: EncoderStatus | None) -> EncoderData:
    """For programs."""
    if status is None:
        return {"encoder": None}
    return {
        "encoder": status.model,
        "licence": status.licence or None,
        "papers": status.papers,
        "encoded": status.encoded,
        "bytes": status.size,
        "running": status.running,
        "stopped": status.stopped,
    }
