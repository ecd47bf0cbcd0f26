"""Claims turned into their opposite by rule: by the one word that says which way, or by a denial.

A paper that states a claim refutes what is made of it so; claims that hold several directions, or a denial beside one,
are left as they are, as it is not known what their opposite is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from litterm_benchmarks.readers.claims import Label

ClaimForm = Literal["own", "other way", "denied", "another paper's"]

_OPPOSITES: Final = (
    "increases decreases|increased decreased|increase decrease|increasing decreasing|reduces increases"
    "|reduced increased|reduce increase|reduction increase|reductions increases|reducing increasing|higher lower"
    "|greater smaller|improves worsens|improved worsened|improve worsen|improving worsening"
    "|improvement worsening|improvements worsening|more less|longer shorter|faster slower|better worse"
    "|superior inferior|elevated reduced|enhances impairs|enhanced impaired|enhance impair"
    "|attenuates exacerbates|attenuated exacerbated|effective ineffective|promotes inhibits|fewer more"
    "|prevents causes|prevented caused|prevent cause|lowers raises|lowered raised|benefit harm"
    "|beneficial harmful|accelerates delays|accelerated delayed"
)
_UNDENIABLE: Final = re.compile(
    r"\b(?:no|not|neither|nor|without|cannot|never|none|similar|comparable|equivalent|same|unchanged|but|although"
    r"|whereas|while)\b",
    re.IGNORECASE,
)
_AUXILIARY: Final = re.compile(r"\b(?:is|are|was|were|can|did|does|has|have)\b")
_DENIED_AUXILIARY: Final = re.compile(r"\b(is|are|was|were|does|did|do|can|has|have) not\b")
_DENIED_NOUN: Final = re.compile(
    r"\bno (?:significant )?(difference|effect|benefit|improvement|change|impact|association|influence)s?\b",
    re.IGNORECASE,
)
_BASE_FORMS: Final = {
    **{
        f"{base}s": base
        for base in "improve increase reduce decrease enhance prevent attenuate lower induce protect".split()
    },
    **{f"{base}s": base for base in "inhibit accelerate promote lead provide result".split()},
}
_PAST_FORMS: Final = {
    **{f"{base}d": base for base in "decrease increase reduce improve enhance".split()},
    "lowered": "lower",
}
_VERB: Final = re.compile(rf"\b(?:{'|'.join((*_BASE_FORMS, *_PAST_FORMS))})\b")


@dataclass(frozen=True, slots=True)
class FormedClaim:
    """A claim in one of its forms, and what the paper that states the claim does for it."""

    form: ClaimForm
    text: str
    label: Label


def forms_of(claim: str) -> Iterator[FormedClaim]:
    """The claim itself and its opposites, as far as there are any."""
    yield FormedClaim("own", claim, "SUPPORT")
    for form, text in (("other way", other_way(claim)), ("denied", denied(claim))):
        if text:
            yield FormedClaim("other way" if form == "other way" else "denied", text, "CONTRADICT")


def other_way(claim: str) -> str:
    """The claim with its one direction turned; empty where it has none or several, or a denial."""
    opposites: dict[str, str] = {}
    for pair in _OPPOSITES.split("|"):
        word, opposite = pair.split()
        opposites.setdefault(word, opposite)
        opposites.setdefault(opposite, word)
    found = [match for match in re.finditer(r"[A-Za-z]+", claim) if match[0].lower() in opposites]
    if len(found) != 1 or _UNDENIABLE.search(claim):
        return ""
    (match,) = found
    return claim[: match.start()] + opposites[match[0].lower()] + claim[match.end() :]


def denied(claim: str) -> str:
    """The claim denied, or a denial undone; empty where it is not known how."""
    if _UNDENIABLE.search(claim):
        undone = _DENIED_AUXILIARY.sub(r"\1", claim, count=1)
        if undone == claim:
            undone = _DENIED_NOUN.sub(r"a \1", claim, count=1)
        return undone if undone != claim and not _UNDENIABLE.search(undone) else ""
    auxiliary = _AUXILIARY.search(claim)
    if auxiliary:
        return f"{claim[: auxiliary.end()]} not{claim[auxiliary.end() :]}"
    verb = _VERB.search(claim)
    if verb is None:
        return ""
    denial = f"did not {_PAST_FORMS[verb[0]]}" if verb[0] in _PAST_FORMS else f"does not {_BASE_FORMS[verb[0]]}"
    return claim[: verb.start()] + denial + claim[verb.end() :]
