"""Every regular expression of the package, and strings that make a bad one take the square of their length."""

from __future__ import annotations

import ast
import importlib
import re
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import litterm

PACKAGE = Path(litterm.__file__).parent
FUNCTIONS = frozenset("compile search match fullmatch sub subn split findall finditer".split())
UNITS = (
    " ", "\u00a0", "\n", "\r\n", "\t", "a", "A", "é", "文", "1", "0.", ".", ",", ";", ":", "-", "–", "_", "/", "\\", "'", '"',
    "(", ")", "[", "]", "{", "}", "<", ">", "$", "&", "#", "%", "~", "^", "=", "+", "*", "?", "!", "@", "|", "“",
    "( )", "()", "[]", "{}", "<a ", "</", "<a", "a ", "A ", "Ab ", "A.", "A. ", "a.", "a. ", "a, ", "A, ", "1 ", "1, ",
    "1-", "1.1", "2020", "(2020", "[1", "[1, ", "(A, ", "and ", "A and ", "et al. ", "\\a", "\\a{", "\\cite{", "$a", "$ ",
    "&a", "&#1", "http://", "10.1/", "www.a", "a-", "a/", "a'", ". A", ".\n", "\n\n", " \n", "- ", "-\n", "#", "# ", "* ",
    "\x1b[", "\x1b]", "\u0301", "\u200d", "e.g. ", "Fig. 1 ", "a\u00a0", ", ", "; ", "a:", ": ", "A-", "doi:", "arXiv:",
)  # fmt: skip
FIRST, MOST = 24, 6_000
"""Characters of the shortest and, of what is not suspicious, the longest string."""
SUSPICIOUS_S = 0.004
RATIO = 2.5


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
        compiled = re.compile(self.pattern, self.flags)
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
    if name.startswith("litterm.train") or file.stem == "__main__":
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
    words = [word for word in re.findall(r"[A-Za-z]{2,12}", re.sub(r"\\.|\(\?P?<?\w*>?", " ", text))][:12]
    return [*UNITS, *words, *(f"{word} " for word in words)]


def cost(run: Callable[[str], object], unit: str, size: int) -> float:
    """Least processor time of two runs over `unit` repeated to `size` characters, with an end that never fits."""
    text = unit * (size // len(unit) + 1)
    times = []
    for _ in range(2):
        started = time.process_time()
        run(text + "\x00")
        times.append(time.process_time() - started)
    return min(times)


def grows_too_fast(run: Callable[[str], object], unit: str, most: int = MOST) -> str:
    """What it costs as the string grows, where each doubling costs more than `RATIO` times as much; else empty."""
    size = FIRST
    while (taken := cost(run, unit, size)) < SUSPICIOUS_S:
        if size >= most:
            return ""
        size = min(most, size * 4)
    for _ in range(3):
        costs = [cost(run, unit, size * 2**step) for step in range(3)] if taken < 0.5 else [taken, taken * 99]
        if any(after < RATIO * before for before, after in zip(costs, costs[1:], strict=False)):
            return ""
    return f"{unit!r} x {size} characters: {' '.join(f'{each * 1000:.0f}' for each in costs)} ms"
