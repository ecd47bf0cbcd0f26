"""The table of `docs/architecture.md` from methods of the engine to parts and their classes, read from the definitions.

`python tests/engine_table.py` prints it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import litterm

PACKAGE = Path(litterm.__file__).parent
HEAD = (
    "| methods of `Engine` | part | class | with a server or cluster |",
    "|---|---|---|---|",
)
CLASSES = (
    ("", "litterm.engine.parts", "Parts"),
    ("server", "litterm.server.client.engine", "RemoteParts"),
    ("cluster", "litterm.cluster.engine", "ClusterParts"),
)
ENGINE_MODULES = tuple(f"litterm.engine{name}" for name in ("", ".exports", ".overview", ".revise", ".sql"))
Functions = dict[str, ast.FunctionDef]


def rows() -> list[str]:
    """The rows of the table, one for each part that a method uses, in the order of `Parts`."""
    other_places = {place: (_tree(module), _methods(module, name)) for place, module, name in CLASSES}
    tree, parts = other_places.pop("")
    methods_by_part = _methods_by_part(parts)
    return [
        _row(
            ", ".join(f"`{method}`" for method in methods_by_part[part]),
            f"`{part}`",
            f"`{_built(tree, parts, part)}`",
            ", ".join(
                f"{place}: `{_built(other_tree, others, part)}`"
                for place, (other_tree, others) in other_places.items()
                if part in others
            ),
        )
        for part, node in parts.items()
        # Not what is a sentence, or papers.
        if part in methods_by_part
        and node.returns is not None
        and ast.unparse(node.returns) not in ("str", "Collection[PaperId]")
    ]


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _methods_by_part(parts: Functions) -> dict[str, list[str]]:
    methods = _methods("litterm.engine", "Engine")
    functions = {
        node.name: node for module in ENGINE_MODULES for node in _tree(module).body if isinstance(node, ast.FunctionDef)
    }
    used: dict[str, list[str]] = {}
    for name, node in methods.items():
        if not name.startswith("_"):
            for part in _parts_of(node, methods, functions, parts):
                used.setdefault(part, []).append(name)
    return used


def _parts_of(node: ast.FunctionDef, methods: Functions, functions: Functions, parts: Functions) -> set[str]:
    """The parts that a method uses itself, by another method of the engine, or by a function that it hands them to."""
    found, pending, seen = set[str](), [node], set[str]()
    while pending:
        current = pending.pop()
        for owner, attribute in _attributes(current):
            if owner in ("self._parts", "parts") and attribute in parts:
                found.add(attribute)
            elif owner == "self" and attribute in methods and attribute not in seen:
                seen.add(attribute)
                pending.append(methods[attribute])
        for call in (item for item in ast.walk(current) if isinstance(item, ast.Call)):
            name = ast.unparse(call.func)
            if name in functions and name not in seen and {"self._parts", "parts"} & set(map(ast.unparse, call.args)):
                seen.add(name)
                pending.append(functions[name])
    return found


def _attributes(node: ast.AST) -> Iterator[tuple[str, str]]:
    return ((ast.unparse(item.value), item.attr) for item in ast.walk(node) if isinstance(item, ast.Attribute))


def _built(tree: ast.Module, parts: Functions, name: str) -> str:
    """The dotted name of what a part is made by: a class, or the function that chooses one; else its annotation."""
    node = parts[name]
    imported = _imports(tree) | _imports(node)
    assert node.returns is not None
    annotated = _defined(imported[ast.unparse(node.returns).removesuffix(" | None")])
    made = [item.value for item in ast.walk(node) if isinstance(item, ast.Return) and item.value is not None]
    for item in (item for value in made for item in ast.walk(value)):
        if isinstance(item, ast.Call) and isinstance(item.func, ast.Name) and item.func.id in imported:
            built = _defined(imported[item.func.id])
            is_class = built.rpartition(".")[2][0].isupper()
            return built if is_class or annotated.startswith("litterm.interfaces.") else annotated
        if isinstance(item, ast.Attribute) and ast.unparse(item.value) == "self" and f"_own_{name}" == item.attr:
            return _built(tree, parts, item.attr)
    return annotated


def _defined(dotted: str) -> str:
    module, _, name = dotted.rpartition(".")
    defined = getattr(import_module(module), name)
    return f"{defined.__module__}.{name}"


def _imports(node: ast.AST) -> dict[str, str]:
    return {
        alias.asname or alias.name: f"{item.module}.{alias.name}"
        for item in ast.walk(node)
        if isinstance(item, ast.ImportFrom)
        for alias in item.names
    }


def _tree(module: str) -> ast.Module:
    path = PACKAGE.joinpath(*module.split(".")[1:])
    return ast.parse((path / "__init__.py" if path.is_dir() else path.with_suffix(".py")).read_text("utf-8"))


def _methods(module: str, name: str) -> Functions:
    (owner,) = [node for node in _tree(module).body if isinstance(node, ast.ClassDef) and node.name == name]
    return {node.name: node for node in owner.body if isinstance(node, ast.FunctionDef)}


if __name__ == "__main__":
    print(*HEAD, *rows(), sep="\n")
