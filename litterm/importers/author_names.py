"""Reads names of people and groups from text: one name, or a line of several."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, Literal, NamedTuple

from litterm.model.paper import Author
from litterm.text.clean import prose

_PARTICLES: Final = frozenset(
    """'n 's 't aan af al am an ap auf aus ben bin bint d' da dal dall' dalla das de degli dei del dell' della delle
    dello den der des di do dos du el het ibn im in la las le li lo los op sen ten ter te thoe to tot und unter van vom
    von vor zu zum zur ver vande vander""".split()
)
"""Lower-case words that belong to the family name behind them."""
_CONNECTOR: Final = "y"
"""Joins two family names: `Ramón y Cajal`."""
_SUFFIX: Final = re.compile(r"(?:[Jj][Rr]|[Ss][Rr]|JNR|Jnr|SNR|Snr|III?|IV|VI{1,3}|IX|2nd|3rd|[4-9]th)\.?")
_SUFFIX_BEHIND_COMMA: Final = re.compile(r"V\.?|fils|père|J[uú]nior|Senior|Filho|Neto|Sobrinho|the (?:Elder|Younger)")
"""Without a comma these are an initial, or part of the family name."""
_DEGREE: Final = re.compile(
    r"""(?:Ph\.?\s?D|D\.?\s?Phil|M\.?\s?Sc|B\.?\s?Sc|D\.?\s?Sc|MPH|MBA|Pharm\.?D|Ed\.?D
    |Dr\.?\s?med|FRCP|FRCS|FACS|FACP|FRS|FAAN|Dipl\.-Ing|Esq|MBBS|DVM|DDS|habil)\.?""",
    re.VERBOSE,
)
_DOTTED_DEGREE: Final = re.compile(r"(?:M\.D|M\.A|B\.A|R\.N|J\.D|M\.P\.H|M\.B\.A|D\.D\.S)\.?")
_SHORT_DEGREE: Final = re.compile(rf"MD|MA|BA|RN|JD|MS|BS|DO|LLM|CPA|PE|{_DOTTED_DEGREE.pattern}")
"""Degrees that might be initials: they count as degrees behind a name of two words or more."""
_BY: Final = re.compile(r"by:?\s+(?=\S+\s)", re.IGNORECASE)
_HONORIFIC: Final = re.compile(r"(?:(?:Prof|Dr|Mr|Mrs|Ms|Sir|Dame|PD|Rev)\.?\s+|(?:Prof|Dr)\.\s*)+(?=\S)")
_GROUP_WORDS: Final = frozenset(
    """group groups consortium consortia collaboration collaborative team committee investigators organization
    organisation institute university ministry foundation association corporation inc inc. ltd ltd. llc gmbh initiative
    federation department societies workshop taskforce""".split()
)
_WEAK_GROUP_WORDS: Final = frozenset(
    """network society council commission agency center centre centers centres union board project alliance laboratory
    laboratories office bureau authority program programme task force panel study trial trialists contributors
    researchers members school college academy hospital company""".split()
)
"""Words of a group's name that are family names, too: they count in names of three words or behind `The`."""
_COMPANY: Final = re.compile(r"(?:inc|ltd|llc|gmbh|corp|co|plc|ag)\.?", re.IGNORECASE)
_AFFILIATION: Final = re.compile(
    r"\b(?:univ|inst|dept|department|school|college|hospital|cent(?:er|re)|laborator|faculty|academy|clinic|gmbh)",
    re.IGNORECASE,
)
_MORE: Final = (
    r"(?:(?:\b(?:and|und|et|y|e)|&)\s+)?"
    r"(?:\[?\bet\.?\s?al(?:ii|iae)?\b\.?\]?|\bet\s+coll\b\.?|\bu\.\s?a\.|\bи\s+др\.?)"
    r"|(?:\b(?:and|und)|&)\s+(?:\d+\s+)?(?:others|colleagues|al\.?|andere|coworkers|co-workers)\b\.?"
    r"|\bet\s+autres\b|\by\s+otros\b|\be\s+outros\b|(?<=[\u3040-\u30ff\u3400-\u9fff\s,，、])(?:等|ほか|他)"
)
_MORE_AT_END: Final = re.compile(rf"(?:{_MORE})[\s.,;]*$", re.IGNORECASE)
_ELLIPSIS: Final = re.compile(r"…|\.\s?\.\s?\.")
_MORE_ALONE: Final = re.compile(rf"\W*(?:{_MORE}|others)\W*", re.IGNORECASE)
_LOWER_MORE: Final = frozenset(("et", "al", "al.", "al., et", "al, et"))
_SUPERSCRIPT: Final = re.compile(
    r"<sup>.{0,80}?</sup>|\$\s?\^[^$]{0,60}\$|\\textsuperscript\s?\{[^{}]{0,60}\}", re.IGNORECASE
)
_MARKS: Final = re.compile("[*†‡§¶‖#⁎∗✉]+|[⁰¹²³⁴⁵⁶⁷⁸⁹⁺ᵃᵇᶜᵈᵉᶠ](?:,?[⁰¹²³⁴⁵⁶⁷⁸⁹⁺ᵃᵇᶜᵈᵉᶠ])*")
_NUMBER_MARKS: Final = re.compile(r"(?<=[^\W\d_]|\.)\s?\d{1,2}(?:\s?,\s?\d{1,2})*(?=\s*(?:[,;&，、*]|and\b|$))")
_ADDRESS: Final = re.compile(
    r"<?[^\s<>,;()]{1,80}@[^\s<>,;()]{1,80}>?|https?://\S{1,200}|\b\d{4}-\d{4}-\d{4}-\d{3}[\dX]\b"
)
_BRACKET: Final = re.compile(
    r"\s?(?:\(((?:[^()]|\([^()]{0,300}\)){0,300})\)|\[([^\[\]]{0,300})\]|（([^（）]{0,300})）)(?=\s?(?:[,;&，、；]|and\b|$))"
)
_NOT_PLAIN: Final = re.compile(r"[^\w\s.,;&'’-]|[\d_⁰¹²³⁴⁵⁶⁷⁸⁹]")
_SEPARATOR: Final = re.compile(r"[;；、|]|\s[•·]\s|(?<=[\u4e00-\u9fff])・(?=[\u4e00-\u9fff])")
_AND: Final = re.compile(r"\s?[,，]?(?:\s(?:and|und|et|和|与|與|及|및)\s|\s?[&＆]\s?)|^(?:and|&)\s", re.IGNORECASE)
_JOINT: Final = re.compile(r"\w\s+(?:and|&)\s+\w")
_COMMA: Final = re.compile(r"\s?[,，]\s?")
_LINE_BREAK: Final = re.compile(r"\n\s*")
_CJK: Final = "\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7a3々"
_CJK_WORD: Final = re.compile(f"[{_CJK}]+")
_LONG_CJK_FAMILIES: Final = frozenset(
    "欧阳 歐陽 司马 司馬 诸葛 諸葛 上官 东方 皇甫 尉迟 公孙 慕容 令狐 남궁 황보 선우 제갈 독고".split()
)
_CHINESE_FAMILIES: Final = frozenset(
    "王李张張刘劉陈陳杨楊赵趙黄黃周吴吳徐孙孫胡朱高林何郭马馬罗羅梁宋郑鄭谢謝韩韓唐冯馮于董"
    "萧蕭程曹袁邓鄧许許傅沈曾彭吕呂苏蘇卢盧蒋蔣蔡贾賈丁魏薛叶葉阎余潘杜戴夏钟鍾汪田任姜范方"
    "石姚谭譚廖邹熊金陆陸郝孔白崔康毛邱秦江史顾顧侯邵孟龙龍万萬段雷钱錢汤湯尹黎易常武乔喬贺赖龚文"
)
_SHORT_FAMILIES: Final = frozenset(
    "AN BO CHI DO DU FU GU HE HO HU JI KO LE LI LO LU LY MA NG OH QI RU SO SU VO VU WU XI XU YE YI YU ZU ZI".split()
)
"""Family names that look like initials where they are printed in capitals."""


Initials = Literal["first", "likely", "last"]
"""Where a list has its initials: in `Doe J` they are `last`; `likely` where that can be nothing else."""


def is_known_particle(word: str) -> bool:
    """Whether the lower-case word belongs to the family name behind it."""
    # With a capital particles are mostly names themselves.
    return word in _PARTICLES


class PersonList(NamedTuple):
    """The people of a list."""

    authors: tuple[Author, ...]
    has_more: bool = False
    """Whether the list says that it is cut: `et al.`, `and others`."""


def author_from_name(name: str) -> Author | None:
    """One name as printed, in either order; `None` if nothing is left of it."""
    text, _ = cut_mark_of_more(tidy_names(prose(_SUPERSCRIPT.sub("", name))))
    return author_from_text(text) if text and not is_mark_of_more(text) else None


def people_from_line(line: str) -> PersonList:
    """All people of one line, whatever separates them: semicolons, commas, `and`."""
    raw = _SUPERSCRIPT.sub("", line).strip()
    if "\n" in raw:
        raw = _LINE_BREAK.sub(lambda match: " " if _is_unfinished(raw[: match.start()]) else ";", raw)
    return people_from_text(tidy_names(prose(raw)))


def people_from_names(names: Sequence[str]) -> PersonList:
    """The people of a list with a name an entry; some sources join two people with “and”."""
    authors: list[Author] = []
    has_more = False
    texts = [tidy_names(prose(_SUPERSCRIPT.sub("", name))).strip(" ,;") for name in names]
    is_reversed = are_initials_last(texts)
    for text in texts:
        if not text or is_mark_of_more(text):
            has_more |= bool(text)
            continue
        text, is_cut = cut_mark_of_more(text)
        has_more |= is_cut
        if ";" in text or _is_joint(text) or any(map(is_group_name, text.split(",")[1:])):
            people = people_from_text(text)
            authors += people.authors
            has_more |= people.has_more
        elif text:
            authors.append(author_from_text(text, "last" if is_reversed else "likely"))
    return PersonList(tuple(authors), has_more)


def people_from_text(text: str) -> PersonList:
    """As `people_from_line`, for a line that holds no markup."""
    text, has_more = cut_mark_of_more(_BY.sub("", text, count=1) if text[:2] in ("by", "By", "BY") else text)
    if _ELLIPSIS.search(text):
        text, has_more = _ELLIPSIS.sub(", ", text).strip(" ,"), True
    authors: list[Author] = []
    pieces = [piece for piece in _SEPARATOR.split(text) if piece.strip(" ,")]
    if len(pieces) > 1:
        names = [name for piece in pieces for name in _split_joint(piece)]
        is_reversed = are_initials_last(names)
        for name in names:
            if is_mark_of_more(name):
                has_more = True
            else:
                authors += _piece(name, "last" if is_reversed else "likely")
    else:
        for piece in pieces:
            authors += _comma_list(piece)
    kept = [author for author in authors if not is_mark_of_more(author.surname)]
    return PersonList(tuple(kept), has_more or len(kept) < len(authors))


def is_mark_of_more(text: str) -> bool:
    """Whether it is no name, but `et al.` or `others`."""
    return text in _LOWER_MORE or (len(text) < 24 and _MORE_ALONE.fullmatch(text) is not None)


def cut_mark_of_more(text: str) -> tuple[str, bool]:
    """A list without the `et al.` at its end, and whether there was one."""
    cut = _MORE_AT_END.sub("", text)
    return cut.strip(" ,;，、"), len(cut) < len(text)


def tidy_names(text: str) -> str:
    """Names without affiliations in brackets, marks that lead to them, and addresses."""
    if not _NOT_PLAIN.search(text):
        return text
    text = _ADDRESS.sub("", text)
    # Twice: brackets may follow one another.
    for _ in range(2):
        text = _BRACKET.sub(lambda match: match.group() if _is_acronym(match) else "", text)
    text = _NUMBER_MARKS.sub("", _MARKS.sub("", text))
    return " ".join(text.split()).replace(" ,", ",").replace(" ;", ";")


def author_from_text(
    text: str, initials: Initials = "likely", is_particle: Callable[[str], bool] = is_known_particle
) -> Author:
    """One name without markup; `is_particle` says which words begin the family name."""
    text = _HONORIFIC.sub("", text.strip(" ,;"), count=1) or text
    if is_group_name(text) or _JOINT.search(text):
        return Author(text, is_literal=True)
    parts = [part for part in _COMMA.split(text) if part]
    if len(parts) > 1:
        return _author_from_parts(parts, is_particle, initials)
    return _author_in_order((parts or [text])[0].split(), is_particle, initials)


def is_group_name(text: str) -> bool:
    """Whether the name has words that only groups, institutions and companies bear."""
    words = text.casefold().split()
    if len(words) < 2:
        return False
    first, comma, rest = text.partition(",")
    if comma:
        return _COMPANY.fullmatch(rest.strip()) is not None or is_group_name(first)
    bare = {word.strip(".") for word in words}
    if bare & _GROUP_WORDS:
        return True
    return (len(words) > 2 or words[0] == "the") and bool(bare & _WEAK_GROUP_WORDS or "for" in bare)


def is_suffix(text: str) -> bool:
    """Whether it stands behind a name, as `Jr.` and `III` do."""
    return _SUFFIX.fullmatch(text) is not None


def is_suffix_in_commas(text: str) -> bool:
    """Whether it is a suffix where commas set it off, as BibTeX wants it."""
    return is_suffix(text) or _SUFFIX_BEHIND_COMMA.fullmatch(text) is not None


def is_initials(text: str, max_letters: int = 4) -> bool:
    """Whether it is initials only: `J`, `EA`, `E. A.`, `J.-P.`, `Yu.A.`."""
    if is_suffix(text):
        return False
    pieces = [piece for piece in re.split(r"[.\s-]+", text) if piece]
    if not pieces or sum(map(len, pieces)) > max_letters + text.count("."):
        return False
    if "." in text:
        return all(len(piece) <= 2 and piece[0].isupper() and piece.isalpha() for piece in pieces)
    return all(piece.isalpha() and piece.isupper() and len(piece) <= 4 for piece in pieces)


def are_initials_last(names: Iterable[str]) -> bool:
    """Whether a list writes its people as `Doe J`: every name that is no group's ends with initials."""
    people = [name.split() for name in names if not is_group_name(name)]
    if not any(_family_size(words, "likely") for words in people):
        return False
    return all(_family_size(words, "last") for words in people)


def split_suffix(family: str) -> tuple[str, str]:
    """`King Jr.` as `King` and `Jr.`; without a suffix as it is."""
    words = family.split()
    if len(words) > 1 and is_suffix(words[-1]):
        return " ".join(words[:-1]).rstrip(","), words[-1]
    return family, ""


def split_particle(words: Sequence[str], is_particle: Callable[[str], bool]) -> tuple[str, str]:
    """The particle at the beginning of a family name, and the rest, which always has a word."""
    size = 0
    while size < len(words) - 1 and is_particle(words[size]):
        size += 1
    return " ".join(words[:size]), " ".join(words[size:])


def _author_in_order(words: list[str], is_particle: Callable[[str], bool], initials: Initials) -> Author:
    words, suffix = _without_suffix(_without_degrees(words))
    if len(words) > 1 and all(map(_CJK_WORD.fullmatch, words)):
        # Written apart or not, the family name comes first.
        return Author(words[0], " ".join(words[1:]), suffix=suffix)
    if size := _family_size(words, initials):
        prefix, family = split_particle(words[:size], is_particle)
        return Author(family, " ".join(words[size:]), prefix, suffix)
    first = _family_start(words, is_particle)
    prefix, family = split_particle(words[first:], is_particle)
    return Author(family, " ".join(words[:first]), prefix, suffix)


def _family_start(words: Sequence[str], is_particle: Callable[[str], bool]) -> int:
    """Where the family name begins: at the first particle, before a connector, or else at the last word."""
    last = len(words) - 1
    for place, word in enumerate(words[:last]):
        if word == _CONNECTOR and place > 1:
            return place - 1
        if word != _CONNECTOR and is_particle(word):
            return place
    return max(last, 0)


def _author_from_parts(parts: Sequence[str], is_particle: Callable[[str], bool], initials: Initials) -> Author:
    """A name with commas: `Family, Given`, `Family, Suffix, Given`, `Family, Given, Suffix`, `Given Family, Suffix`."""
    family, suffix = parts[0], ""
    others: list[str] = []
    for part in parts[1:]:
        if not suffix and (is_suffix(part) or (len(parts) > 2 and _SUFFIX_BEHIND_COMMA.fullmatch(part))):
            suffix = part
        elif is_degree(part, is_behind_name=bool(others) or " " in family) or (others and _AFFILIATION.search(part)):
            continue
        else:
            others.append(part)
    if not others:
        author = _author_in_order(family.split(), is_particle, initials)
        return Author(author.family, author.given, author.prefix, suffix or author.suffix)
    given_words = _without_degrees(" ".join(others).split())
    if not suffix:
        family, suffix = split_suffix(family)
    if not suffix:
        given_words, suffix = _without_suffix(given_words, min_words=2)
    prefix, family = split_particle(family.split(), is_particle)
    return Author(family, " ".join(given_words), prefix, suffix)


def _without_suffix(words: list[str], min_words: int = 3) -> tuple[list[str], str]:
    if len(words) >= min_words and is_suffix(words[-1]):
        return words[:-1], words[-1]
    # Two words are enough where the second cannot be a name.
    if len(words) == 2 and re.fullmatch(r"[JS]r\.?|3rd|2nd", words[1]):
        return words[:1], words[1]
    return words, ""


def _without_degrees(words: list[str]) -> list[str]:
    while len(words) > 1 and (
        _DEGREE.fullmatch(words[-1])
        or _DOTTED_DEGREE.fullmatch(words[-1])
        or (len(words) > 2 and words[-1] == "MD" and not is_initials(words[-2]) and not words[-2].isupper())
    ):
        words = words[:-1]
    return words


def is_degree(part: str, *, is_behind_name: bool) -> bool:
    """Whether it is an academic degree; behind a family name alone `MD` or `M.D.` might be initials."""
    pieces = re.split(r"[\s/]+", part)
    if _DEGREE.fullmatch(part) or all(map(_DEGREE.fullmatch, pieces)):
        return True
    return is_behind_name and all(_DEGREE.fullmatch(piece) or _SHORT_DEGREE.fullmatch(piece) for piece in pieces)


def _family_size(words: Sequence[str], initials: Initials) -> int:
    """How many words come before the initials at the end of `Doe J`; 0 if it is no such name."""
    if initials == "first":
        return 0
    if len(words) > 2 and is_suffix(words[-1]):
        words = words[:-1]
    size = len(words)
    while size > 1 and is_initials(words[size - 1]):
        size -= 1
    head, tail = words[:size], words[size:]
    # `J R` and `E. A. P` are initials throughout.
    if not tail or "." in head[-1] or len(head[-1]) < 2 or is_initials(head[0], 1):
        return 0
    if initials == "last" or any("." in word or len(word) == 1 for word in tail):
        return size
    # `Hao LI`, `LI HE` and `JANE DOE` have no initials.
    is_name = tail[0] in _SHORT_FAMILIES or len(tail[0]) > 2 or (head[-1].isupper() and len(head[-1]) < 4)
    return 0 if is_name else size


def _is_acronym(match: re.Match[str]) -> bool:
    """Whether brackets hold the initials of the name before them: `World Health Organization (WHO)`."""
    inner = next(filter(None, match.groups()), "")
    letters = "".join(word[0] for word in re.split(r"[\s-]+", match.string[: match.start()]) if word)
    return len(inner) > 1 and inner.isupper() and inner.casefold() in letters.casefold()


def _is_unfinished(text: str) -> bool:
    return text.rstrip().endswith((",", ";", "&", " and"))


def _is_joint(text: str) -> bool:
    """Whether an entry of a list names two people: each has more than one word, and it is no group's name."""
    pieces = _split_joint(text)
    return len(pieces) > 1 and all(len(piece.split()) > 1 for piece in pieces)


def _split_joint(text: str) -> list[str]:
    """Cut at every `and` that is not part of a group's name."""
    pieces: list[str] = []
    for piece in _AND.split(text):
        before = pieces[-1].rsplit(",", 1)[-1] if pieces else ""
        # `Ministry of Health and Welfare`, but `Tern Group and Anna Berg`.
        if before and is_group_name(before) and before.split()[-1].casefold() not in _GROUP_WORDS:
            pieces[-1] += f" and {piece}"
        elif piece.strip(" ,"):
            pieces.append(piece.strip(" ,"))
    return pieces


def _piece(text: str, initials: Initials) -> Iterator[Author]:
    """A name between semicolons; behind its own commas may be where the person works."""
    parts = [part for part in _COMMA.split(text) if part]
    if len(parts) > 1 and " " in parts[0] and not is_group_name(text) and any(map(_AFFILIATION.search, parts[1:])):
        text = parts[0]
    if len(parts) > 1 and all(map(_is_cjk, parts)):
        yield from (author_from_text(name) for name in _cjk_names(parts))
    elif text:
        yield author_from_text(text, initials)


def _comma_list(line: str) -> Iterator[Author]:
    """People between commas and `and`; a comma may also stand inside a name."""
    words = line.split()
    if len(words) > 2 and all(_CJK_WORD.fullmatch(word) and 1 < len(word) < 5 for word in words):
        yield from map(Author, words)
        return
    if re.search(r"(?<![\w.])\w\w+ [^\W\d_]{1,3}\.$", line) and line.count(".") == 1 and "," in line:
        # The stop that ends the list, as in `Doe J, Roe R.`.
        line = line[:-1]
    segments = [_named_parts(segment) for segment in _split_joint(line)]
    segments = [segment for segment in segments if segment]
    everyone = [part for segment in segments for part in segment]
    # Where one stands alone, as the last of `Doe, Roe and Poe`, all are family names.
    are_families = len(segments) > 1 and any(len(segment) == 1 and " " not in segment[0] for segment in segments)
    is_reversed = are_initials_last(everyone)
    is_alone = len(segments) == 1
    for segment in segments:
        for name in _names_of(segment, is_alone=is_alone, are_families=are_families):
            yield author_from_text(name, "last" if is_reversed else "likely")


def _named_parts(segment: str) -> list[str]:
    """The parts between commas; suffixes stay with what they follow, degrees are left out."""
    parts: list[str] = []
    for part in _COMMA.split(segment):
        part = part.strip()
        if not part:
            continue
        if part.endswith(".") and not is_initials(part.split()[-1]) and not is_suffix(part) and part.count(".") == 1:
            part = part.rstrip(".") if not _COMPANY.fullmatch(part) else part
        if parts and _COMPANY.fullmatch(part):
            parts[-1] += f", {part}"
        elif parts and is_suffix(part):
            parts[-1] += f" {part}"
        elif not (parts and is_degree(part, is_behind_name=" " in parts[-1])):
            parts.append(part)
    return parts


def _names_of(parts: Sequence[str], *, is_alone: bool, are_families: bool) -> Iterator[str]:
    """The parts between commas put together to names, `Family, Given` where a name has a comma."""
    if len(parts) < 2:
        yield from parts
    elif all(map(_is_cjk, parts)):
        yield from _cjk_names(parts)
    elif any(is_initials(part) or _is_given_of_family(part) for part in parts[1:]) and not _is_capitals_only(parts):
        yield from _join_initials(parts)
    elif _are_pairs(parts, is_alone=is_alone) and not are_families:
        yield from (f"{family}, {given}" for family, given in zip(parts[::2], parts[1::2], strict=True))
    else:
        yield from parts


def _is_given_of_family(part: str) -> bool:
    """Whether it is initials and a suffix: the given part of `King, M. L. Jr.`."""
    words = part.split()
    return len(words) > 1 and is_suffix(words[-1]) and is_initials(" ".join(words[:-1]))


def _is_capitals_only(parts: Sequence[str]) -> bool:
    letters = [part for part in parts if len(part) > 1]
    return len(letters) == len(parts) and all(part.isupper() and "." not in part for part in parts)


def _join_initials(parts: Sequence[str]) -> Iterator[str]:
    place = 0
    while place < len(parts):
        following = parts[place + 1] if place + 1 < len(parts) else ""
        if following and (is_initials(following) or _is_given_of_family(following)) and not is_initials(parts[place]):
            yield f"{parts[place]}, {following}"
            place += 2
        else:
            yield parts[place]
            place += 1


def _are_pairs(parts: Sequence[str], *, is_alone: bool) -> bool:
    """Whether they are family and given names in turn, not a person each."""
    if len(parts) % 2:
        return False
    if all(_family_size(part.split(), "likely") for part in parts) or any(map(is_group_name, parts)):
        return False
    pairs = list(zip(parts[::2], parts[1::2], strict=True))
    if len(pairs) == 1 and is_alone:
        # `Ada One, Bob Two` are two people, `One, Ada` and `de la Cruz, Juan Carlos` are one.
        return any(" " not in part or part[0].islower() for part in parts)
    return all(" " not in family or family[0].islower() or " " not in given for family, given in pairs) and not all(
        " " in family and not family[0].islower() for family, _ in pairs
    )


def _is_cjk(part: str) -> bool:
    return _CJK_WORD.fullmatch(part) is not None


def _cjk_names(parts: Sequence[str]) -> Iterator[str]:
    """Whole names, or family and given names in turn where every second one can only be a family name."""
    can_be_pairs = len(parts) % 2 == 0 and all(
        len(family) == 1 or family in _LONG_CJK_FAMILIES for family in parts[::2]
    )
    if len(parts) == 2 and not can_be_pairs:
        # 山田, 太郎 is one person; 李华, 王明 are two.
        are_chinese = all(part[0] in _CHINESE_FAMILIES for part in parts)
        can_be_pairs = len(parts[0]) == 2 and len(parts[1]) < 3 and not are_chinese
    if can_be_pairs:
        yield from (f"{family}, {given}" for family, given in zip(parts[::2], parts[1::2], strict=True))
    else:
        yield from parts
