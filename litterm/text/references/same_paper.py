"""Rules for when two records are one paper: by ids, titles, authors and place of publication; nothing is looked up.

What is certain is merged; what is likely but not certain is kept apart, and listed for the user to decide.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final, Literal

from litterm.model.paper import Author, Paper
from litterm.text.references.identity import have_conflicting_ids, identity_key, is_generic, key_in, numerals, title_key
from litterm.text.references.retractions import title_without_mark
from litterm.text.references.titles import main_title
from litterm.text.tokens import fold, words

Relation = Literal["same", "version", "doubtful", "different"]
"""`version`: the same work under two ids of one scheme, or a submission and a later publication."""

_SUPPLEMENT_NOUNS: Final = "information|materials?|data|files?|appendix|methods|text|tables?|figures?"
_OWNER: Final = r"(?:(?:publisher|author|authors|editor|editors)(?:['’]s?|s['’])? )?"
_ACCOMPANYING: Final = (
    (
        "supplement",
        rf"(?:electronic |online |author )?supp(?:lement(?:ary|al|s)?|orting)(?: (?:{_SUPPLEMENT_NOUNS}))?"
        r"(?: (?:and|&) \w+)?(?= ?(?:to|for|of|on|:|[–—-]))",
    ),
    ("supplement", r"(?:data|datasets?|code|software) (?:from|for|to)(?= ?:)"),
    ("appendix", r"(?:online )?appendi(?:x|ces)(?= ?(?:to|for|of|:))"),
    ("erratum", rf"{_OWNER}(?:erratum|errata|corrigend(?:um|a)|addend(?:um|a)|corrections?)(?= ?(?:to|for|of|:|\W*$))"),
    (
        "retraction",
        r"(?:retraction|withdrawal|notice of retraction|expression of concern)(?: (?:notice|note|statement))?"
        r"(?= ?(?:to|for|of|on|:))",
    ),
    ("comment", r"(?:(?:invited|editorial) )?comment(?:s|ary|aries)?(?= ?(?:on|to|:))"),
    ("reply", rf"{_OWNER}(?:reply|response|rejoinder|rebuttal)(?= ?(?:to|:|from|of|by))"),
    ("discussion", r"discussion(?= ?(?:of|on|:))"),
    ("review", r"(?:book |peer |referee )?reviews?(?= ?(?:of|:))"),
    ("letter", rf"(?:letter|decision letter|{_OWNER}(?:note|evaluation))(?= ?(?:to|on|:|regarding))"),
)
_KINDS: Final = tuple((kind, re.compile(rf"[\s\[(“\"]*{pattern}", re.IGNORECASE)) for kind, pattern in _ACCOMPANYING)
_SUPPLEMENT_AT_END: Final = re.compile(
    r"[:.(\[–—-]\s*(?:(?:electronic |online )?supp(?:lementary|lemental|orting) (?:information|materials?|data|file)"
    r"|(?:online )?appendix|erratum|corrigendum|addendum)[\s.)\]]*$",
    re.IGNORECASE,
)
_MARKUP: Final = re.compile(r"</?[A-Za-z][^<>]{0,80}>|&lt;/?\w{1,10}&gt;|[${}\\]")
_TRANSLATED_FROM: Final = re.compile(
    r"[\[(](?:(?:article|paper|text) )?(?:in|translated from(?: the)?) [A-Z]\w{1,30}"
    r"(?: (?:and|or|&) [A-Z]\w{1,30}){0,3}[\])]\Z",
    re.IGNORECASE,
)
_GREEK: Final = str.maketrans(
    dict(
        zip(
            "αβγδεζηθικλμνξοπρστυφχψω",
            (
                "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau"
                " upsilon phi chi psi omega"
            ).split(),
            strict=True,
        )
    )
)
_MIN_TAIL_WORDS: Final = 3
"""A title without what is before its colon: `Deep Contextualized Representations` of `ELMo: Deep ...`."""
_MIN_CUT_CHARS: Final = 60
_MIN_SUBTITLE_WORDS: Final = 4
_ROMAN: Final = re.compile(r"[ivx]{1,4}")
_MIN_TYPO_CHARS: Final = 5
_MAX_TYPOS: Final = 2
_MIN_TITLE_WORDS: Final = 4
"""Words of a title that says so much that a year is not needed beside the same authors."""
_UMLAUT: Final = re.compile(r"([aou])e")
_LATIN: Final = re.compile(r"[A-Za-zÀ-ɏḀ-ỿ]")
_FIRST_PAGE: Final = re.compile(r"\s*([A-Za-z]?\d{1,6})\b")
_PREPRINT_VENUES: Final = frozenset(
    ("arxiv", "corr", "biorxiv", "medrxiv", "chemrxiv", "psyarxiv", "ssrn", "preprints")
)
_WHOLE_VOLUMES: Final = frozenset(("book", "proceedings"))
_PARTS_OF_VOLUMES: Final = frozenset(("chapter", "inproceedings", "article"))


def titles_agree(one: str, other: str) -> bool:
    """Whether two titles are one but for spelling, markup, a mark of retraction or translation, or a subtitle.

    Stricter than `same_title`, which compares titles as people remember them: no word may be another word.
    """
    if one == other:
        return True
    if accompanying_kind(one) != accompanying_kind(other):
        return False
    first, second = _bare(one), _bare(other)
    if numerals(first) == numerals(second) and (
        title_key(first) == title_key(second) or _differ_in_spelling(words(first), words(second))
    ):
        return True
    return _without_subtitle_agree(first, second)


def accompanying_kind(title: str) -> str:
    """What a text is that accompanies another one: `supplement`, `erratum`, `comment`, ...; empty for a work itself."""
    if _SUPPLEMENT_AT_END.search(title):
        return "supplement"
    return next((kind for kind, pattern in _KINDS if pattern.match(title)), "")


def same_first_author(one: Paper, other: Paper) -> bool:
    """Equal family name and, where both have one, equal first letter of the given name; both must be present."""
    if not one.authors or not other.authors:
        return False
    one_author, other_author = one.authors[0], other.authors[0]
    if _surname_keys(one_author).isdisjoint(_surname_keys(other_author)):
        return False
    return not (one_author.given and other_author.given) or fold(one_author.given)[:1] == fold(other_author.given)[:1]


def relation_by_id(one: Paper, other: Paper) -> Relation:
    """What two records with a common id are to each other.

    An id alone proves nothing: that of a book stands on its chapters, and others are copied to the wrong record.
    """
    agree = any(_describe_one_work(first, second) for first in _statements(one) for second in _statements(other))
    if not agree:
        return "different"
    return "version" if have_conflicting_ids(one, other) else "same"


def relation_by_title(one: Paper, other: Paper) -> Relation:
    """What two records without a common id, but with equal identity keys, are to each other."""
    if is_generic(one.title) or not (one.is_title_certain and other.is_title_certain):
        return "different"
    author = same_first_author(one, other)
    if have_conflicting_ids(one, other):
        return "version" if author else "different"
    if not author:
        return "doubtful"
    if one.year is None or other.year is None:
        return "same" if _is_print_of(one, other) or _is_print_of(other, one) else "doubtful"
    if abs(one.year - other.year) > 1 or are_published_apart(one, other):
        return "doubtful"
    return "version" if _is_resubmission(one, other) else "same"


def is_one_work(one: Paper, other: Paper) -> bool:
    """Whether two records are publications of one work, as import links them: one title, one lead author."""
    key = identity_key(one.title)
    return bool(key) and key == identity_key(other.title) and relation_by_title(one, other) in ("same", "version")


def are_published_apart(one: Paper, other: Paper) -> bool:
    """Whether two records with one title were published in two places: in another volume, issue or year.

    Editorials, annual reports and overviews of shared tasks have the title and authors of the year before.
    """
    first, second = one.imprint, other.imprint
    have_pages, same_pages = _compare(_first_page(first.pages), _first_page(second.pages))
    if first.article_number and second.article_number and not have_pages:
        have_pages, same_pages = _compare(first.article_number, second.article_number)
    have_volumes, same_volume = _compare(first.volume, second.volume)
    if one.type == other.type == "article" or (first.journal and second.journal):
        have_issues, same_issue = _compare(first.issue, second.issue)
        if have_volumes and have_pages and same_volume and same_pages:
            return False
        if (have_volumes and not same_volume) or (have_issues and not same_issue):
            return not (_is_preprint(one) or _is_preprint(other))
    if _is_preprint(one) or _is_preprint(other):
        return False
    if one.type == other.type and have_pages and not same_pages:
        return True
    if is_generic(one.title) and is_generic(other.title) and _have_other_venues(one, other):
        return True
    is_published_twice = bool(_publisher(one) and _publisher(other)) and one.year != other.year
    return is_published_twice and None not in (one.year, other.year) and not (have_pages and same_pages)


def _describe_one_work(one: Paper, other: Paper) -> bool:
    """Whether titles and authors of two records with a common id agree."""
    if not _share_author(one.authors, other.authors):
        return False
    # A title that was guessed from the name of a file cannot contradict.
    if not (one.is_title_certain and other.is_title_certain) or not (one.title and other.title):
        return True
    if {one.type, other.type} & _WHOLE_VOLUMES and {one.type, other.type} & _PARTS_OF_VOLUMES:
        return title_key(_bare(one.title)) == title_key(_bare(other.title))
    if titles_agree(one.title, other.title):
        return True
    # A title in another language, or one that was changed in print: same volume and page of the same journal.
    have_volumes, same_volume = _compare(one.imprint.volume, other.imprint.volume)
    have_pages, same_pages = _compare(_first_page(one.imprint.pages), _first_page(other.imprint.pages))
    is_one_kind = accompanying_kind(one.title) == accompanying_kind(other.title)
    return bool(is_one_kind and have_volumes and same_volume and have_pages and same_pages and one.authors)


def _statements(paper: Paper) -> Iterable[Paper]:
    """The record, and what each of its sources said of it: a preprint may have had another title."""
    yield paper
    for source in paper.sources:
        yield source.paper


def _share_author(one: Sequence[Author], other: Sequence[Author]) -> bool:
    """Whether a family name is common, or nothing can be said: authors missing, or in another script, on one side."""
    first, second = [*map(_surname_keys, one)], [*map(_surname_keys, other)]
    names, other_names = {key for keys in first for key in keys}, {key for keys in second for key in keys}
    if not names or not other_names or not names.isdisjoint(other_names):
        return True
    if _is_latin(names) != _is_latin(other_names):
        return True
    # Given and family name in the other order, as many sources have names that are written family name first.
    given = {title_key(author.given) for author in one}
    other_given = {title_key(author.given) for author in other}
    return not names.isdisjoint(other_given) and not other_names.isdisjoint(given)


def _surname_keys(author: Author) -> frozenset[str]:
    """The family name with and without its particle, folded; umlauts in either spelling (`Müller`, `Mueller`)."""
    keys = {title_key(author.surname), title_key(author.family)} - {""}
    return frozenset(keys | {_UMLAUT.sub(r"\1", key) for key in keys})


def _is_latin(names: Iterable[str]) -> bool:
    return any(_LATIN.search(name) for name in names)


def _is_print_of(file: Paper, record: Paper) -> bool:
    """Whether a file without a year, which its title page rarely states, is that of `record`: all authors agree."""
    if file.year is not None or file.provenance.format != "pdf" or len(words(file.title)) < _MIN_TITLE_WORDS:
        return False
    printed = [title_key(author.surname) for author in file.authors]
    return printed == [title_key(author.surname) for author in record.authors]


def _is_resubmission(one: Paper, other: Paper) -> bool:
    """A submission with a decision at one venue and a publication at another are two works to cite."""
    have_other_venues = set(one.venue_keys).isdisjoint(other.venue_keys)
    return bool(one.decision or other.decision) and bool(one.venue_keys and other.venue_keys) and have_other_venues


def _is_preprint(paper: Paper) -> bool:
    if paper.type == "preprint" or _PREPRINT_VENUES.intersection(paper.venue_keys):
        return True
    names = " ".join((paper.imprint.journal, paper.venue)).casefold()
    return any(server in names for server in _PREPRINT_VENUES) or bool(key_in(paper, "arxiv") and not _venue(paper))


def _venue(paper: Paper) -> str:
    return paper.imprint.journal or paper.imprint.booktitle or paper.venue


def _publisher(paper: Paper) -> str:
    """Who published it; of reports and whole volumes, which come out each year, whoever issued them."""
    is_whole = paper.type in ("report", *_WHOLE_VOLUMES)
    return _venue(paper) or (is_whole and (paper.imprint.institution or paper.imprint.publisher)) or ""


def _have_other_venues(one: Paper, other: Paper) -> bool:
    """Whether the venues of two records have other words, and neither is a short form of the other."""
    first, second = words(_venue(one)), words(_venue(other))
    if not first or not second or len(first) != len(second) or not {*one.venue_keys}.isdisjoint(other.venue_keys):
        return False
    pairs = zip(first, second, strict=True)
    return not all(short.startswith(long) or long.startswith(short) for short, long in pairs)


def _first_page(pages: str) -> str:
    match = _FIRST_PAGE.match(pages)
    return match[1].casefold() if match else ""


def _compare(one: str, other: str) -> tuple[bool, bool]:
    """Whether both are stated, and whether they are equal."""
    first, second = title_key(one).lstrip("0"), title_key(other).lstrip("0")
    return bool(first and second), first == second


def _bare(title: str) -> str:
    """The title without marks of retraction and translation, and without markup."""
    plain = _MARKUP.sub("", title_without_mark(title)).strip().rstrip(". ")
    plain = _TRANSLATED_FROM.sub("", plain).rstrip(". ")
    if plain.startswith("[") and plain.endswith("]"):
        # PubMed prints the translated title of a paper in another language so.
        plain = plain[1:-1].rstrip(". ")
    return plain.casefold().translate(_GREEK)


def _without_subtitle_agree(one: str, other: str) -> bool:
    """Whether one title is the other without its subtitle, or without the name before the colon."""
    shorter, longer = sorted((one, other), key=len)
    left_out = [word for word in words(longer) if word not in words(shorter)]
    # `Part II` of a work is not the work; a subtitle may state numbers among other words.
    left_out_count = len(words(longer)) - len(words(shorter))
    if any(_is_number(word) for word in left_out) and left_out_count < _MIN_SUBTITLE_WORDS:
        return False
    key = title_key(shorter)
    # Services and lists cut long titles, in the middle of a word, too.
    is_cut = len(key) >= _MIN_CUT_CHARS and title_key(longer).startswith(key)
    return is_cut or key in _parts(longer) - {""}


def _parts(title: str) -> set[str]:
    """Keys of a title without its subtitle, and of what follows a short name before a colon."""
    name, colon, rest = title.partition(":")
    parts = {title_key(main_title(title))}
    if colon and len(words(name)) < _MIN_TAIL_WORDS <= len(words(rest)) and not accompanying_kind(title):
        parts.add(title_key(rest))
    return parts


def _is_number(word: str) -> bool:
    return any(character.isdigit() for character in word) or _ROMAN.fullmatch(word) is not None


def _differ_in_spelling(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two titles have the same words but for one or two with one letter more, less or changed."""
    if len(one) != len(other):
        return False
    pairs = [(first, second) for first, second in zip(one, other, strict=True) if first != second]
    # `Owls, The`: catalogues put the article behind the title.
    if sorted(one) == sorted(other):
        return True
    return len(pairs) <= _MAX_TYPOS and len(pairs) < len(one) and all(_is_typo(*pair) for pair in pairs)


def _is_typo(one: str, other: str) -> bool:
    shorter, longer = sorted((one, other), key=len)
    # The first letter tells `effect` from `affect`; numbers have no typing errors.
    if len(shorter) < _MIN_TYPO_CHARS or len(longer) - len(shorter) > 1 or shorter[0] != longer[0]:
        return False
    if any(character.isdigit() for character in one + other):
        return False
    start = next((place for place, letter in enumerate(shorter) if letter != longer[place]), len(shorter))
    if len(shorter) == len(longer):
        return shorter[start + 1 :] == longer[start + 1 :] or (
            shorter[start : start + 2] == longer[start : start + 2][::-1]
            and shorter[start + 2 :] == longer[start + 2 :]
        )
    return shorter[start:] == longer[start + 1 :]
