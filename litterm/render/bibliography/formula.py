r"""Decides which formulas of a title may be copied to a TeX file: those made of a fixed list of commands.

TeX is a programming language that reads and writes files: `$\input{/etc/passwd}_x$` in a title would be obeyed by
whoever prints the bibliography. What is not on the list, or would not compile, is no formula but text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

MAX_FORMULA_CHARS: Final = 1_000
"""Characters of a formula; no title has a longer one."""
_MAX_DEPTH: Final = 12

_SYMBOLS: Final = frozenset(
    """alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi pi varpi rho varrho
    sigma varsigma tau upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega
    times div pm mp cdot ast star circ bullet oplus ominus otimes oslash odot dagger ddagger leq le geq ge neq ne ll gg
    approx sim simeq cong equiv propto prec succ asymp lesssim gtrsim leqslant geqslant triangleq doteq mid nmid
    parallel perp in notin ni subset supset subseteq supseteq cup cap setminus emptyset varnothing sqcup sqcap wedge
    land vee lor neg lnot forall exists nexists vdash dashv models top bot to rightarrow leftarrow gets leftrightarrow
    Rightarrow Leftarrow Leftrightarrow iff implies mapsto uparrow downarrow updownarrow longrightarrow longleftarrow
    hookrightarrow nearrow searrow rightleftharpoons partial nabla infty prime ell hbar Re Im aleph wp angle ldots dots
    cdots vdots ddots langle rangle lfloor rfloor lceil rceil Vert lVert rVert vert lvert rvert lbrace rbrace lbrack
    rbrack backslash sharp flat natural checkmark bigstar square Box blacksquare triangle diamond bigcirc therefore
    because colon quad qquad log ln lg exp arg sin cos tan cot tanh sinh cosh dim ker deg hom
    rm bf it tt sf cal displaystyle textstyle big Big bigg Bigg bigl bigr Bigl Bigr""".split()
)
_OPERATORS: Final = frozenset(
    "sum prod coprod int oint bigcup bigcap bigoplus bigotimes max min sup inf lim det gcd Pr".split()
)
"""May be followed by `limits`."""
_ARGUMENT_COUNTS: Final = {
    **dict.fromkeys(
        """mathbf mathit mathrm mathsf mathtt mathcal mathscr mathfrak mathnormal mathbb boldsymbol bm operatorname
        mathop mathbin mathrel hat widehat tilde widetilde bar overline underline vec dot ddot acute grave check breve
        sqrt""".split(),
        1,
    ),
    **dict.fromkeys("frac tfrac dfrac binom".split(), 2),
}
"""Command to the number of its arguments; all others have none."""
_DELIMITERS: Final = frozenset(
    r"( ) [ ] | . / \| \langle \rangle \lfloor \rfloor \lceil \rceil \lvert \rvert \lbrace \rbrace".split()
)
_TOKEN: Final = re.compile(
    r"\\(?:text|mbox|textrm|textit|textbf|textsf|texttt|textsc|textnormal)\{[A-Za-z0-9 .,:;()+*/=?!'-]*\}"
    r"|\\[A-Za-z]+|\\.|\s+|.",
    re.DOTALL,
)
_SPACING: Final = frozenset(r"\, \; \: \! \| \% \& \# \_".split()) | {"\\ "}
_FORBIDDEN_CHARS: Final = frozenset("\\%#&$")


@dataclass(slots=True)
class _Group:
    """The formula, or what is between two braces of it."""

    arguments_due: int = 0
    """Arguments that are still due."""
    scripts: str = ""
    """What the last sign has already: TeX takes one `^` and one `_`."""
    lefts: int = 0
    r"""`\left` without its `\right`."""

    def accepts_item(self, *, arguments: int = 0) -> bool:
        """Whether a sign, group or command is allowed here."""
        if self.arguments_due:
            self.arguments_due -= 1
            return not arguments
        self.scripts, self.arguments_due = "", arguments
        return True

    def accepts_script(self, mark: str) -> bool:
        """Whether a sub- or superscript is allowed here; its argument must follow."""
        if self.arguments_due or mark in self.scripts:
            return False
        self.scripts += mark
        self.arguments_due = 1
        return True


def is_harmless(formula: str) -> bool:
    """Whether `formula`, given without its dollars, holds nothing that TeX would act on or stop at."""
    # `^^5c` is a backslash to TeX, read before anything else.
    if len(formula) > MAX_FORMULA_CHARS or "^^" in formula or not formula.isprintable():
        return False
    groups = [_Group()]
    before = ""
    for token in _TOKEN.findall(formula):
        if token.isspace():
            continue
        if not _accepts_token(token, before, groups):
            return False
        before = token
    return len(groups) == 1 and _is_complete(groups[0], before)


def _accepts_token(token: str, before: str, groups: list[_Group]) -> bool:
    """Whether `token` may be behind `before`; keeps the books in `groups`."""
    group = groups[-1]
    # Anything but a delimiter stops TeX here.
    if before in (r"\left", r"\right"):
        return token in _DELIMITERS
    if token == "{":
        groups.append(_Group())
        return len(groups) <= _MAX_DEPTH and group.accepts_item()
    if token == "}":
        groups.pop()
        return bool(groups) and _is_complete(group, before)
    if token in "^_":
        return group.accepts_script(token)
    # A prime is a superscript to TeX, which takes only one.
    if token == "'":
        return not group.arguments_due and "^" not in group.scripts
    return (
        _accepts_command(token[1:], before, group)
        if len(token) > 1
        else token not in _FORBIDDEN_CHARS and group.accepts_item()
    )


def _is_complete(group: _Group, before: str) -> bool:
    return not group.arguments_due and not group.lefts and before not in (r"\left", r"\right")


def _accepts_command(name: str, before: str, group: _Group) -> bool:
    if name in ("left", "right"):
        group.lefts += 1 if name == "left" else -1
        return group.lefts >= 0 and not group.arguments_due and group.accepts_item()
    if name == "limits":
        return before[1:] in _OPERATORS
    if f"\\{name}" in _SPACING:
        return not group.arguments_due
    is_known = name in _SYMBOLS or name in _OPERATORS or name in _ARGUMENT_COUNTS or name.endswith("}")
    return is_known and group.accepts_item(arguments=_ARGUMENT_COUNTS.get(name, 0))
