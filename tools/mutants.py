"""The mutants of a file: one-line changes by the operators of cosmic-ray, less those that cannot matter."""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator

_TWINS = "Add_Sub Sub_Add Mul_Div Div_Mul FloorDiv_Mul Mod_Mul Pow_Mul BitOr_BitAnd BitAnd_BitOr".split()
_COMPARED = "Eq_NotEq NotEq_Eq Lt_LtE Lt_GtE LtE_Lt LtE_Gt Gt_GtE Gt_LtE GtE_Gt GtE_Lt Is_IsNot IsNot_Is".split()
OPERATORS = (
    *(f"ReplaceBinaryOperator_{pair}" for pair in _TWINS),
    *(f"ReplaceComparisonOperator_{pair}" for pair in _COMPARED),
    *(f"ReplaceUnaryOperator_{kind}" for kind in ("Delete_Not", "Delete_USub", "Delete_Invert")),
    *("AddNot", "ReplaceAndWithOr", "ReplaceOrWithAnd", "ReplaceTrueWithFalse", "ReplaceFalseWithTrue"),
    *("NumberReplacer", "ZeroIterationForLoop", "ReplaceBreakWithContinue", "ReplaceContinueWithBreak"),
    *("ExceptionReplacer", "RemoveDecorator"),
)
"""The operators of cosmic-ray that make slips a person might make; `a + b` into `a << b` is noticed by anything."""
Span = tuple[tuple[int, int], tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change of one file."""

    path: str
    line: int
    column: int
    operator: str
    occurrence: int

    @property
    def key(self) -> str:
        """What tells it from every other mutant of the same source."""
        return f"{self.path}:{self.line}:{self.column} {self.operator} {self.occurrence}"

    def as_row(self) -> dict[str, object]:
        """Its fields, for a line of JSON."""
        return asdict(self)

    def of(self, source: str) -> str:
        """`source` with this change in it."""
        changed: str | None = mutate_code(source, get_operator(f"core/{self.operator}")(), self.occurrence)
        if changed is None:
            raise ValueError(f"{self.key}: the source has changed since the mutant was drawn.")
        return changed


def drawn(root: Path, files: Sequence[Path], size: int, seed: int) -> list[Mutant]:
    """At most `size` mutants of `files`, at random: each place and kind of change counts once, however many variants
    it has."""
    chance = random.Random(seed)
    places = [place for path in files for place in _places(root, path)]
    return [chance.choice(place) for place in chance.sample(places, min(size, len(places)))]


def _places(root: Path, path: Path) -> Iterator[list[Mutant]]:
    """The mutants of one file, those of one place and kind together."""
    source = path.read_text("utf-8")
    tree = ast.parse(source)
    left_out, reckoned = list(_left_out(tree)), list(_reckoned(tree))
    nodes = list(ast_nodes(get_ast(source)))
    found: dict[tuple[Span, str], list[Mutant]] = {}
    for name in OPERATORS:
        operator = get_operator(f"core/{name}")()
        spans = [span for node in nodes for span in operator.mutation_positions(node)]
        for occurrence, span in enumerate(spans):
            if _within(span, left_out) or (name.startswith("ReplaceBinary") and not _within(span, reckoned)):
                continue
            made = Mutant(str(path.relative_to(root)), *span[0], name, occurrence)
            found.setdefault((span, _kind(name)), []).append(made)
    yield from found.values()


def _within(span: Span, places: Sequence[Span]) -> bool:
    return any(start <= span[0] < end for start, end in places)


def _reckoned(tree: ast.Module) -> Iterator[Span]:
    """Where a sign is one of arithmetic: `*` among parameters is none, nor is `|` between types."""
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp | ast.AugAssign):
            yield _span(node)


def _kind(operator: str) -> str:
    """`ReplaceBinaryOperator` of `ReplaceBinaryOperator_Add_Sub`."""
    return operator.partition("_")[0]


def _left_out(tree: ast.Module) -> Iterator[Span]:
    """Places where a change means nothing to a running program: annotations, imports for the type checker,
    protocols, the flags of a data class, what is logged, and `strict=` of `zip`, which fails in no correct program."""
    for node in ast.walk(tree):
        match node:
            case (
                ast.AnnAssign(annotation=ast.Name(id="TypeAlias"))
                | ast.If(test=ast.Name(id="TYPE_CHECKING"))
                | ast.ClassDef(bases=[ast.Name(id="Protocol"), *_])
                | ast.Call(func=ast.Name(id="dataclass") | ast.Attribute(value=ast.Name(id="_log")))
            ):
                yield _span(node)
            case (
                ast.AnnAssign(annotation=told)
                | ast.arg(annotation=ast.expr() as told)
                | ast.FunctionDef(returns=ast.expr() as told)
                | ast.Call(func=ast.Name(id="zip"), keywords=[ast.keyword() as told])
            ):
                yield _span(told)
            case _:
                continue


def _span(node: ast.expr | ast.stmt | ast.keyword) -> Span:
    return (node.lineno, node.col_offset), (node.end_lineno or node.lineno, node.end_col_offset or 0)
