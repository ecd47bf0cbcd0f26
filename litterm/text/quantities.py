"""Quantities in a text: numbers with what they are measured in or a count of, each with its place.

Rules alone; a number that is a mark, a label, a date of a reference or a part of a name is no quantity.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from litterm.model.document import Span

_WORD_NUMBERS = {
    "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11,
    "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18,
    "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80,
    "ninety": 90, "hundred": 100, "thousand": 1000, "zero": 0, "one": 1,
}  # fmt: skip
_SCALES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "k": 1e3}
_DIGITS = r"(?:\d{1,3}(?:[,\u2009\u202f]\d{3})+(?!\d)|\d+)(?:\.\d+)?|\.\d+"
_POWER = r"(?:\s?[×x✕·⋅∗*]\s?10\s?\^?\{?[-−–+]?\s?\d{1,3}\}?|[eE][-−+]?\d{1,3}(?![\w]))"
_SCALE_WORD = r"(?:\s(?:hundred|thousand|million|billion|trillion)\b)"
_NUMBER = re.compile(
    rf"(?:{_DIGITS}){_POWER}?{_SCALE_WORD}?|\b(?:{'|'.join(_WORD_NUMBERS)})\b{_SCALE_WORD}?", re.IGNORECASE
)
_SIGNS = "+-−–±"
_NEXT_WINDOW = 60
"""Characters in which a number is read that continues a range or a list."""
_MAX_LIST = 8
"""Numbers of one quantity at most: `3, 5 and 7 mm`."""

# Units as symbols: those that take a prefix of the SI, and those that take none.
_PREFIXED = (
    "m", "g", "s", "A", "K", "mol", "cd", "Hz", "N", "Pa", "J", "W", "C", "V", "F", "Ω", "Ohm", "ohm", "S", "T", "Wb",
    "H", "lm", "lx", "Bq", "Gy", "Sv", "kat", "l", "L", "eV", "bar", "B", "b", "bit", "byte", "bp", "bps", "cal", "a",
    "t", "M", "U", "IU", "Da", "yr", "year", "Wh", "pc", "Torr", "Ci", "sec", "G", "Myr", "X", "R", "flop", "FLOPs",
)  # fmt: skip
_PREFIXES = ("", "k", "M", "G", "T", "P", "h", "da", "d", "c", "m", "μ", "µ", "u", "n", "p", "f", "mega", "kilo")
_PLAIN = (
    "%", "‰", "°C", "°F", "° C", "°", "°N", "°S", "°E", "°W", "º", "ºC", "℃", "′", "″", "wt%", "wt.%", "wt.-%", "vol%",
    "at%", "mol%", "% (w/v)", "% (v/v)", "ppm", "ppb", "ppt", "ppmv", "rpm", "Å", "dB", "dBm", "dBA", "min", "mins",
    "h", "hr", "hrs", "d", "wk", "mo", "yr", "yrs", "y", "ha", "atm", "psi", "mmHg", "inch", "in.", "ft", "lb", "lbs",
    "oz", "mi", "mph", "au", "AU", "ly", "Mbps", "Gbps", "kbps", "rad", "sr", "Ma", "ka", "Ga", "kya", "Myr", "kyr",
    "fps", "bpm", "pH", "mi", "CFU", "cfu", "pfu", "sec", "secs", "msec", "CO2", "CO2e", "w/w", "v/v", "das",
    "mbsl", "masl", "mbsf", "Rp", "RJ", "Rs", "R⊕", "M⊙", "€", "mM", "μM", "nM", "pM", "BP", "UT", "g", "US$",
)  # fmt: skip
_UNIT_WORDS = (
    "percent", "per cent", "percentage points", "percentage point", "degrees", "degree", "seconds", "second", "minutes",
    "minute", "hours", "hour", "days", "day", "weeks", "week", "months", "month", "years", "year", "decades", "decade",
    "centuries", "century", "metres", "metre", "meters", "meter", "kilometres", "kilometre", "kilometers", "kilometer",
    "centimetres", "centimeters", "millimetres", "millimeters", "micrometers", "micrometres", "microns", "micron",
    "nanometers", "nanometres", "inches", "feet", "miles", "grams", "gram", "kilograms", "kilogram", "milligrams",
    "tonnes", "tons", "ton", "litres", "litre", "liters", "liter", "milliliters", "millilitres", "volts", "watts",
    "joules", "hertz", "kelvin", "kelvins", "pascals", "hectares", "hectare", "acres", "fold", "times", "dollars",
    "euros", "pounds", "bytes", "bits", "tokens", "parameters", "epochs", "words", "passages", "cores", "points",
    "msec", "millisecond", "milliseconds", "microseconds", "degrees Celsius", "year-old", "years old", "years of age",
    "month-old", "week-old", "day-old", "generations", "cycles", "megadalton", "kilodaltons", "orders of magnitude",
    "order of magnitude", "standard deviations", "pixels", "pixel", "bit",
)  # fmt: skip


def _symbols() -> frozenset[str]:
    prefixed = {prefix + base for prefix in _PREFIXES for base in _PREFIXED}
    # Words and formulas that prefix and symbol happen to spell.
    return frozenset(prefixed | set(_PLAIN)) - {"pH", "dam", "nm.", "MX", "GX", "kX", "at", "as", "ha", "has"} | {"ha"}


_SYMBOLS = _symbols()
_WORDS_BY_LENGTH = sorted(_UNIT_WORDS, key=len, reverse=True)
_UNIT_WORD = re.compile(rf"(?:{'|'.join(map(re.escape, _WORDS_BY_LENGTH))})(?![\w])", re.IGNORECASE)
_SYMBOLS_PATTERN = re.compile(
    rf"(?:{'|'.join(re.escape(symbol) for symbol in sorted(_SYMBOLS, key=lambda symbol: (-len(symbol), symbol)))})"
)
_EXPONENT = re.compile(r"(?:\^?\{?[-−–+]?\s?[1-6]\}?|\(?[-−]\s?[1-4]\)?)(?!\d|[.,]\d)|[⁻⁺]?[¹²³⁴]")
_LETTERS = frozenset("ABCFGHLMNRSTUXabdht")
"""Symbols that right behind a number are a part of its label more often than a unit: `1C`, `55S`."""
_LABELS = frozenset("BCFGHRSXab")
"""Those that are so also behind a blank."""
_UNIT_END = re.compile(r"(?![A-Za-z0-9μΩ°])")
_UNIT_JOIN = re.compile(r"\s?[/·⋅∙]\s?|\sper\s|\s")
_BETWEEN = re.compile(
    r"(?:\s?(?:–|—|-|−|‐|‑|~|∼|±|:|\+/[-−])\s?|\s?(?:\bto\b|\bby\b|×|x)\s?|\s?/\s?)(?=[+−-]?[\d.])|,?\s(?:and|or)\s|,\s"
)
_LEAD_WORDS = (
    "less than or equal to", "greater than or equal to", "no more than", "no less than", "not more than", "more than",
    "less than", "fewer than", "greater than", "higher than", "lower than", "larger than", "smaller than", "at least",
    "at most", "up to around", "up to about", "up to", "as much as", "as many as", "as low as", "as high as", "down to",
    "approximately", "approx.", "around", "about", "roughly", "nearly", "almost", "over", "under", "below", "above",
    "between", "circa", "ca.", "near", "within", "some", "only", "average of", "exceeding", "from",
)  # fmt: skip
_LEAD = re.compile(rf"(?:\b(?:{'|'.join(map(re.escape, _LEAD_WORDS))})\s|[∼~≈≃≅<>≤≥⩽⩾≲≳]\s?)$", re.IGNORECASE)
_LEAD_WINDOW = 34
"""Characters before a number in which words such as `up to` are looked for."""
_LABEL = re.compile(
    r"\b(?:fig(?:ure|s|ures)?|tables?|tab|eqs?|equations?|sect?(?:ion|ions|s)?|refs?|references?|chapters?|ch|"
    r"appendix|apps?|nos?|vols?|pp?|pages?|notes?|steps?|lines?|panels?|movies?|videos?|files?|cases?|schemes?|"
    r"supplementary|suppl|theorems?|lemmas?|defs?|types?|phases?|grade|stage|level|class|version|v|models?|"
    r"clones?|sites?|grant|award|hole|core|experiments?|exp|runs?|samples?|stations?|protocol|chromosome|exon|scenarios?|"
    r"days?|lanes?|turbines?|SD|exons?|group|layer|channel|route|line|section|part|example|question|patient|participant|item|rule|task)"
    r"\.?\s?[(\[]?$",
    re.IGNORECASE,
)
_LABEL_WINDOW = 20
_SERIES = re.compile(r"(?<!\d)\d+[A-Za-z]?(?:,|,? and|,? or|–|-)\s?$")
"""An earlier number of the same label: `Scenarios 1 and 3`."""
_ID = re.compile(
    r"\b(?:OMIM|doi|ISBN|ISSN|PMID|GenBank|accession|DSM|ATCC|NCT|RRID|grant)\b[\s:#.]{0,3}$", re.IGNORECASE
)
_JOINED = re.compile(r"[\w)\]}][-‐‑/+*^_]$|[/*^_…]$")
_YEAR = re.compile(r"(?:1[6-9]|20)\d\d[a-z]?$")
_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december", "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec",
)  # fmt: skip
_MONTH_AFTER = re.compile(rf"(?:st|nd|rd|th)?(?:\sof)?\s(?:{'|'.join(_MONTHS)})\b", re.IGNORECASE)
_MONTH_BEFORE = re.compile(rf"\b(?:{'|'.join(_MONTHS)})\.?\s$", re.IGNORECASE)
_NOUN = re.compile(r"\s?(?:[a-z][\w-]*\s){0,2}?[a-z][\w-]*s\b|\s(?:people|men|women|children|mice|data)\b")
_COUNTED = re.compile(r"[A-Za-z][\w-]*")
_NOT_COUNTED = frozenset(
    "and or of in at to by for from with was were is are has had as the a than on that which who when while but per it "
    "this these those its we they respectively vs".split()
)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A quantity that a text states."""

    value: str
    """Its numbers as they stand, without unit: `0.19–0.21`, `two`."""
    unit: str
    """As it stands: `mW m−2`, `%`; empty for a bare number or a count."""
    counted: str
    """The noun behind a bare number: `patients`; empty where there is none."""
    numbers: tuple[float, ...]
    """The numbers of `value`, in order."""
    span: Span
    """Value and unit with words before them that belong to it (`up to`), in characters of the text."""
    value_start: int
    """Where `value` begins."""


@dataclass(frozen=True, slots=True)
class _Number:
    start: int
    end: int
    value: float
    is_word: bool


def find_quantities(text: str) -> tuple[Quantity, ...]:
    """The quantities in `text`, in its order; none overlap."""
    return tuple(_quantities(text))


def _quantities(text: str) -> Iterator[Quantity]:
    position = 0
    while (first := _next_number(text, position)) is not None:
        position = first.end
        numbers, unit_span = _read_series(text, first)
        if not is_quantity(text, numbers[0], numbers[-1], unit_span):
            continue
        start, end = _sign_start(text, numbers[0].start), numbers[-1].end
        unit = "" if unit_span is None else text[unit_span.start : unit_span.end]
        span_end = end if unit_span is None else unit_span.end
        counted = "" if unit else _counted(text, end)
        yield Quantity(
            value=text[start:end],
            unit=unit.strip(" -‐‑"),
            counted=counted,
            numbers=tuple(number.value for number in numbers),
            span=Span(_lead_start(text, start), span_end),
            value_start=start,
        )
        position = max(position, span_end)


def _next_number(text: str, position: int, within: int = sys.maxsize) -> _Number | None:
    """The first number at `position` or behind it, in at most `within` characters."""
    last = min(len(text), position + within)
    while (match := _NUMBER.search(text, position, last)) is not None:
        number = _as_number(match)
        if number is not None:
            return number
        position = match.end()
    return None


def _as_number(match: re.Match[str]) -> _Number | None:
    text, words = match.string, match.group().lower()
    before = text[match.start() - 1 : match.start()]
    # `CO2`, `iPSC4`, `1990s` of a name.
    if before.isalnum() and not (before.isdigit() or ord(before) > 0x2000):
        return None
    return _Number(match.start(), match.end(), read_number(words), words[0].isalpha())


def read_number(words: str) -> float:
    """What a number as it is written comes to: `1,200`, `5.9 million`, `1×10−5`, `two`."""
    lower = words.lower().strip()
    scale = 1.0
    for name, factor in _SCALES.items():
        if lower.endswith(f" {name}"):
            lower, scale = lower.removesuffix(name).strip(), factor
            break
    if lower in _WORD_NUMBERS:
        return _WORD_NUMBERS[lower] * scale
    digits = re.match(_DIGITS, lower)
    if digits is None:
        return 0.0
    value = float(re.sub(r"[,\u2009\u202f]", "", digits.group()))
    power = re.sub(r"[\s^{}]", "", lower[digits.end() :]).replace("−", "-").replace("–", "-")
    exponent = re.search(r"(?:10|e)([-+]?\d+)$", power)
    return value * scale * (10.0 ** min(99, max(-99, int(exponent[1]))) if exponent else 1.0)


def numbers_in(text: str) -> tuple[float, ...]:
    """All numbers in `text`, whatever they are, in order."""
    return tuple(read_number(match.group()) for match in _NUMBER.finditer(text))


def _read_series(text: str, first: _Number) -> tuple[list[_Number], Span | None]:
    """The numbers that one unit belongs to, and the place of that unit."""
    numbers = [first]
    unit = _unit_at(text, first.end)
    while len(numbers) < _MAX_LIST:
        last = numbers[-1]
        place = last.end if unit is None else unit.end
        joint = _BETWEEN.match(text, place)
        following = _next_number(text, joint.end(), _NEXT_WINDOW) if joint else None
        if joint is None or following is None:
            break
        between = joint.group().strip()
        gap = text[joint.end() : following.start]
        if gap.strip(_SIGNS + " ~∼") or len(gap) > 2:
            break
        is_range = between not in ("and", "or", ",", ", and", ", or", ",and")
        next_unit = _unit_at(text, following.end)
        if unit is not None:
            # `10 mm to 20 mm`, `46.8% ± 1.6%`; but not `3.2%, 6.7%`.
            same = (
                next_unit is not None
                and text[next_unit.start : next_unit.end].strip() == text[unit.start : unit.end].strip()
            )
            is_spread = is_range and same
            is_between = between == "and" and "between" in text[max(0, first.start - 12) : first.start].lower()
            if not (is_spread or (is_between and next_unit is not None)):
                break
        elif (first.is_word != following.is_word) if is_range else not _leads_to_unit(text, following):
            break
        numbers.append(following)
        unit = next_unit
    return numbers, unit


def _leads_to_unit(text: str, number: _Number) -> bool:
    """Whether a unit stands behind `number`, or behind the last number of the list that it continues."""
    for _ in range(_MAX_LIST):
        if _unit_at(text, number.end) is not None:
            return True
        joint = _BETWEEN.match(text, number.end)
        following = _next_number(text, joint.end(), _NEXT_WINDOW) if joint else None
        if joint is None or following is None or following.start != joint.end():
            return False
        number = following
    return False


def _unit_at(text: str, position: int) -> Span | None:
    """The unit that stands right behind a number which ends at `position`."""
    start = position
    if text[start : start + 1] in ("-", "‐", "‑", " ", "\u00a0", "\u2009", "\u202f"):
        start += 1
        if text[start : start + 1] == " ":
            start += 1
    end = _atom_end(text, start, spaced=start > position)
    if end is None:
        return None
    while (joint := _UNIT_JOIN.match(text, end)) is not None:
        is_blank = not joint.group().strip()
        following = _atom_end(text, joint.end(), spaced=True, divided=not is_blank)
        # Behind a blank only a symbol with an exponent belongs to the unit: `m s−1`, but not `5 m a`.
        if following is None or (is_blank and not _has_exponent(text, joint.end(), following)):
            break
        end = following
    return Span(start, end)


def _has_exponent(text: str, start: int, end: int) -> bool:
    return any(character in "−-–⁻" for character in text[start:end])


def _atom_end(text: str, start: int, *, spaced: bool, divided: bool = False) -> int | None:
    """Where one factor of a unit that begins at `start` ends."""
    word = _UNIT_WORD.match(text, start)
    if word is not None and (spaced or divided):
        return word.end()
    symbol = _SYMBOLS_PATTERN.match(text, start)
    while symbol is not None:
        end = symbol.end()
        exponent = _EXPONENT.match(text, end)
        if exponent is not None and text[end - 1].isalpha() and _UNIT_END.match(text, exponent.end()):
            return exponent.end()
        if not text[end - 1].isalnum() or _UNIT_END.match(text, end):
            return None if symbol.group() in _LETTERS and not (spaced and symbol.group() not in _LABELS) else end
        symbol = _shorter(text, start, end - start)
    return None


def _shorter(text: str, start: int, length: int) -> re.Match[str] | None:
    return _SYMBOLS_PATTERN.match(text, start, start + length - 1) if length > 1 else None


def _sign_start(text: str, start: int) -> int:
    sign, before = text[start - 1 : start], text[start - 2 : start - 1]
    return start - 1 if sign and sign in _SIGNS and not (before.isalnum() or before in (")", "]")) else start


def _lead_start(text: str, start: int) -> int:
    for _ in range(2):
        window = text[max(0, start - _LEAD_WINDOW) : start]
        lead = _LEAD.search(window)
        if lead is None:
            break
        start -= len(window) - lead.start()
    return start


def _counted(text: str, end: int) -> str:
    """The noun that a bare number counts, with at most two words before it; empty where none follows."""
    match = _NOUN.match(text, end)
    if match is None:
        return ""
    words = match.group().split()
    return "" if any(word.lower() in _NOT_COUNTED for word in words) else " ".join(words)


def is_quantity(text: str, first: _Number, last: _Number, unit: Span | None) -> bool:
    """Whether numbers are a quantity, and no mark, label, year or part of a name."""
    before, after = text[max(0, first.start - 80) : first.start], text[last.end : last.end + 24]
    digits = text[first.start : first.end]
    if _ID.search(before[-_LABEL_WINDOW:]):
        return False
    if unit is not None:
        unit_words = text[unit.start : unit.end].strip()
        return len(unit_words) > 1 or unit_words in "%°‰" or not _LABEL.search(before[-_LABEL_WINDOW:])
    if _JOINED.search(before[-2:]):
        return False
    if after[:1].isalpha() or (after[:1] in "-‐‑" and after[1:2].isalpha()):
        return False
    if first.is_word:
        return first.value != 1 and bool(_NOUN.match(text, last.end))
    if (
        _LABEL.search(_SERIES.sub("", before[-_LABEL_WINDOW:]))
        or _MONTH_BEFORE.search(before[-12:])
        or _MONTH_AFTER.match(after)
    ):
        return False
    if _YEAR.match(digits) and first is last:
        return False
    return not _is_in_mark(text, first.start, last.end)


def _is_in_mark(text: str, start: int, end: int) -> bool:
    """Whether the place is in brackets that hold a reference: `[12]`, `(Smith, 1999)`, `(3)`."""
    left = max(text.rfind("[", max(0, start - 60), start), text.rfind("(", max(0, start - 80), start))
    if left < 0:
        return False
    closing = "]" if text[left] == "[" else ")"
    right = text.find(closing, end, end + 60)
    if right < 0 or closing in text[left:start]:
        return False
    inner = text[left + 1 : right]
    if closing == "]":
        return not re.search(r"[A-Za-z=]", inner)
    return bool(re.fullmatch(r"[\d\s,–-]+", inner)) or bool(re.search(r"\bet al\b|\b(?:19|20)\d\d[a-z]?\b", inner))
