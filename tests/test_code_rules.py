"""The house rules that no linter knows: length of functions, nothing declared twice, and what a command may load."""

from __future__ import annotations

import ast
import statistics
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import litterm

PACKAGE = Path(litterm.__file__).parent
MAX_FUNCTION, MAX_METHODS = 50, 41
MIN_REPEATED_LINES = 3
"""Shorter functions may agree by chance."""
PARTS = {"property", "once"}
"""Decorators of what hands on a part: no behaviour of its own."""
ONE_IMPLEMENTATION = {
    "CommandModule": "the modules of commands implement it",
    "IndexReader": "the second is that of benchmarks, in memory",
    "RowSource": "search lies below cluster, which implements it",
}
"""Interfaces with fewer than two classes that implement them, and why they are interfaces."""
UNCOUNTED = ("action_", "on_", "watch_", "compose")
HEAVY = tuple(
    "numpy duckdb bm25s Stemmer pypdf httpx openai textual rich rapidfuzz pylatexenc bibtexparser lxml shtab".split()
)


@cache
def modules() -> list[tuple[Path, ast.Module]]:
    return [(path, ast.parse(path.read_text("utf-8"))) for path in sorted(PACKAGE.rglob("*.py"))]


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def lines(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def body_lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines of code: the contract in the docstring is not what makes a function long."""
    documented = ast.get_docstring(node, clean=False)
    return lines(node) - (documented.count("\n") + 1 if documented else 0)


def test_functions_stay_readable_without_scrolling() -> None:
    sizes = [(body_lines(f), f"{path.name}:{f.name}") for path, tree in modules() for f in functions(tree)]
    assert [where for size, where in sizes if size > MAX_FUNCTION] == []
    assert statistics.median(size for size, _ in sizes) <= 8
    assert statistics.quantiles([size for size, _ in sizes], n=10)[-1] <= 25


def test_no_class_becomes_a_god() -> None:
    found = []
    for path, tree in modules():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                counted = [
                    item
                    for item in node.body
                    if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef)
                    and not item.name.startswith(UNCOUNTED)
                    and not any(isinstance(by, ast.Name) and by.id in PARTS for by in item.decorator_list)
                ]
                if len(counted) > MAX_METHODS:
                    found.append(f"{path.name}:{node.name} {len(counted)} methods")
    assert found == []


def test_no_public_class_has_the_name_of_another() -> None:
    named: dict[str, list[str]] = {}
    for path, tree in modules():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                named.setdefault(node.name, []).append(str(path.relative_to(PACKAGE)))
    assert {name: places for name, places in named.items() if len(places) > 1} == {}


def test_no_function_is_written_twice() -> None:
    places: dict[str, list[str]] = {}
    for path, tree in modules():
        for node in tree.body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                body = node.body[1:] if ast.get_docstring(node) else node.body
                if body and (body[-1].end_lineno or 0) - body[0].lineno + 1 >= MIN_REPEATED_LINES:
                    text = ast.dump(node.args) + ast.dump(ast.Module(body, []))
                    places.setdefault(text, []).append(f"{path.relative_to(PACKAGE)}:{node.name}")
    assert [names for names in places.values() if len(names) > 1] == []


def test_no_class_declares_a_member_twice() -> None:
    repeated = []
    for path, tree in modules():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                fields = [
                    item.target.id
                    for item in node.body
                    if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name)
                ]
                methods = [
                    item.name
                    for item in node.body
                    if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef)
                    and not any(isinstance(by, ast.Attribute) and by.attr == "setter" for by in item.decorator_list)
                    and not any(isinstance(by, ast.Name) and by.id == "overload" for by in item.decorator_list)
                ]
                names = fields + methods
                repeated += [f"{path.name}:{node.name}.{name}" for name in set(names) if names.count(name) > 1]
    assert repeated == []


def base_names(node: ast.ClassDef) -> Iterator[str]:
    for base in node.bases:
        name = base.value if isinstance(base, ast.Subscript) else base
        yield name.id if isinstance(name, ast.Name) else name.attr if isinstance(name, ast.Attribute) else ""


def members_of(name: str, classes: dict[str, ast.ClassDef]) -> dict[str, set[str]]:
    """The methods and attributes of a class with those of its bases, and the parameters of each."""
    members: dict[str, set[str]] = {}
    node = classes[name]
    for base in base_names(node):
        if base in classes and base != name:
            members |= members_of(base, classes)
    for item in node.body:
        if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef):
            parameters = (*item.args.posonlyargs, *item.args.args, *item.args.kwonlyargs)
            members[item.name] = {parameter.arg.lstrip("_") for parameter in parameters} - {"self"}
            if item.name == "__init__":
                stored = (part for part in ast.walk(item) if isinstance(part, ast.Attribute))
                members |= {part.attr: set() for part in stored if isinstance(part.ctx, ast.Store)}
        elif isinstance(item, ast.Assign | ast.AnnAssign):
            targets = item.targets if isinstance(item, ast.Assign) else [item.target]
            members |= {target.id: set() for target in targets if isinstance(target, ast.Name)}
    return members


def test_an_interface_has_several_implementations() -> None:
    classes = {node.name: node for _, tree in modules() for node in tree.body if isinstance(node, ast.ClassDef)}
    interfaces = [name for name, node in classes.items() if "Protocol" in base_names(node)]
    members = {name: members_of(name, classes) for name in classes}
    few = {}
    for interface in interfaces:
        implementations = [
            name
            for name in members
            if name not in interfaces
            and all(member in members[name] for member in members[interface])
            and all(members[name][member] >= parameters for member, parameters in members[interface].items())
        ]
        if len(implementations) < 2:
            few[interface] = implementations
    assert set(few) == set(ONE_IMPLEMENTATION), few


def test_the_screen_is_no_switchboard() -> None:
    from textual.screen import Screen

    from litterm.tui.workbench import Workbench

    ours = [base for base in Workbench.__mro__ if base.__module__.startswith("litterm.")]
    assert Screen not in ours
    assert len({name for base in ours for name, value in vars(base).items() if callable(value)}) <= 40


def loaded_by(statement: str) -> set[str]:
    code = f"import sys\n{statement}\nprint(' '.join(m for m in {HEAVY!r} if m in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_importing_the_package_and_its_commands_loads_nothing_heavy() -> None:
    assert loaded_by("import litterm, litterm.cli.main, litterm.engine.parts, litterm.build") == set()


def test_the_first_frame_needs_textual_and_duckdb_only() -> None:
    assert loaded_by("import litterm.tui.app") <= {"textual", "rich", "duckdb"}
