"""LaTeX becomes Unicode where that says the same, and stays LaTeX where it does not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litterm.text.latex.formula import formula_to_text
from litterm.text.latex.prose import latex_to_text


@pytest.mark.parametrize(
    ("tex", "text"),
    [
        (r"O(n^2)", "O(n²)"),
        (r"F_1", "F₁"),
        (r"\ell_2", "ℓ₂"),
        (r"n\log n", "n log n"),
        (r"\mathbb{R}^n", "ℝⁿ"),
        (r"\widetilde{O}(\epsilon^{-2})", "Õ(ϵ⁻²)"),
        (r"\textbf{E}", "E"),
        (r"15^{th}", "15th"),
        (r"A^*", "A*"),
        (r"\frac{d_i}{s}", "dᵢ/s"),
        (r"\sqrt{T}", "√T"),
        (r"\rm BERT_{base}", "BERT_base"),
        (r"\rightarrowEnglish", "→English"),
        (r"\hat{y}", "ŷ"),
    ],
)
def test_exact_formulas_become_unicode(tex: str, text: str) -> None:
    assert formula_to_text(tex) == text


@pytest.mark.parametrize(
    "tex", [r"\mathbb{S}^{n_0-1}", r"\frac{a+b}{c}", r"{k \choose 2}", r"\overrightarrow{AB}", "x^"]
)
def test_what_unicode_cannot_say_stays_tex(tex: str) -> None:
    assert formula_to_text(tex) == f"${tex}$"


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (
            r"M\"uller, Erd{\H o}s, \'{e}t\'e, \c{c}a, \v{S}, {\o}re, na{\"\i}ve",
            "Müller, Erdős, été, ça, Š, øre, naïve",
        ),
        (r"95\% of \textit{all} {\em words} \& more", "95% of all words & more"),
        (r"we use $k$-means and $\ell_2$-norms", "we use k-means and ℓ₂-norms"),
        (r"$\textbf{E}$nergy and \textbf{A}\underline{\textbf{b}}c", "Energy and Abc"),
        (r"from $5-$10 to $100 and \$200", "from $5-$10 to $100 and $200"),
        (r"cost of $3 million and $4 billion", "cost of $3 million and $4 billion"),
        (r"as in (\citep{doe2020}) before", "as in before"),
        (r"see \href{http://x.org}{our page}", "see our page"),
        (r"our \ours model", r"our \ours model"),
        (r"$\sim$5 and $\pm$2", "∼5 and ±2"),
        (r"x\textsuperscript{2} in CO\textsubscript{2}, the 1\textsuperscript{st}", "x² in CO₂, the 1st"),
        ("no LaTeX {at} all", "no LaTeX {at} all"),
    ],
)
def test_commands_in_running_text(raw: str, text: str) -> None:
    assert latex_to_text(raw) == text


@given(st.text(alphabet="\\{}$^_ abÆ%'\"~&frac1", max_size=200))
def test_any_string_is_read_without_failing(text: str) -> None:
    latex_to_text(text)
    formula_to_text(text)


def test_deep_nesting_is_left_alone() -> None:
    assert latex_to_text("\\em" + "{" * 5000 + "x" + "}" * 5000).count("x") == 1
