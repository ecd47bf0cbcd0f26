"""What the formulas of citation keys make of a text: filters, and the folding of letters to ASCII."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from litterm.model.paper import Paper

SKIPPED_WORDS: Final = frozenset(
    "a ab about above across after against al along amid among an and anti around as at before behind below beneath "
    "beside besides between beyond but by d da das de dei del degli dell della delle dello dem den der des despite die "
    "do down during ein eine einem einen einer eines el en et except for from gli i il in inside into is l la las le "
    "les like lo los near nor of off on onto or over past per plus round save since so some sur than the through to "
    "toward towards un una unas under underneath une unlike uno unos until up upon versus via von while with within "
    "without yet zu zum".split()
)
"""Words that say little in a title; those of Better BibTeX."""
# Letters that NFKD does not take apart into a base letter and a mark.
LETTERS_TO_ASCII: Final = str.maketrans(
    {"ß": "ss", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "æ": "ae", "œ": "oe", "đ": "d", "ı": "i"}
)
_MORE_LETTERS_TO_ASCII: Final = str.maketrans(
    {"Æ": "AE", "Œ": "OE", "Đ": "D", "ð": "d", "Ð": "D", "þ": "th", "Þ": "Th", "ẞ": "SS", "‐": "-", "–": "-", "—": "-"}
)
_GERMAN_UMLAUTS: Final = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"})
_UNSAFE_CHARS: Final = re.compile(r"""["#%'(),={}~\\^;]+""")
_KIND_BY_ANNOTATION: Final[Mapping[str, tuple[type, ...]]] = {
    "int": (int,),
    "str": (str,),
    "bool": (bool,),
    "str | re.Pattern[str]": (str, re.Pattern),
}


class NextAlternative(Exception):
    """A condition of the formula does not hold for the paper: the next alternative is meant."""


@dataclass(frozen=True, slots=True)
class Function:
    """A function or filter of formulas, with the types of the values that it takes."""

    name: str
    run: Callable[..., str]
    parameters: Mapping[str, tuple[type, ...]]
    takes_more: bool = False
    """Whether the last value may be repeated."""

    @property
    def takes_numbers(self) -> bool:
        """Whether all its values are numbers."""
        return bool(self.parameters) and all(kinds == (int,) for kinds in self.parameters.values())


def describe(name: str, run: Callable[..., str], *, takes_more: bool = False) -> Function:
    """`run` under the `name` that formulas use; the types of its values are those of its parameters but the first."""
    kinds = {
        parameter: _KIND_BY_ANNOTATION[kind]
        for parameter, kind in list(run.__annotations__.items())[1:]
        if parameter != "return"
    }
    return Function(name, run, kinds, takes_more)


def fold(text: str, paper: Paper | None = None) -> str:
    """`text` with Latin letters as ASCII, in a German paper with `ae` for `ä`; letters of other scripts stay."""
    if paper is not None and paper.imprint.language.lower().startswith(("de", "ger")):
        text = text.translate(_GERMAN_UMLAUTS)
    decomposed = unicodedata.normalize("NFKD", text.translate(LETTERS_TO_ASCII).translate(_MORE_LETTERS_TO_ASCII))
    return unicodedata.normalize("NFC", "".join(char for char in decomposed if not unicodedata.combining(char)))


def clean(text: str, paper: Paper | None = None) -> str:
    """`text` in ASCII as by `fold`, without the characters that no key may have; blanks stay."""
    return _UNSAFE_CHARS.sub("", fold(text, paper)).strip()


def title_words(title: str, *, keep_punctuation: bool = False) -> list[str]:
    """The words of a title that say something, parts with hyphens as one."""
    words: Iterable[str] = re.sub(r'"', "", title).replace("/", " ").replace(":", " ").split()
    if not keep_punctuation:
        words = (_without_punctuation(word, "") for word in words)
    return [word for word in words if word and _says_something(word)]


def _says_something(word: str) -> bool:
    if word.lower() in SKIPPED_WORDS:
        return False
    # One letter says little; one character of Chinese is a word.
    return len(word) > 1 or word.isdigit() or unicodedata.category(word) == "Lo"


def _without_punctuation(text: str, dash: str) -> str:
    return "".join(_marks(text, dash))


def _marks(text: str, dash: str) -> Iterator[str]:
    for char in text:
        category = unicodedata.category(char)
        if category == "Pd":
            yield dash
        elif category not in ("Pe", "Pf", "Pi", "Po", "Ps"):
            yield char


def _clean(text: str) -> str:
    return clean(text)


def _lower(text: str) -> str:
    return text.lower()


def _upper(text: str) -> str:
    return text.upper()


def _capitalize(text: str) -> str:
    return re.sub(r"(^|\s)([a-z])", lambda match: match[1] + match[2].upper(), text)


def _condense(text: str, sep: str = "") -> str:
    return re.sub(r"\s+", lambda _: sep, text)


def _prefix(text: str, prefix: str) -> str:
    return f"{prefix}{text}" if text else text


def _postfix(text: str, postfix: str) -> str:
    return f"{text}{postfix}" if text else text


def _abbreviate(text: str, chars: int = 1) -> str:
    return "".join(word[:chars] for word in text.split())


def _skip_words(text: str, nopunct: bool = False) -> str:
    return " ".join(title_words(text, keep_punctuation=not nopunct))


def _select(text: str, start: int = 1, n: int = 0) -> str:
    words = text.split()
    first = len(words) + start if start < 0 else max(start, 1) - 1
    return " ".join(words[max(first, 0) : first + n if n > 0 else None])


def _substring(text: str, start: int = 1, n: int = 0) -> str:
    first = max(start, 1) - 1
    return text[first : first + n if n > 0 else None]


def _ascii(text: str) -> str:
    return " ".join("".join(char for char in text if " " <= char <= "~" or char.isspace()).split())


def _letters_and_digits(text: str) -> str:
    return "".join(char for char in text if unicodedata.category(char)[0] in "LN" or char.isspace())


def _no_punctuation(text: str, dash: str = "-") -> str:
    return _without_punctuation(text, dash)


def _no_punctuation_or_dash(text: str) -> str:
    return _without_punctuation(text, "")


def _transliterate(text: str, mode: str = "minimal") -> str:
    return fold(text.translate(_GERMAN_UMLAUTS) if mode in ("de", "german") else text)


def _numeric(text: str) -> str:
    return text if re.match(r"\s*[-+]?\d", text) else ""


def _discard(_text: str) -> str:
    return ""


def _default(text: str, other: str) -> str:
    return text or other


_COMPARISONS: Final[Mapping[str, Callable[[int, int], bool]]] = {
    "<": int.__lt__,
    "<=": int.__le__,
    "=": int.__eq__,
    "!=": int.__ne__,
    ">=": int.__ge__,
    ">": int.__gt__,
}


def _length(text: str, relation: str = ">", n: int = 0) -> str:
    compare = _COMPARISONS.get(relation)
    if compare is None or not compare(len("".join(text.split())), n):
        raise NextAlternative
    return text


def _match(text: str, pattern: str | re.Pattern[str], clean: bool = False) -> str:
    match = _pattern(pattern).search(fold(text) if clean else text)
    if match is None:
        raise NextAlternative
    return "".join(part or "" for part in match.groups()) if match.re.groups else text


def _replace(text: str, find: str | re.Pattern[str], replace: str) -> str:
    groups = re.compile(r"\$(\d)")
    return _pattern(find).sub(
        lambda match: groups.sub(lambda number: match[int(number[1])] or "", replace) if match.re.groups else replace,
        text,
    )


def _pattern(pattern: str | re.Pattern[str]) -> re.Pattern[str]:
    return re.compile(re.escape(pattern), re.IGNORECASE) if isinstance(pattern, str) else pattern


FILTERS: Final[Mapping[str, Function]] = {
    name.lower(): describe(name, run)
    for name, run in (
        ("abbr", _abbreviate),
        ("alphanum", _letters_and_digits),
        ("ascii", _ascii),
        ("capitalize", _capitalize),
        ("clean", _clean),
        ("condense", _condense),
        ("default", _default),
        ("discard", _discard),
        ("fold", _transliterate),
        ("len", _length),
        ("lower", _lower),
        ("match", _match),
        ("nopunct", _no_punctuation),
        ("nopunctordash", _no_punctuation_or_dash),
        ("numeric", _numeric),
        ("postfix", _postfix),
        ("prefix", _prefix),
        ("replace", _replace),
        ("select", _select),
        ("skipwords", _skip_words),
        ("substring", _substring),
        ("transliterate", _transliterate),
        ("upper", _upper),
    )
}
"""The filters, by their names in small letters."""
