"""Every regular expression of the package, and strings that make a bad one take the square of their length."""

from __future__ import annotations

import ast
import importlib
import re
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import litterm

PACKAGE = Path(litterm.__file__).parent
FUNCTIONS = frozenset("compile search match fullmatch sub subn split findall finditer".split())
UNITS = (
    " ", "\u00a0", "\n", "\r\n", "\t", "a", "A", "é", "文", "1", "0.", ".", ",", ";", ":", "-", "–", "_", "/", "\\",
    "'", '"',
    "(", ")", "[", "]", "{", "}", "<", ">", "$", "&", "#", "%", "~", "^", "=", "+", "*", "?", "!", "@", "|", "“",
    "( )", "()", "[]", "{}", "<a ", "</", "<a", "a ", "A ", "Ab ", "A.", "A. ", "a.", "a. ", "a, ", "A, ", "1 ", "1, ",
    "1-", "1.1", "2020", "(2020", "[1", "[1, ", "(A, ", "and ", "A and ", "et al. ", "\\a", "\\a{", "\\cite{", "$a",
    "$ ",
    "&a", "&#1", "http://", "10.1/", "www.a", "a-", "a/", "a'", ". A", ".\n", "\n\n", " \n", "- ", "-\n", "#", "# ",
    "* ",
    "\x1b[", "\x1b]", "\u0301", "\u200d", "e.g. ", "Fig. 1 ", "a\u00a0", ", ", "; ", "a:", ": ", "A-", "doi:", "arXiv:",
)  # fmt: skip
SHORT, LONG = 22, 1_500
"""Characters of the strings that everything is tried with: what is exponential shows at the first."""
ENDLESS_S = 0.1
"""Nobody takes this long for a short string but who tries every way to cut it."""
SUSPICIOUS_S = 0.002
TELLING_S = 0.1
"""A run that takes so long is not disturbed by what else the machine does."""
RATIO = 2.5


@cache
def compile_once(pattern: str | bytes, flags: int) -> re.Pattern[Any]:
    """`re` itself forgets all but some hundreds."""
    return re.compile(pattern, flags)


@dataclass(frozen=True, slots=True)
class Use:
    """One expression and how it is looked for."""

    where: str
    pattern: str | bytes
    flags: int
    method: str
    """`match` and `fullmatch` begin at one place only, all others anywhere."""

    def run(self, text: str) -> None:
        """Looks for it everywhere in `text`, or at its start."""
        compiled = compile_once(self.pattern, self.flags)
        given = text.encode() if isinstance(self.pattern, bytes) else text
        if self.method in ("match", "fullmatch"):
            getattr(compiled, self.method)(given)
            return
        for _ in compiled.finditer(given):
            pass


def uses() -> list[Use]:
    """Expressions compiled in modules, and those given to `re` in place."""
    found: dict[tuple[str | bytes, int, str], Use] = {}
    for file in sorted(PACKAGE.rglob("*.py")):
        name = str(file.relative_to(PACKAGE))
        tree = ast.parse(file.read_text("utf-8"))
        each: list[Use] = []
        for call in ast.walk(tree):
            if isinstance(call, ast.Call) and is_of_re(call.func) and call.args:
                given, function = call.args[0], call.func
                if isinstance(given, ast.Constant) and isinstance(given.value, str | bytes):
                    method = function.attr if isinstance(function, ast.Attribute) else ""
                    if method != "compile":
                        each.append(Use(f"{name}:{call.lineno}", given.value, 0, method))
        for variable, pattern in compiled(loaded(file)):
            for method in methods_of(variable, tree) or {"search"}:
                each.append(Use(f"{name} {variable}", pattern.pattern, pattern.flags & ~re.UNICODE, method))
        found |= {(one.pattern, one.flags, one.method): one for one in each}
    return list(found.values())


def methods_of(variable: str, tree: ast.Module) -> set[str]:
    """`match` and `fullmatch` if those are all that is called on the module's `variable`, else `search`."""
    called = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == variable
    }
    mentioned = sum(isinstance(node, ast.Name) and node.id == variable for node in ast.walk(tree))
    anchored = called & {"match", "fullmatch"}
    return anchored if called and called == anchored and mentioned > len(called) else {"search"}


def is_of_re(function: ast.expr) -> bool:
    return (
        isinstance(function, ast.Attribute)
        and isinstance(function.value, ast.Name)
        and function.value.id == "re"
        and function.attr in FUNCTIONS
    )


def loaded(file: Path) -> ModuleType | None:
    """The module in `file`; `None` for those that need an optional package or run when they are imported."""
    name = ".".join(("litterm", *file.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__")
    if name.startswith("litterm_training") or file.stem == "__main__":
        return None
    importlib.import_module(name)
    return sys.modules[name]


def compiled(module: ModuleType | None) -> Iterator[tuple[str, re.Pattern[str] | re.Pattern[bytes]]]:
    for name, value in vars(module).items() if module else ():
        for each in value if isinstance(value, tuple | list) else (value,):
            if isinstance(each, re.Pattern):
                yield name, each


def pumped(pattern: str | bytes) -> list[str]:
    """What to repeat: the usual suspects, and the words of the pattern itself with what may follow them."""
    text = pattern if isinstance(pattern, str) else pattern.decode("latin-1")
    words = re.findall(r"[A-Za-z]{2,12}", re.sub(r"\\.|\(\?P?<?\w*>?", " ", text))[:12]
    return [*UNITS, *words, *(f"{word} " for word in words)]


def cost(run: Callable[[str], object], unit: str, size: int) -> float:
    """Processor time of a run over `unit` repeated to `size` characters, with an end that fits nothing."""
    text = unit * (size // len(unit) + 1) + "\x00"
    started = time.process_time()
    run(text)
    return time.process_time() - started


def least_cost(run: Callable[[str], object], unit: str, size: int) -> float:
    """The same, without what the machine was busy with beside it."""
    return min(cost(run, unit, size) for _ in range(3))


def grows_too_fast(run: Callable[[str], object], unit: str) -> str:
    """What it costs as the string grows, where every doubling costs more than `RATIO` times as much; else empty.

    Nothing here takes long: a string is doubled until a run takes `TELLING_S`, but once at least.
    """
    if cost(run, unit, SHORT) > ENDLESS_S and cost(run, unit, SHORT) > ENDLESS_S:
        return f"{unit!r}, {SHORT} characters: more than {ENDLESS_S} s"
    size = LONG
    if cost(run, unit, size) < SUSPICIOUS_S:
        return ""
    costs = [least_cost(run, unit, size)]
    # What takes a constant for each character, however large, is found out by longer strings.
    while len(costs) < 2 or (len(costs) < 4 and costs[-1] < TELLING_S):
        size *= 2
        costs.append(least_cost(run, unit, size))
        if costs[-1] < RATIO * costs[-2]:
            return ""
    return f"{unit!r}, up to {size:,} characters: {' '.join(f'{each * 1000:.0f}' for each in costs)} ms"


def growth(run: Callable[[str], object], unit: str, size: int) -> float:
    """How many times as much processor time a text of twice `size` takes: 2 for what is linear, 4 for a square.

    The least of up to three measurements, each of the best of three runs: noise only ever adds to a time.
    """
    least = float("inf")
    for _ in range(3):
        least = min(least, least_cost(run, unit, 2 * size) / max(least_cost(run, unit, size), 1e-9))
        if least < RATIO:
            break
    return least
