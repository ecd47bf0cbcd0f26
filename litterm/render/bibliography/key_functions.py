"""What the formulas of citation keys take from a paper: authors, title, date, and fields as they are."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from litterm.render.bibliography.key_filters import Function, NextAlternative, clean, describe, fold, title_words
from litterm.text.escape import plain
from litterm.text.references.identity import key_in

if TYPE_CHECKING:
    from litterm.model.paper import Author, Paper, PaperType

_MONTHS: Final = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_ZOTERO_TYPES: Final[Mapping[str, PaperType]] = MappingProxyType(
    {
        "journalarticle": "article",
        "magazinearticle": "article",
        "newspaperarticle": "article",
        "conferencepaper": "inproceedings",
        "preprint": "preprint",
        "book": "book",
        "booksection": "chapter",
        "thesis": "thesis",
        "report": "report",
    }
)
"""What Zotero calls the types of items, in small letters."""
_LANGUAGES: Final[Mapping[str, str]] = MappingProxyType(
    {"german": "de", "spanish": "es", "chinese": "zh", "dutch": "nl", "polish": "pl", "portuguese": "pt"}
)
"""Codes of languages whose English names begin with other letters."""
_MANY_AUTHORS: Final = 4


def _people(paper: Paper, creator: str) -> Sequence[Author]:
    if creator == "editor":
        return paper.imprint.editors
    return paper.authors or (paper.imprint.editors if creator == "*" else ())


def _names(paper: Paper, creator: str, *, initials: bool) -> list[str]:
    """The family names of the authors, or where there are none of the editors, with `initials` behind them."""
    people = _people(paper, creator)
    names = [plain(person.surname or person.given) + (_initials(person) if initials else "") for person in people]
    return [name for name in names if name.strip()]


def _initials(person: Author) -> str:
    return "".join(char for char in fold(plain(person.given)) if char.isupper())


def _author(paper: Paper, n: int = 0, m: int = 1, creator: str = "*", initials: bool = False) -> str:
    people = [person for person in _people(paper, creator) if plain(person.surname or person.given).strip()]
    if not 0 < m <= len(people):
        return ""
    name = plain(people[m - 1].surname or people[m - 1].given)
    return name[: n or None] + (_initials(people[m - 1]) if initials else "")


def _authors(
    paper: Paper,
    n: int = 0,
    chars: int = 0,
    creator: str = "*",
    initials: bool = False,
    sep: str = " ",
    etal: str = "EtAl",
) -> str:
    names = [name[: chars or None] for name in _names(paper, creator, initials=initials)]
    return sep.join([*names[:n], etal] if 0 < n < len(names) else names)


def _first_initials(paper: Paper, creator: str = "*") -> str:
    people = _people(paper, creator)
    return _initials(people[0]) if people else ""


def _last_initials(paper: Paper, creator: str = "*") -> str:
    people = _people(paper, creator)
    return _initials(people[-1]) if people else ""


def _last_author(paper: Paper, creator: str = "*", initials: bool = False) -> str:
    return next(reversed(_names(paper, creator, initials=initials)), "")


def _alpha(paper: Paper, creator: str = "*", initials: bool = False, sep: str = " ") -> str:
    names = _names(paper, creator, initials=initials)
    if len(names) == 1:
        return names[0][:3]
    if len(names) <= _MANY_AUTHORS:
        return sep.join(name[:1] for name in names)
    return sep.join(name[:1] for name in names[:3]) + "+"


def _beginnings(paper: Paper, n: int = 0, creator: str = "*", initials: bool = False, sep: str = ".") -> str:
    return sep.join(name[: n or None] for name in _names(paper, creator, initials=initials))


def _first_and_initials(paper: Paper, creator: str = "*", initials: bool = False, sep: str = ".") -> str:
    names = _names(paper, creator, initials=initials)
    return sep.join([name[:5] for name in names[:1]] + [name[:1] for name in names[1:]])


def _two_and_others(paper: Paper, creator: str = "*", initials: bool = False, sep: str = ".") -> str:
    names = _names(paper, creator, initials=initials)
    return sep.join([*names[:2], "ea"] if len(names) > 2 else names)


def _with_others(word: str, default_sep: str) -> Callable[..., str]:
    """The only author, both of two, or the first with `word` for the others."""

    def run(paper: Paper, creator: str = "*", initials: bool = False, sep: str = default_sep) -> str:
        names = _names(paper, creator, initials=initials)
        return sep.join([*names[:1], word] if len(names) > 2 else names)

    return run


def _short(paper: Paper, creator: str = "*", initials: bool = False, sep: str = ".") -> str:
    names = _names(paper, creator, initials=initials)
    if len(names) <= 1:
        return "".join(names)
    return sep.join(name[:1] for name in names[:3]) + ("+" if len(names) > 3 else "")


def _of_editors(run: Callable[..., str]) -> Callable[..., str]:
    def run_for_editors(paper: Paper, *values: object, **named: object) -> str:
        return run(paper, *values, **{"creator": "editor", **named})

    run_for_editors.__annotations__ = run.__annotations__
    return run_for_editors


def _cleaned(run: Callable[..., str]) -> Callable[..., str]:
    """`run` with a text of safe letters, as functions whose names begin with a small letter give it."""

    def run_cleaned(paper: Paper, *values: object, **named: object) -> str:
        return clean(run(paper, *values, **named), paper)

    run_cleaned.__annotations__ = run.__annotations__
    return run_cleaned


def _title(paper: Paper) -> str:
    return " ".join(title_words(plain(paper.title)))


def _short_title(paper: Paper, n: int = 3, m: int = 0) -> str:
    words = title_words(plain(paper.title))[:n]
    if m > 0:
        words = [fold(word, paper) for word in words]
    return " ".join([*(word[:1].upper() + word[1:] for word in words[:m]), *words[max(m, 0) :]])


def _very_short_title(paper: Paper, n: int = 1, m: int = 0) -> str:
    return _short_title(paper, n, m)


def _year(paper: Paper) -> str:
    return str(paper.year or "")


def _short_year(paper: Paper) -> str:
    return _year(paper)[-2:]


def _month(paper: Paper) -> str:
    month = re.match(r"\d{4}-(\d\d)", paper.date)
    return _MONTHS[int(month[1]) - 1] if month and 1 <= int(month[1]) <= 12 else ""


def _date(paper: Paper, pattern: str = "%Y-%m-%d") -> str:
    year, month, day = [*(paper.date or _year(paper)).split("-"), "", ""][:3]
    parts = {"Y": year, "y": year[-2:], "m": month, "d": day}
    written, (before, *codes) = "", pattern.split("%")
    # What stands before a part that is not known is left out with it.
    for code in codes:
        is_bare = code.startswith("-")
        part = parts.get(code[is_bare : is_bare + 1], "")
        if not part:
            break
        written += before + (part.lstrip("0") if is_bare else part)
        before = code[is_bare + 1 :]
    return written


def _journal(paper: Paper, abbrev: str = "abbrev+auto") -> str:
    full = paper.imprint.journal or paper.imprint.booktitle or paper.venue
    return plain(full if abbrev in ("full", "off") else _abbreviation(paper) or full)


def _abbreviation(paper: Paper) -> str:
    """The short name of the venue, if it is shorter than its full one."""
    full = paper.imprint.journal or paper.imprint.booktitle
    return plain(paper.venue) if full and len(paper.venue) < len(full) else ""


def _first_page(paper: Paper) -> str:
    return re.split(r"[-\s,–]", plain(paper.imprint.pages))[0]


def _last_page(paper: Paper) -> str:
    return re.split(r"[-\s,–]", plain(paper.imprint.pages))[-1]


def _keyword(paper: Paper, n: int) -> str:
    words = sorted(paper.keywords)
    return plain(words[n]) if 0 <= n < len(words) else ""


def _type(paper: Paper, *allowed: str) -> str:
    if not allowed:
        return next((name for name, kind in _ZOTERO_TYPES.items() if kind == paper.type), paper.type)
    if not any(paper.type in (word.lower(), _ZOTERO_TYPES.get(word.lower())) for word in allowed):
        raise NextAlternative
    return ""


_type.__annotations__["allowed"] = "str"


def _language(paper: Paper, *allowed: str) -> str:
    language = paper.imprint.language.lower()[:2]
    if not language or not any(language == _LANGUAGES.get(word.lower(), word.lower()[:2]) for word in allowed):
        raise NextAlternative
    return ""


def _zotero(paper: Paper) -> str:
    """As Zotero's own export makes its keys: `vaswani_attention_2017`."""
    word = next(iter(title_words(plain(paper.title))), "").lower()
    author = re.sub(r"\s", "", _author(paper)).lower()
    return "_".join((author or "noauthor", word or "notitle", _year(paper) or "nodate"))


def _field(read: Callable[[Paper], str]) -> Callable[..., str]:
    def run(paper: Paper) -> str:
        return plain(read(paper))

    return run


_OF_PEOPLE: Final[Mapping[str, Callable[..., str]]] = {
    "": _author,
    "AuthEa": _two_and_others,
    "EtAl": _with_others("EtAl", " "),
    "Etal2": _with_others("etal", "."),
    "ForeIni": _first_initials,
    "Ini": _beginnings,
    "short": _short,
}
_OF_ALL_PEOPLE: Final[Mapping[str, Callable[..., str]]] = {
    "Ini": _first_and_initials,
    "Last": _last_author,
    "LastForeIni": _last_initials,
    "s": _authors,
    "sAlpha": _alpha,
    "sn": _authors,
}
_CLEANED: Final[Mapping[str, Callable[..., str]]] = {
    **{f"auth{ending}": run for ending, run in _OF_PEOPLE.items()},
    **{f"author{ending}": run for ending, run in _OF_ALL_PEOPLE.items()},
    **{f"edtr{ending}": _of_editors(run) for ending, run in _OF_PEOPLE.items()},
    **{f"editor{ending}": _of_editors(run) for ending, run in _OF_ALL_PEOPLE.items()},
}
"""Functions that have a capital first letter where their text is not to be cleaned."""
_FIELDS: Final[Mapping[str, Callable[[Paper], str]]] = {
    "Title": lambda paper: paper.title,
    "ShortTitle": lambda paper: paper.title.partition(":")[0],
    "PublicationTitle": lambda paper: paper.imprint.journal or paper.imprint.booktitle or paper.venue,
    "JournalAbbreviation": _abbreviation,
    "ProceedingsTitle": lambda paper: paper.imprint.booktitle,
    "BookTitle": lambda paper: paper.imprint.booktitle,
    "ConferenceName": lambda paper: paper.venue,
    "Volume": lambda paper: paper.imprint.volume,
    "Issue": lambda paper: paper.imprint.issue,
    "Pages": lambda paper: paper.imprint.pages,
    "Number": lambda paper: paper.imprint.article_number,
    "Publisher": lambda paper: paper.imprint.publisher,
    "Place": lambda paper: paper.imprint.address,
    "Series": lambda paper: paper.imprint.series,
    "Edition": lambda paper: paper.imprint.edition,
    "University": lambda paper: paper.imprint.institution,
    "Institution": lambda paper: paper.imprint.institution,
    "Language": lambda paper: paper.imprint.language,
    "Date": lambda paper: paper.date or _year(paper),
    "Url": lambda paper: next(iter(paper.urls), ""),
    "DOI": lambda paper: key_in(paper, "doi"),
    "PMID": lambda paper: key_in(paper, "pmid"),
    "PMCID": lambda paper: key_in(paper, "pmc"),
    "ArXiv": lambda paper: key_in(paper, "arxiv"),
    "ISBN": lambda paper: paper.imprint.isbn,
    "ISSN": lambda paper: paper.imprint.issn,
}
"""Fields by Zotero's names for them, and the ids of papers, as they are."""
_OTHERS: Final = (
    describe("title", _cleaned(_title)),
    describe("shorttitle", _cleaned(_short_title)),
    describe("veryshorttitle", _cleaned(_very_short_title)),
    describe("year", _year),
    describe("shortyear", _short_year),
    describe("month", _month),
    describe("date", _date),
    describe("journal", _cleaned(_journal)),
    describe("firstpage", _cleaned(_first_page)),
    describe("lastpage", _cleaned(_last_page)),
    describe("keyword", _cleaned(_keyword)),
    describe("type", _type, takes_more=True),
    describe("language", _language, takes_more=True),
    describe("zotero", _zotero),
)


def _folded_name(name: str) -> str:
    """The name with small letters behind the first, which tells `title` from `Title`."""
    return name[:1] + name[1:].lower()


def find_function(name: str) -> Function | None:
    """The function that a formula calls `name`: the case of its first letter counts, unless there is no other."""
    folded = _folded_name(name)
    return FUNCTIONS.get(folded) or FUNCTIONS.get(folded[:1].upper() + folded[1:])


FUNCTIONS: Final[Mapping[str, Function]] = {
    _folded_name(function.name): function
    for function in (
        *(describe(name, _cleaned(run)) for name, run in _CLEANED.items()),
        *(describe(name[:1].upper() + name[1:], run) for name, run in _CLEANED.items()),
        *(describe(name, _field(read)) for name, read in _FIELDS.items()),
        *_OTHERS,
    )
}
"""All functions by their folded names."""
LISTED_FUNCTIONS: Final = tuple(
    function.name
    for function in FUNCTIONS.values()
    if not function.name.startswith(("Auth", "Edtr", "Editor", "edtr", "editor"))
)
"""The names that an error lists: those of editors are like those of authors."""
PATTERN_ALIASES: Final[Mapping[str, str]] = {"auth.etal": "authEtal2", "edtr.etal": "edtrEtal2"}
"""Names of the older syntax that are others today."""
