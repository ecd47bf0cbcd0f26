"""LaTeX becomes Unicode where that says the same, and stays LaTeX where it does not."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litterm.text.latex.formula import formula_to_text
from litterm.text.latex.prose import field_to_text, latex_to_text
from litterm.text.latex.units import angle_text, number_text, unit_text


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
        (r"for {\ours}like models", r"for {\ours}like models"),
        (r"a gap of \SI{3}{\nano\metre} here", "a gap of 3 nm here"),
        (r"\~{} and \^{}", "~ and ^"),
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


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (r"N{\textquotesingle}Goma and N\textquotesingle Goma", "N'Goma and N'Goma"),
        (r"{\IJ}ssel and wa{\ij}er", "IJssel and waijer"),
        (r"Ber{\neverheard}lin and \neverheard{Rome} by \neverheard sea", "Berlin and Rome by sea"),
        (r"TGF{\textbeta}induced and TNF-{\textalpha} in mice", "TGFβinduced and TNF-α in mice"),
        (r"a lens of \SI{12}{\milli\metre} for \qty{21}{\degreeCelsius} air", "a lens of 12 mm for 21 °C air"),
        (r"\SI[mode=text]{4e-3}{\kilo\gram\per\metre\squared} dust", "4×10⁻³ kg m⁻² dust"),
        (r"\num{2 \pm 1} in \si{\um}, \ang{30}, \unit[7]{kPa}", "2 ± 1 in μm, 30°, 7 kPa"),
        (r"\SIrange{3}{9}{\volt} and \SIlist{1;2;4}{\hertz}", "3 V to 9 V and 1 Hz, 2 Hz and 4 Hz"),
        (r"8\,\textmu m at 20\textdegree C", "8 μm at 20°C"),
        (r"\ensuremath{\beta}-sheets, \ensuremath{n^2}, \mbox{T-cells}", "β-sheets, n², T-cells"),
        (r"\ce{H2O}, SO\textsubscript{4}, \textsuperscript{18}F", "H₂O, SO₄, ¹⁸F"),
        (r"S\o rby, \AA se, {\L}\'od\'z, \v\i, \h{a}, \cb{t}", "Sørby, Åse, Łódź, ǐ, ả, ț"),
        (r"{\{}A{\}} about \~{}9 or \~9", "{A} about ~9 or ~9"),
        (r"Rain\thanks{Paid by a fund}\footnote{In part} falls", "Rain falls"),
        (r"Fog \hyperlink{cite.x}{\cite{x}} on \href{http://demo.org/~a}{hills}", "Fog on hills"),
        (r"\url{http://demo.org/a_b--c~d} and http://demo.org/~e", "http://demo.org/a_b--c~d and http://demo.org/~e"),
        (r"``Snow'' --- 1--2 ~cm -{}- 50% of \enquote{ice}", "“Snow” — 1–2 cm -- 50% of “ice”"),
        (r"{\relax Ch}ios {\uppercase{x}}y \noopsort{1973b}1973\penalty0 (2)", "Chios xy 1973(2)"),
        (r"\texorpdfstring{$\gamma$}{gamma} and \textcolor{red}{red} \é", "γ and red é"),
        (r"\'{$\alpha$}r \\ 1\% \@ X", "αr 1% X"),
    ],
)
def test_fields_of_bibliographies(raw: str, text: str) -> None:
    assert " ".join(field_to_text(raw).split()) == text


_PIECES = st.sampled_from(
    [
        "{",
        "}",
        " ",
        "~",
        "$",
        "\\unheard",
        "\\textbf",
        "\\em",
        "{\\unheard}",
        "\\'",
        '\\"',
        "\\o",
        "\\textbeta",
        "\\%",
        "--",
    ]
)


@given(st.lists(st.one_of(_PIECES, st.from_regex(r"[QWXYZ]{1,3}", fullmatch=True)), max_size=30))
def test_no_letter_outside_a_command_is_lost(pieces: list[str]) -> None:
    # A blank between a command and letters, as they would be its name.
    words = [piece for piece in pieces if piece.isalpha()]
    raw = ""
    for piece in pieces:
        raw += f" {piece}" if piece.isalpha() and raw[-1:].isalpha() else piece
    plain = unicodedata.normalize("NFD", field_to_text(raw))
    assert "".join(letter for letter in plain if letter in "QWXYZ") == "".join(words)


@pytest.mark.parametrize(
    ("tex", "text"),
    [
        (r"\per\second", "s⁻¹"),
        (r"\cubic\centi\metre", "cm³"),
        (r"mg.L^{-1}", "mg L⁻¹"),
        ("km/h", "km/h"),
        (r"\mole\tothe{4}", "mol⁴"),
        (r"\per\metre\squared", "m⁻²"),
        (r"\rpm", "rpm"),
        (r"\mu m", "μm"),
    ],
)
def test_units(tex: str, text: str) -> None:
    assert unit_text(tex) == text


def test_numbers_and_angles() -> None:
    assert [number_text(number) for number in ("-3", "e6", "1.5(2)e-7", "2x3", "4 +- 1")] == [
        "-3",
        "10⁶",
        "1.5(2)×10⁻⁷",
        "2 × 3",
        "4 ± 1",
    ]
    assert (angle_text("12;30;"), angle_text("5")) == ("12°30′", "5°")
