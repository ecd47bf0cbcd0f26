"""LaTeX commands for one character or word, and characters with a raised or lowered form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final


def _pairs(table: str) -> dict[str, str]:
    words = table.split()
    return dict(zip(words[::2], words[1::2], strict=True))


SYMBOLS: Final = _pairs("""
alpha α beta β gamma γ delta δ epsilon ϵ varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι kappa κ lambda λ mu μ
nu ν xi ξ omicron ο pi π varpi ϖ rho ρ varrho ϱ sigma σ varsigma ς tau τ upsilon υ phi ϕ varphi φ chi χ psi ψ omega ω
Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Upsilon Υ Phi Φ Psi Ψ Omega Ω
times × div ÷ pm ± mp ∓ cdot · ast ∗ star ⋆ circ ∘ bullet • oplus ⊕ ominus ⊖ otimes ⊗ oslash ⊘ odot ⊙ dagger † ddagger ‡
leq ≤ le ≤ geq ≥ ge ≥ neq ≠ ne ≠ ll ≪ gg ≫ approx ≈ sim ∼ simeq ≃ cong ≅ equiv ≡ propto ∝ prec ≺ succ ≻ asymp ≍
lesssim ≲ gtrsim ≳ leqslant ⩽ geqslant ⩾ triangleq ≜ doteq ≐ mid ∣ nmid ∤ parallel ∥ perp ⊥
in ∈ notin ∉ ni ∋ subset ⊂ supset ⊃ subseteq ⊆ supseteq ⊇ cup ∪ cap ∩ setminus ∖ emptyset ∅ varnothing ∅ sqcup ⊔ sqcap ⊓
wedge ∧ land ∧ vee ∨ lor ∨ neg ¬ lnot ¬ forall ∀ exists ∃ nexists ∄ vdash ⊢ dashv ⊣ models ⊨ top ⊤ bot ⊥
to → rightarrow → leftarrow ← gets ← leftrightarrow ↔ Rightarrow ⇒ Leftarrow ⇐ Leftrightarrow ⇔ iff ⇔ implies ⇒ mapsto ↦
uparrow ↑ downarrow ↓ updownarrow ↕ longrightarrow ⟶ longleftarrow ⟵ hookrightarrow ↪ nearrow ↗ searrow ↘
rightleftharpoons ⇌
sum ∑ prod ∏ coprod ∐ int ∫ oint ∮ partial ∂ nabla ∇ infty ∞ prime ′ ell ℓ hbar ℏ Re ℜ Im ℑ aleph ℵ wp ℘ angle ∠
degree °
ldots … dots … dotsc … cdots ⋯ vdots ⋮ ddots ⋱ langle ⟨ rangle ⟩ lfloor ⌊ rfloor ⌋ lceil ⌈ rceil ⌉ Vert ‖ lVert ‖
rVert ‖
vert | lvert | rvert | lbrace { rbrace } lbrack [ rbrack ] backslash \\
sharp ♯ flat ♭ natural ♮ checkmark ✓ bigstar ★ spadesuit ♠ heartsuit ♡ diamondsuit ♢ clubsuit ♣ square □ Box □
blacksquare ■
triangle △ diamond ⋄ bigcirc ◯ therefore ∴ because ∵ colon : bigcup ⋃ bigcap ⋂ bigoplus ⨁ bigotimes ⨂
textless < textgreater > textbackslash \\ textasciitilde ~ textasciicircum ^ textbar | textunderscore _ textdollar $
textemdash — textendash – textquoteleft ‘ textquoteright ’ textquotedblleft “ textquotedblright ” textbullet •
textperiodcentered · textdegree °
textperthousand ‰ textregistered ® texttrademark ™ textcopyright © texteuro € euro € pounds £ textsterling £ S § P ¶
copyright ©
textmu μ textmugreek μ textpm ± texttimes × textohm Ω
guillemotleft « guillemotright » og « fg » flqq « frqq » glqq „ grqq “ quotedblbase „
ss ß o ø O Ø l ł L Ł ae æ AE Æ oe œ OE Œ aa å AA Å i ı j ȷ dh ð DH Ð th þ TH Þ dj đ DJ Đ ng ŋ NG Ŋ
textquotesingle ' textquotedbl " textasciigrave ` textasciiacute ´ textasciidieresis ¨ textasciimacron ¯
textasteriskcentered * textellipsis … textexclamdown ¡ textquestiondown ¿ textordfeminine ª textordmasculine º
textonehalf ½ textonequarter ¼ textthreequarters ¾ textonesuperior ¹ texttwosuperior ² textthreesuperior ³ textdiv ÷
textcelsius °C textnumero № textyen ¥ textcent ¢ textsection § textparagraph ¶ textdagger † textdaggerdbl ‡ dag † ddag ‡
textlnot ¬ textminus − textrightarrow → textleftarrow ← textuparrow ↑ textdownarrow ↓ textlangle ⟨ textrangle ⟩
textfractionsolidus ⁄ textbrokenbar ¦ textbardbl ‖ textbraceleft { textbraceright } textvisiblespace ␣ textapprox ≈
textsurd √ textinterrobang ‽ textdblhyphen ⹀ texthyphen - textnonbreakinghyphen - textschwa ə
guilsinglleft ‹ guilsinglright › quotesinglbase ‚ lq ‘ rq ’ flq ‹ frq › glq ‚ grq ‘ slash / IJ IJ ij ij SS SS
LaTeX LaTeX TeX TeX BibTeX BibTeX ie i.e. eg e.g. etc etc.
""") | {"etal": "et al."}
"""Command name to what it prints, in text and in formulas."""

_GREEK: Final = """alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi omicron
pi rho varrho sigma varsigma tau upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi
Omega""".split()
# textgreek and upgreek: upright letters for running text.
SYMBOLS.update({f"{prefix}{name}": SYMBOLS[name] for prefix in ("text", "up") for name in _GREEK})
SYMBOLS.update({f"Up{name.lower()}": SYMBOLS[name] for name in _GREEK if name[0].isupper()})

LETTERS: Final = frozenset("ss SS o O l L ae AE oe OE aa AA i j dh DH th TH dj DJ ng NG IJ ij".split())
"""Symbols that are part of a word: what follows their blank belongs to it."""

UNIT_SYMBOLS: Final = _pairs("micro μ celsius °C degreeCelsius °C ohm Ω perthousand ‰ percent % angstrom Å degC °C")
"""Units that stand in running text without a command around them."""

ESCAPED: Final = {c: c for c in "%&#_$ {}"} | {
    "|": "‖",
    "-": "",
    "/": "",
    ",": " ",
    ";": " ",
    ":": " ",
    "!": "",
    "\\": " ",
}
"""Backslash and one character that is no accent."""

FUNCTIONS: Final = frozenset(
    """log ln lg exp min max sup inf lim arg argmin argmax sin cos tan cot tanh sinh cosh det dim ker deg gcd Pr hom mod
    bmod""".split()
)
"""Named operators, set upright with a blank around them."""

ACCENTS: Final = {
    "`": "\u0300",
    "'": "\u0301",
    "^": "\u0302",
    "~": "\u0303",
    '"': "\u0308",
    "=": "\u0304",
    ".": "\u0307",
    "u": "\u0306",
    "v": "\u030c",
    "H": "\u030b",
    "c": "\u0327",
    "k": "\u0328",
    "r": "\u030a",
    "b": "\u0331",
    "d": "\u0323",
    "t": "\u0361",
    "h": "\u0309",
    "G": "\u030f",
    "f": "\u0311",
    "cb": "\u0326",
    "textcommabelow": "\u0326",
    "textogonekcentered": "\u0328",
}
"""Accent command in running text to its combining character."""

ACCENT_SIGNS: Final = {"`": "`", "'": "´", "^": "^", "~": "~", '"': "¨", "=": "¯", ".": "˙"}
"""What an accent over nothing prints."""

MATH_ACCENTS: Final = {
    "hat": "\u0302",
    "widehat": "\u0302",
    "tilde": "\u0303",
    "widetilde": "\u0303",
    "bar": "\u0304",
    "overline": "\u0305",
    "vec": "\u20d7",
    "dot": "\u0307",
    "ddot": "\u0308",
    "acute": "\u0301",
    "grave": "\u0300",
    "check": "\u030c",
    "breve": "\u0306",
}
"""Accent command in a formula to its combining character; exact over one character only."""

FONTS: Final = frozenset(
    """textbf textit texttt textsc textrm textsf textmd textup textsl textnormal text emph underline uline mbox hbox
    mathbf mathit mathrm mathsf mathtt mathcal mathscr mathfrak mathnormal boldsymbol bm pmb operatorname mathop mathbin
    mathrel ensuremath enquote textquote url nolinkurl path texorpdfstring fbox textsuperscript textsubscript""".split()
)
"""Commands that print their one argument; the look is lost, the words stay."""

SWITCHES: Final = frozenset(
    """rm bf it tt sf sc sl em cal bfseries itshape ttfamily sffamily scshape rmfamily small normalsize large Large
    footnotesize
    tiny scriptsize huge centering noindent displaystyle textstyle scriptstyle limits nolimits left right big Big bigg
    Bigg
    bigl bigr Bigl Bigr biggl biggr protect xspace newline linebreak par item relax hfill sloppy""".split()
)
"""Commands that print nothing."""

SPACE_COMMANDS: Final = {"quad": " ", "qquad": " ", "enspace": " ", "thinspace": " ", "space": " ", "nobreakspace": " "}

UNPRINTED_COMMANDS: Final = frozenset(
    "cite citep citet citealp citealt parencite autocite label ref eqref begin end color vspace hspace".split()
)
"""Commands whose argument is not text: keys, lengths, names of environments."""

UNPRINTED_IN_FIELDS: Final = frozenset(
    """thanks footnote footnotemark footnotetext index nocite textcite footcite fullcite smartcite supercite citeauthor
    citeyear citeyearpar citetalias citenum pageref cref Cref autoref noopsort SortNoop includegraphics phantom vphantom
    hphantom pagestyle urlstyle selectlanguage hypersetup""".split()
)
"""The same in a field of a bibliography, where a note to a title is no part of it."""

TARGETED_COMMANDS: Final = frozenset(
    """href textcolor hyperlink hypertarget foreignlanguage colorbox raisebox scalebox rotatebox bibinfo bibfield
    parbox""".split()
)
"""Commands of two arguments, of which the second is what is printed."""

BLACKBOARD: Final = (
    {"C": "ℂ", "H": "ℍ", "N": "ℕ", "P": "ℙ", "Q": "ℚ", "R": "ℝ", "Z": "ℤ"}
    | {letter: chr(0x1D538 + ord(letter) - ord("A")) for letter in "ABDEFGIJKLMOSTUVWXY"}
    | {"1": "𝟙"}
)
"""Letters of `mathbb`."""

RAISED: Final = dict(
    zip("0123456789+-−=()abcdefghijklmnoprstuvwxyz", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ", strict=True)
)
"""Characters with a superscript form."""

SUBSCRIPTS: Final = dict(zip("0123456789+-−=()aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ", strict=True))
"""Characters with a subscript form."""


def to_superscript(text: str) -> str | None:
    """`text` as a superscript; `None` if it has no exact and readable form."""
    return _shift(text, RAISED)


def to_subscript(text: str) -> str | None:
    """`text` as a subscript; `None` if it has no exact and readable form."""
    return _shift(text, SUBSCRIPTS)


def _shift(text: str, forms: Mapping[str, str]) -> str | None:
    # Whole words in tiny letters are exact but nobody can read them.
    if not text or sum(character.isalpha() for character in text) > 1:
        return None
    shifted = [forms.get(character) for character in text.replace(" ", "")]
    return None if None in shifted else "".join(character for character in shifted if character)
