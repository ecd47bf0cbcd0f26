"""Formulas of citation keys, in both syntaxes of Better BibTeX: `auth.lower + year` and `[auth:lower][year]`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from litterm.core.errors import BadInput
from litterm.render.bibliography.key_filters import FILTERS, Function, NextAlternative, fold
from litterm.render.bibliography.key_functions import LISTED_FUNCTIONS, PATTERN_ALIASES, find_function

if TYPE_CHECKING:
    from litterm.model.paper import Paper

Argument = int | str | bool | re.Pattern[str]
_UNSAFE_CHARS: Final = re.compile(r"""[\s"#%'(),={}~\\^;]+""")
"""What no key has, as in Better BibTeX, and what ends a key in BibTeX."""
_TOKEN: Final = re.compile(
    r"""\s*(?:(?P<name>[A-Za-z][A-Za-z0-9]*)|(?P<number>-?\d+)|(?P<regex>/(?:[^/\\]|\\.)+/[a-z]*)"""
    r"""|'(?P<single>(?:[^'\\]|\\.)*)'|"(?P<double>(?:[^"\\]|\\.)*)"|(?P<mark>\|\||[-+.,()|;=\[\]]))"""
)
_PATTERN_CHUNK: Final = re.compile(r"\[(?P<field>(?:[^\[\]\\]|\\.)*)\]|(?P<text>[^\[\]|]+)|(?P<next>\|)")
_PATTERN_FUNCTION: Final = re.compile(r"([A-Za-z.]+?)(?:(\d+)(?:_(\d+))?)?((?:\+[^+:]+)*)")
_MAX_FORMULA_CHARS: Final = 2_000
DEFAULT_POSTFIX: Final = "%(a)s"


@dataclass(frozen=True, slots=True)
class Step:
    """A filter with its arguments, applied to the text so far."""

    apply: Callable[..., str]
    arguments: tuple[Argument, ...] = ()
    named: tuple[tuple[str, Argument], ...] = ()
    reads_key: bool = False
    """Whether it is a function that is given the key so far in place of the paper."""

    def run(self, text: object) -> str:
        """The text behind the filter; `text` is the paper where this is a function.

        Raises:
            NextAlternative: the alternative does not hold for this paper.
        """
        return self.apply(text, *self.arguments, **dict(self.named))


@dataclass(frozen=True, slots=True)
class Chain:
    """A function, a text or a formula in brackets, with the filters behind it."""

    source: Step | str | tuple[tuple[Chain, ...], ...]
    filters: tuple[Step, ...] = ()

    def text(self, paper: Paper, so_far: str) -> str:
        """What it contributes to the key of `paper` behind the text `so_far`, with blanks between words."""
        if isinstance(self.source, tuple):
            text = next(_texts(self.source, paper), "")
        elif isinstance(self.source, str):
            text = self.source
        elif self.source.reads_key:
            self.source.run(so_far)
            text = ""
        else:
            text = self.source.run(paper)
        for step in self.filters:
            text = step.run(text)
        return text


@dataclass(frozen=True, slots=True)
class KeyFormula:
    """A formula that was read: the first alternative that gives a text for a paper is its key."""

    alternatives: tuple[tuple[Chain, ...], ...]
    postfix: str = DEFAULT_POSTFIX
    """What tells equal keys apart, with `%(a)s`, `%(A)s` or `%(n)s` for a letter or a number."""

    def key(self, paper: Paper) -> str:
        """The key of `paper`, in ASCII as far as its letters are Latin; empty where the formula gives nothing."""
        keys = (_UNSAFE_CHARS.sub("", fold(text, paper)) for text in _texts(self.alternatives, paper))
        return next((key for key in keys if key), "")


def _texts(alternatives: Sequence[Sequence[Chain]], paper: Paper) -> Iterator[str]:
    for chains in alternatives:
        text = ""
        try:
            for chain in chains:
                text += chain.text(paper, text)
        except NextAlternative:
            continue
        if text.strip():
            yield text


def parse_key_formula(text: str) -> KeyFormula:
    """Reads a formula in the present or the older syntax, which begins with a square bracket.

    Raises:
        BadInput: it cannot be read; the sentence names what is wrong, and what there is.
    """
    if len(text) > _MAX_FORMULA_CHARS:
        raise BadInput(f"The formula of citation keys has more than {_MAX_FORMULA_CHARS:,} characters; shorten it.")
    reader = _PatternReader(text) if text.lstrip().startswith("[") else _FormulaReader(text)
    alternatives = reader.read()
    if not any(alternatives):
        raise BadInput(f"The formula of citation keys is empty: {text!r}.")
    return KeyFormula(alternatives, reader.postfix)


def _function_step(name: str, arguments: Sequence[Argument], named: Mapping[str, Argument]) -> Step:
    if name.lower() == "len":
        return replace(_filter_step(name, arguments, named), reads_key=True)
    function = find_function(name)
    if function is None:
        raise BadInput(f"There is no “{name}” for citation keys; there are {_listed([*LISTED_FUNCTIONS, 'len'])}.")
    return _checked(name, function, arguments, named)


def _filter_step(name: str, arguments: Sequence[Argument], named: Mapping[str, Argument]) -> Step:
    known = FILTERS.get(name.lower().replace("-", ""))
    if known is None:
        names = (entry.name for entry in FILTERS.values())
        raise BadInput(f"There is no filter “{name}” for citation keys; there are {_listed(names)}.")
    return _checked(name, known, arguments, named)


def _checked(name: str, function: Function, arguments: Sequence[Argument], named: Mapping[str, Argument]) -> Step:
    """`function` with these arguments, if it takes them and they have the types of its parameters."""
    parameters = function.parameters
    if len(arguments) > len(parameters) and not function.takes_more:
        raise BadInput(f"“{name}” of the citation keys takes at most {len(parameters)} values.")
    types = list(parameters.values())
    given = [(types[min(index, len(types) - 1)], value) for index, value in enumerate(arguments)]
    for key, value in named.items():
        if key not in parameters:
            raise BadInput(f"“{name}” of the citation keys has no “{key}”; it has {_listed(parameters) or 'none'}.")
        given.append((parameters[key], value))
    for kinds, value in given:
        if type(value) not in kinds:
            raise BadInput(f"“{name}” of the citation keys cannot use {_shown(value)}.")
    return Step(function.run, tuple(arguments), tuple(named.items()))


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names, key=str.lower))


def _shown(value: Argument) -> str:
    return f"/{value.pattern}/" if isinstance(value, re.Pattern) else repr(value)


class _FormulaReader:
    """`auth.lower + shorttitle(3,3) + year | title`: functions, filters behind dots, texts in quotation marks."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._place = 0
        self.postfix = DEFAULT_POSTFIX

    def read(self) -> tuple[tuple[Chain, ...], ...]:
        alternatives = self._alternatives()
        if self._text[self._place :].strip():
            raise self._fault()
        return alternatives

    def _alternatives(self) -> tuple[tuple[Chain, ...], ...]:
        found = [self._sum()]
        while self._take("|", "||", ";"):
            if not self._text[self._place :].strip():
                break
            found.append(self._sum())
        return tuple(found)

    def _sum(self) -> tuple[Chain, ...]:
        chains = [self._chain()]
        while self._take("+"):
            chains.append(self._chain())
        return tuple(chain for chain in chains if chain.source != "" or chain.filters)

    def _chain(self) -> Chain:
        source: Step | str | tuple[tuple[Chain, ...], ...]
        if self._take("("):
            source = self._alternatives()
            self._require(")")
        elif (literal := self._literal()) is not None:
            source = literal
        else:
            source = self._function()
        filters = []
        while self._take("."):
            name = self._name()
            filters.append(_filter_step(name, *self._arguments()))
        return Chain(source, tuple(filters))

    def _function(self) -> Step | str:
        name = self._name()
        arguments, named = self._arguments()
        if name == "postfix":
            self.postfix = _postfix([*arguments, *named.values()])
            return ""
        return _function_step(name, arguments, named)

    def _arguments(self) -> tuple[list[Argument], dict[str, Argument]]:
        arguments: list[Argument] = []
        named: dict[str, Argument] = {}
        if not self._take("(") or self._take(")"):
            return arguments, named
        while True:
            match = re.compile(r"\s*([A-Za-z]\w*)\s*=\s*").match(self._text, self._place)
            if match:
                self._place = match.end()
                named[match[1]] = self._value()
            else:
                arguments.append(self._value())
            if self._take(")"):
                return arguments, named
            self._require(",")

    def _value(self) -> Argument:
        token = self._next("name", "number", "regex", "single", "double")
        text = token[token.lastgroup or 0]
        if token.lastgroup == "number":
            return int(text)
        if token.lastgroup == "regex":
            return _regex(text)
        if token.lastgroup == "name":
            return text == "true" if text in ("true", "false") else text
        return _unescaped(text)

    def _literal(self) -> str | None:
        token = _TOKEN.match(self._text, self._place)
        if token is None or token.lastgroup not in ("single", "double"):
            return None
        self._place = token.end()
        return _unescaped(token[token.lastgroup])

    def _name(self) -> str:
        return self._next("name")["name"]

    def _take(self, *marks: str) -> bool:
        token = _TOKEN.match(self._text, self._place)
        if token is None or token["mark"] not in marks:
            return False
        self._place = token.end()
        return True

    def _require(self, mark: str) -> None:
        if not self._take(mark):
            raise self._fault()

    def _next(self, *kinds: str) -> re.Match[str]:
        token = _TOKEN.match(self._text, self._place)
        if token is None or token.lastgroup not in kinds:
            raise self._fault()
        self._place = token.end()
        return token

    def _fault(self) -> BadInput:
        rest = self._text[self._place :].strip()
        where = f"at “{rest[:30]}”" if rest else "at its end"
        return BadInput(f"The formula of citation keys cannot be read {where}: {self._text}")


class _PatternReader:
    """`[auth:lower][year]|[title]`: functions and filters in brackets, texts between them."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.postfix = DEFAULT_POSTFIX

    def read(self) -> tuple[tuple[Chain, ...], ...]:
        alternatives: list[list[Chain]] = [[]]
        place = 0
        while place < len(self._text):
            chunk = _PATTERN_CHUNK.match(self._text, place)
            if chunk is None:
                raise BadInput(
                    f"The formula of citation keys cannot be read at “{self._text[place : place + 30]}”: {self._text}"
                )
            place = chunk.end()
            if chunk["next"]:
                alternatives.append([])
            elif chunk["text"] is not None:
                text = "".join(chunk["text"].split())
                alternatives[-1] += [Chain(text)] if text else []
            else:
                alternatives[-1] += self._field(chunk["field"])
        return tuple(tuple(chains) for chains in alternatives if chains)

    def _field(self, field: str) -> list[Chain]:
        name, *filters = re.split(r"(?<!\\):", field)
        if field in ("", "0"):
            self.postfix = "-%(n)s" if field else self.postfix
            return []
        if name.startswith("postfix"):
            self.postfix = _postfix([name.removeprefix("postfix").removeprefix("+1").lstrip("=,")])
            return []
        return [Chain(self._function(name), tuple(_pattern_filter(text) for text in filters))]

    def _function(self, name: str) -> Step:
        if name.startswith("="):
            return _function_step("type", [word.strip() for word in name[1:].split("/")], {})
        if name.startswith("language="):
            return _function_step("language", [word.strip() for word in name[9:].split("/")], {})
        if name.startswith(">"):
            return _function_step("len", [">", _pattern_number(name[1:])], {})
        match = _PATTERN_FUNCTION.fullmatch(name)
        if match is None:
            raise BadInput(f"The formula of citation keys cannot be read at “[{name}]”.")
        function = PATTERN_ALIASES.get(match[1], match[1].replace(".", ""))
        numbers = [int(number) for number in match.group(2, 3) if number]
        flags = match[4].split("+")[1:]
        named: dict[str, Argument] = {"initials": True} if "initials" in flags else {}
        separators = [flag for flag in flags if len(flag) == 1]
        named |= {"sep": separators[-1]} if separators else {}
        return _function_step(function, numbers, named)


def _pattern_filter(text: str) -> Step:
    if text.startswith("(") and text.endswith(")"):
        return _filter_step("default", [text[1:-1]], {})
    if match := re.fullmatch(r"(?:>|longer=)(\d+)", text):
        return Step(FILTERS["len"].run, (">", int(match[1])))
    name, *values = re.split(r"(?<!\\)[,=]", text)
    if name == "replace" and values[2:] == ["regex"]:
        return _filter_step(name, [_regex(f"/{values[0]}/g"), values[1]], {})
    arguments: list[Argument] = [re.sub(r"\\(.)", r"\1", value) for value in values]
    if FILTERS.get(name, FILTERS["lower"]).takes_numbers:
        arguments = [_pattern_number(str(value)) for value in arguments]
    return _filter_step(name, arguments, {})


def _pattern_number(text: str) -> int:
    if not re.fullmatch(r"-?\d+", text):
        raise BadInput(f"The formula of citation keys has “{text}” where a number belongs.")
    return int(text)


def _postfix(values: Sequence[Argument]) -> str:
    template = next((value for value in values if isinstance(value, str)), DEFAULT_POSTFIX)
    if len(re.findall(r"%\([aAn]\)s", template)) != 1 or "%" in re.sub(r"%\([aAn]\)s", "", template):
        raise BadInput(f"The postfix of citation keys needs one of %(a)s, %(A)s and %(n)s, which “{template}” has not.")
    return template


def _regex(text: str) -> re.Pattern[str]:
    pattern, _, flags = text[1:].rpartition("/")
    try:
        return re.compile(pattern, re.IGNORECASE if "i" in flags else 0)
    except re.error as error:
        raise BadInput(f"The citation keys have an expression that cannot be read: /{pattern}/ ({error}).") from error


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)
