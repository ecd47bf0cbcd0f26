"""Sentence boundaries of scientific text, by rules, in linear time.

A candidate is a run of terminators with its closing quotes, brackets and citation marks. What stands just
before and just after it, seen through windows of bounded width, decides whether a sentence ends there.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from litterm.model.document import Span

# Characters before a stop that are looked at: longer than any abbreviation, and bounded so that time stays linear.
_LEFT_WINDOW_CHARS = 48
_OPENERS = "([{\"'“‘«"
_TRAILING_MARKS = ".,;:)]}”\"'"
# The Greek question mark looks like a semicolon, and is often typed as one.
_GREEK_STOPS = (";", "\u037e")

_BRACKETED = r"\[\d[\d,;–\-\s]{0,40}+\]"
_CANDIDATE = re.compile(
    # One leading set and then a look behind, not the other way round: the engine can skip to the set.
    r"(?P<stop>[.!?…;\u037e。！？｡](?<![.!?…].)[.!?…。！？｡]*+)"
    r"(?P<close>[\"'”’»)\]}†‡§」』）〉》】]*+)"
    rf"(?P<mark>(?:{_BRACKETED}){{1,20}}+|(?<=[a-z)%”]\.)[¹²³⁰⁴-⁹](?:[,–⁻]?[¹²³⁰⁴-⁹]){{0,40}}+"
    r"|(?<=[a-z)%”]\.)\d{1,3}(?:[,–-]\d{1,3}){0,20}+(?!\w))?"
    r"(?P<comma>,)?(?:(?=\s)|(?<=[。！？｡」』”’）〉》】]))"
)
_WIDE_STOPS = frozenset("。！？｡")
_LATER_MARK = re.compile(
    rf"\s(?:(?:\d{{1,3}},)?(?:{_BRACKETED},?){{1,20}}+|\d{{1,3}}(?:,\d{{1,3}}){{1,20}}+\))(?=\s+[A-Z](?!\.))"
)
_NEXT_WORD = re.compile(r"\s*+(?P<opening>[\"'“‘«(\[{¿¡*†‡§•–—-]*+)\s?(?P<word>\S{0,24}+)(?P<second>\s[A-Z][a-z])?")
_LOWER_START = re.compile(r"[a-zα-ω]-?[A-Z]|(?:ere|erefore|ese|ey|ose)\Z")
"""Sentences that begin small: mRNA, p-Value, aMother (a table's footnote), `Th` lost with its ligature."""
_INITIALS = re.compile(r"(?:[A-Z]\.-?){1,3}[A-Z]")
_SUPERSCRIPTS = re.compile(r"[a-z)]\.?(?:\d{1,3}[,–-]\d{1,3}|\.\d{2,3})\s")
_HEADING_START = re.compile(
    r"\s*+(?:(?:Materials? and |Patients and |Study )?(?:Methods|Background|Introduction|Objectives?|Aims?|Purpose|"
    r"Results|Findings|Conclusions?|Discussion|Interpretation|Design)|Author Summary|Significance)"
    r"(?=\s(?P<next>[A-Z][A-Za-z]{0,24}+)\s(?P<then>[A-Za-z]))"
)

_ALWAYS_INSIDE = frozenset(
    "dr drs mr mrs ms prof st messrs mme rev hon gen sen rep gov col sgt vs v.s i.e e.g ie eg c.f cf viz resp approx "
    "ca esp incl excl fig figs eq eqs equ eqn eqns ref refs sec sect sects tab tabs chap chaps appx appl nr vol vols "
    "pp ed eds op def thm prop lem cor alg exp exs suppl supp ext pt pts dept univ proc procs conf symp assoc natl "
    "acad lett phys biol chem clin environ immunol mol biochem pharmacol toxicol eur br jpn intl trans ann bull subsp "
    "sp var ssp cv sensu anon transl comput ling avg nat jan feb mar apr jun jul aug sep sept oct nov dec".split()
)
"""Abbreviations after which a sentence does not end."""
_BEFORE_NUMBER = frozenset("no nos p n s v c ch art ex para step line app col".split())
"""Abbreviations when a number follows, ordinary words or variables otherwise."""
_MAY_END = frozenset(
    "etc inc ltd co corp u.s u.k u.s.a u.n e.u ph.d m.d m.sc b.sc d.c a.m p.m a.d b.c jr sr bros spp".split()
)
"""Abbreviations that may also close a sentence: then a usual starter follows."""
_UNITS = frozenset("min sec hr hrs wk wks mo yr yrs h s M C K V A L g m l d x p".split())
"""Units with or without a period: after a number they may close a sentence."""
_BEFORE_LETTER = frozenset(
    "vitamin vitamins hepatitis influenza group groups class type table figure appendix panel case step phase "
    "part section set size value".split()
)
"""Words whose single letter is a name, not an initial: `hepatitis B. The`."""
_SENTENCE_STARTERS = frozenset(
    "a about above according accordingly additionally after again all also although among an and another any are as at "
    "because before besides both but by can clearly consequently conversely despite did do does due during each either "
    "even every few finally first following for from further furthermore given had has have he hence her here his "
    "how however if importantly in indeed instead interestingly is it its last lastly later let like likewise "
    "many moreover most much my nevertheless next no none nonetheless not note notably now of often on once one only "
    "or other others otherwise our out over overall participants patients perhaps previous rather recall recent "
    "recently results second she similar similarly since so some specifically still studies subjects subsequently "
    "such suppose taken that the their them then there thereafter therefore these they third this those though "
    "three through thus to together two under unfortunately unlike until upon use using was we were what when where "
    "whereas whether which while who why with within without yet you your".split()
)
"""Words that often begin sentences and never names."""
_NEVER_FIRST = frozenset("=<>&|+*,;:)/.]}")


def split(text: str) -> tuple[Span, ...]:
    """Spans of the sentences of `text`: in order, disjoint, without outer blanks, covering all other characters."""
    spans: list[Span] = []
    superscripts: bool | None = None
    start = _skip_heading(spans, text, 0)
    for match in _CANDIDATE.finditer(text):
        if match.start() < start:
            continue
        # Looked for once a text and only where a mark asks for it: most texts have no raised citations.
        if match["mark"] and superscripts is None:
            superscripts = _SUPERSCRIPTS.search(text) is not None
        end = _find_boundary(text, match, start, bool(superscripts))
        if end > start:
            _append_span(spans, text, start, end)
            start = _skip_heading(spans, text, end)
    _append_span(spans, text, start, len(text))
    return tuple(spans)


class _Gap(NamedTuple):
    """The text on both sides of a candidate boundary."""

    stop: str
    """The run of terminators."""
    token: str
    """The word before the stop, without what opens it; empty when there is none."""
    before: str
    """The word before `token` within the sentence."""
    first: bool
    """Whether the sentence has no words but `before` and `token`."""
    spaced: bool
    """Whether a blank stands between word and stop, as in tokenised or badly joined text."""
    closed: bool
    """Whether quotes or brackets close after the stop."""
    opening: str
    """Quotes, brackets and bullets before the next word."""
    word: str
    """The next word, cut to the window."""
    noted: bool
    """Whether a capitalised word follows `word`: the `a` of `a Adjusted for age` is a footnote's mark."""

    @property
    def starter(self) -> bool:
        return self.word.rstrip(_TRAILING_MARKS).lower() in _SENTENCE_STARTERS

    @property
    def number_follows(self) -> bool:
        return self.word[:1].isdigit() or self.opening[:1] in ("(", "[")

    @property
    def measured(self) -> bool:
        """Whether `token` is a unit: `15 min.`, `10-8 M.`, `1 L/min.`"""
        if self.token.rpartition("/")[2] not in _UNITS:
            return False
        return "/" in self.token or self.before[-1:].isdigit() or (self.before != "" and self.before[-1] in "°μµ%")


def _find_boundary(text: str, match: re.Match[str], start: int, superscripts: bool) -> int:
    """The end of the sentence if it ends at `match`, else -1."""
    end = match.end()
    if match["stop"][0] in _WIDE_STOPS or _is_plain_boundary(text, match.start(), end):
        return end
    gap = _read_gap(text, match, start)
    if gap.stop in _GREEK_STOPS:
        return end if _is_greek_question(gap) else -1
    if (
        not (gap.word or gap.opening)
        or not text[end : end + 1].isspace()
        or not _is_citation_mark(match["mark"], superscripts)
    ):
        return -1
    if match["comma"] and not _is_cut_citation(gap):
        return -1
    if not _is_boundary(gap):
        return -1
    later = _LATER_MARK.match(text, end)
    return later.end() if later else end


def _is_plain_boundary(text: str, stop: int, end: int) -> bool:
    """Whether it is the common case, tested fast: a lower-case word, a period, a blank, a capitalised word."""
    tail = text[stop - 4 : stop]
    following = text[end : end + 3]
    if not (end == stop + 1 and text[stop] == "." and tail.islower() and tail.isalpha()):
        return False
    if not (
        following[:1] == " " and following[1:].istitle() and len(following) == 3 and text[end + 1 : end + 4] != "No."
    ):
        return False
    word = text[text.rfind(" ", max(0, stop - _LEFT_WINDOW_CHARS), stop) + 1 : stop].lstrip(_OPENERS)
    return word not in _ALWAYS_INSIDE and word not in _MAY_END


def _read_gap(text: str, match: re.Match[str], start: int) -> _Gap:
    stop = match.start()
    text_before = text[max(start, stop - _LEFT_WINDOW_CHARS) : stop]
    words = text_before.split()
    next_word = _NEXT_WORD.match(text, match.end())
    return _Gap(
        stop=match["stop"],
        token=words[-1].lstrip(_OPENERS) if words else "",
        before=words[-2] if len(words) > 1 else "",
        first=len(words) < 3 and stop - start < _LEFT_WINDOW_CHARS,
        spaced=text_before[-1:].isspace(),
        closed=bool(match["close"]),
        opening=next_word["opening"] if next_word else "",
        word=next_word["word"] if next_word else "",
        noted=bool(next_word and next_word["second"]),
    )


def _is_citation_mark(mark: str | None, superscripts: bool) -> bool:
    """Whether a digit after the stop is a citation, as in texts that cite by superscripts, and not a decimal."""
    return not mark or len(mark) > 1 or not mark.isascii() or superscripts


def _is_cut_citation(gap: _Gap) -> bool:
    """`found., No significant`: a full stop kept beside the comma of a citation that was cut out."""
    return gap.token[-4:].isalpha() and gap.token[-4:].islower() and len(gap.token) > 3 and gap.word[:1].isupper()


def _is_boundary(gap: _Gap) -> bool:
    if gap.word and gap.word[0] in _NEVER_FIRST:
        return False
    if gap.stop == ".":
        return _can_begin(gap) and _is_end_at_period(gap)
    if gap.stop[0] in ".…" or gap.spaced:
        return gap.starter and gap.word[0].isupper()
    if gap.stop[0] == "?" and not gap.closed:
        return True
    return _can_begin(gap)


def _can_begin(gap: _Gap) -> bool:
    if not gap.word or gap.opening[:1] in ("(", "["):
        return bool(gap.opening)
    if gap.word[0].islower():
        return _LOWER_START.match(gap.word) is not None or (gap.noted and len(gap.word) == 1)
    return True


def _is_end_at_period(gap: _Gap) -> bool:
    lowered = gap.token.lower()
    if gap.measured:
        return gap.word[:1].isupper()
    if lowered == "al":
        return gap.word[:1].isupper() and not gap.opening
    if lowered in _ALWAYS_INSIDE or gap.word == "No.":
        return gap.closed and gap.starter
    if lowered in _BEFORE_NUMBER and gap.number_follows:
        return False
    if lowered in _MAY_END or _INITIALS.fullmatch(gap.token):
        return gap.starter
    return _is_end_after_word(gap)


def _is_end_after_word(gap: _Gap) -> bool:
    """Whether a token that is no known abbreviation ends a sentence; single letters and list numbers do not."""
    if len(gap.token) == 1 and gap.token.isalpha():
        return gap.starter and gap.before.lower() in _BEFORE_LETTER
    if gap.token.isdigit() and len(gap.token) < 3:
        caption = gap.first and gap.before.rstrip(".").lower() in ("fig", "figure", "table")
        return gap.before != "" and not caption
    return not (gap.spaced and gap.token == ".")


def _is_greek_question(gap: _Gap) -> bool:
    """Whether `;` is a Greek question mark: between Greek letters, before a capital."""
    if gap.stop == _GREEK_STOPS[1]:
        return True
    return _is_greek(gap.token[-1:]) and _is_greek(gap.word[:1]) and gap.word[0].isupper()


def _is_greek(character: str) -> bool:
    return "\u0370" <= character <= "\u03ff" or "\u1f00" <= character <= "\u1fff"


def _skip_heading(spans: list[Span], text: str, start: int) -> int:
    """The start of the next sentence; `Results We found` is two where a structured abstract lost its layout."""
    headed = _HEADING_START.match(text, start)
    if headed and (headed["next"].lower() in _SENTENCE_STARTERS or headed["then"].islower()):
        _append_span(spans, text, start, headed.end())
        return headed.end()
    return start


def _append_span(spans: list[Span], text: str, start: int, end: int) -> None:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start < end:
        spans.append(Span(start, end))
