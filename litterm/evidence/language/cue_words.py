"""Cue words: what the wording of an English sentence says about its part in a paper.

All but `CITATION` and `STATISTIC`, where case tells, are for text in lower case: that is searched in half the time of
a search that does not mind the case. Every repetition is bounded or cannot overlap what follows it: the text is other
people's.
"""

from __future__ import annotations

import re
from typing import Final


def has_cue(cue: re.Pattern[str], text: str) -> float:
    """1 where the cue is in `text`, else 0."""
    return 1.0 if cue.search(text) else 0.0


def count_numbers(text: str) -> int:
    """How many numbers are in `text` by themselves, not in a name such as `CYP2`."""
    return len(_NUMBER.findall(text))


def _any_word(alternatives: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{alternatives})\b")


_NUMBER: Final = re.compile(r"(?<![^\W_])\.?\d+(?:[.,]\d+)*")
_LIST: Final = r"\d{1,3}(?:\s?[,;–-]\s?\d{1,3}){0,30}"

CITATION: Final = re.compile(
    rf"\bet al\b|\({_LIST}\)|\[{_LIST}\]|\([A-Z][^()]{{0,200}}\b(?:1[89]|20)\d\d[a-z]?\b"
    rf"|[⁰¹²³⁴-⁹]|(?<=[a-z)])[.,]{_LIST}\s?$"
)
HEDGE: Final = _any_word(
    r"may|might|could|possibl[ey]|perhaps|likely|unlikely|probabl[ey]|should|limitations?|bias(?:ed|es)?|confound\w*"
    r"|further (?:study|studies|research|investigations?)"
)
FIRST_PERSON: Final = _any_word("we|our|us")
DIRECTION: Final = _any_word(
    r"increas\w*|decreas\w*|higher|lower|greater|reduc\w*|elevat\w*|enhanc\w*|inhibit\w*|induc\w*|suppress\w*"
    r"|declin\w*|ris(?:e|es|en|ing)|rose|excess\w*|inverse\w*|fewer|less|more|highest|lowest"
    r"|(?:up|down)-?regulat\w*"
)
SIGNIFICANCE: Final = re.compile(r"\bsignific")
# OR is odds ratio, "or" is not.
STATISTIC: Final = re.compile(
    r"[%±]|\b(?:[Pp](?:er ?cent|\s?[<>=≤≥]|[- ]values?\b)|(?:CI|OR|RR|HR|SIR|SMR)s?\b|S(?:D|E|EM)\b"
    r"|[Cc]onfidence (?:[Ii]nterval|[Ll]imit)|(?:[Oo]dds|[Rr]isk|[Rr]ate|[Hh]azard) ratios?\b|[Rr]elative risks?\b)"
)
DESIGN: Final = _any_word(
    r"cohorts?|case-control|randomi[sz]ed|dos(?:e|es|ed|ing)|exposed to|groups?|cells?|assays?|collected|treated"
    r"|measured|patients|subjects|participants|animals|rats|mice|workers|trained|baselines?|corpus|corpora|datasets?"
)
OTHERS: Final = _any_word(
    r"previous(?:ly)?|earlier|other studies|literature|reported by|(?:has|have) been|recent(?:ly)? studies|known"
)
_STUDIED: Final = r"(?:investigat|examin|assess|evaluat|stud|test|analy[sz]|compar|us|sought|measur|explor|estimat)\w*"
AIM: Final = _any_word(
    r"aim(?:s|ed)?|objectives?|purposes?|goals?|hypothes[ei]\w+|whether|in order to"
    rf"|we (?:(?:also|therefore|first|then|next) )?{_STUDIED}"
    r"|(?:was|were) (?:investigated|examined|assessed|evaluated|studied|tested|analy[sz]ed|compared|used|measured"
    r"|designed|undertaken|conducted|performed|carried out)"
    r"|to (?:investigate|examine|assess|evaluate|study|test|determine|explore|identify|clarify|compare)"
)
SUMMARY: Final = _any_word(
    r"conclu\w+|in summary|taken together|overall|this study|in the present study"
    r"|(?:these|our|the|present) (?:results|findings|data|study|observations)"
)
PRESENT: Final = _any_word("is|are|has|have|can")
NEGATION: Final = _any_word(r"no|not|neither|nor|without|none|lack\w*|failed")
CONCLUSION_CUES: Final = re.compile(
    r"\b(?:conclu|in summary|taken together|thus\b|therefore|suggest|indicat|demonstrat|findings)"
)
FINDING_CUES: Final = re.compile(
    r"\bwe (?:show|found|find|report|demonstrate|identif|observe)|\bshow(?:s|ed|n)? that|\bfound that|\bhere,? we\b"
)
QUESTION_CUES: Final = re.compile(
    r"\bto (?:determine|investigate|examine|assess|evaluate|test|compare|identify|study)"
    r"|\b(?:objective|aim|background\b|purpose\b|whether\b)"
)
REVIEW_CUES: Final = re.compile(
    r"\b(?:methods?|design|setting|participants)\b|\bmain outcome"
    r"|\bwere (?:randomi|assign|enrolled|recruit|collected|measured|included)"
)
UNKNOWN: Final = re.compile(
    r"\b(?:unclear|unknown|poorly|remain|little is known|however)"
    r"|\bnot (?:been )?(?:well )?(?:understood|known|established)"
)
