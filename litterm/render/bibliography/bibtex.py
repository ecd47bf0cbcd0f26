"""BibTeX entries, UTF-8, one field a line, in a fixed order.

In values special characters are escaped, harmless formulas left alone, and capitals protected. TeX is a programming
language that reads and writes files: `\\input{/etc/passwd}` in a title would be obeyed by whoever prints the
bibliography. So a formula is copied if it is made of a fixed list of commands; anything else is text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from litterm.model.annotations import PaperNotes
from litterm.model.paper import Author, Paper, PaperId
from litterm.render.bibliography.publication import NO_NOTES, Kind, Publication, publications
from litterm.render.names import thesis_name

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
_ENTRY_TYPES: dict[Kind, str] = {
    "conference": "inproceedings",
    "journal": "article",
    "preprint": "misc",
    "submission": "misc",
    "proceedings": "proceedings",
    "book": "book",
    "chapter": "incollection",
    "thesis": "thesis",
    "report": "techreport",
    "other": "misc",
}
_THESIS_TYPES = {"phd": "phdthesis", "master": "mastersthesis"}
"""Degrees that BibTeX knows; BibLaTeX has `@thesis` for all."""
_CONTAINER_FIELDS: dict[Kind, str] = {
    "journal": "journal",
    "preprint": "howpublished",
    "other": "howpublished",
}
_INSTITUTION_FIELDS: dict[Kind, str] = {"thesis": "school", "report": "institution"}
_DOI_PAGES = ("https://doi.org/", "http://doi.org/", "https://dx.doi.org/", "http://dx.doi.org/")
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_REPLACEMENTS = {
    "\\": r"\textbackslash{}",
    # BibTeX counts braces even behind a backslash, so a lone `\{` would swallow the rest of the file.
    "{": r"\textbraceleft{}",
    "}": r"\textbraceright{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{char: f"\\{char}" for char in "&%$#_"},
}
_SPECIAL_CHARS = re.compile(r"[\\{}~^&%$#_]")
_LIKE_HTML = re.compile(r"(?<=\\&)(?=#?\w+;)|(?<=<)(?=[/A-Za-z])")
"""Where readers, also ours, would take a text for an entity or a tag."""
_MATHEMATICAL = re.compile(r"[\\^_={]")
_SEPARATORS = re.compile(r"[,;()\[\]&]|\b(?:and|others|al)\b", re.IGNORECASE)
"""What ends a name for BibTeX, or for us when we read it."""
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


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


def entries(
    papers: Sequence[Paper],
    notes: Mapping[PaperId, PaperNotes] = NO_NOTES,
    keys: Mapping[PaperId, str] | None = None,
) -> str:
    """An entry a paper, in order, each paper once; ends with a line break unless empty.

    What a venue refused is `@misc` with a note, never part of its proceedings. `notes` become `annote` and `keywords`,
    which no style prints; `keys` as in `publications`.
    """
    return "\n".join(_entry(key, published) for key, published in publications(papers, notes, keys))


def _entry(key: str, published: Publication) -> str:
    fields = [(name, value) for name, value in (*_fields(published), *_unprinted_fields(published)) if value]
    lines = [f"  {name} = {value}," for name, value in fields]
    return "\n".join([f"@{_entry_type(published)}{{{key},", *lines, "}", ""])


def _entry_type(published: Publication) -> str:
    # Without a degree nobody has said that it was a doctor's.
    known = _THESIS_TYPES.get(published.thesis) if published.kind == "thesis" else None
    return known or _ENTRY_TYPES[published.kind]


def _fields(published: Publication) -> list[tuple[str, str]]:
    """What styles print."""
    kind = published.kind
    has_known_degree = kind != "thesis" or published.thesis in _THESIS_TYPES
    return [
        ("title", _in_braces(escape_title(published.title))),
        ("author", _in_braces(_people(published.authors, has_more=published.has_more_authors))),
        ("editor", _in_braces(_people(published.editors, has_more=published.has_more_editors))),
        ("type", "" if has_known_degree else _in_braces(escape(thesis_name(published.thesis)))),
        (_CONTAINER_FIELDS.get(kind, "booktitle"), _in_braces(escape(published.container))),
        ("series", _in_braces(escape(published.series))),
        ("edition", _in_braces(escape(published.edition))),
        ("volume", _in_braces(escape(published.volume))),
        ("number", _in_braces(escape(published.issue))),
        # BibTeX's styles print a dash between pages for two hyphens.
        ("pages", _in_braces(escape(published.pages).replace("-", "--"))),
        ("eid", _in_braces(escape(published.article_number))),
        ("year", _in_braces(str(published.year or ""))),
        # Without braces: `jan` and its like are macros of the style, which prints them in its own language.
        ("month", _MONTHS[published.month - 1] if published.month else ""),
        ("day", _in_braces(str(published.day or ""))),
        ("address", _in_braces(escape(published.address))),
        *_publishing_houses(published),
        ("isbn", _in_braces(escape(published.isbn))),
        ("issn", _in_braces(escape(published.issn))),
        ("doi", _in_braces(_escape_doi(published.doi))),
        ("eprint", _in_braces(_escape_address(published.arxiv))),
        ("archiveprefix", "{arXiv}" if published.arxiv else ""),
        ("pmid", _in_braces(_escape_address(published.pmid))),
        ("pmcid", _in_braces(_escape_address(published.pmcid))),
        # The page of the DOI says nothing more, and styles would print both.
        ("url", "" if published.url.startswith(_DOI_PAGES) else _in_braces(_escape_address(published.url))),
        ("language", _in_braces(escape(published.language))),
        # Printed by the styles, so that a retraction is in every bibliography.
        ("note", _in_braces(escape(published.note or published.source_note))),
        ("addendum", _in_braces(escape(published.source_note)) if published.note else ""),
    ]


def _publishing_houses(published: Publication) -> list[tuple[str, str]]:
    publisher, institution = _in_braces(escape(published.publisher)), _in_braces(escape(published.institution))
    field = _INSTITUTION_FIELDS.get(published.kind, "institution")
    if published.kind in _INSTITUTION_FIELDS and not institution:
        # Records made before the two were told apart.
        return [(field, publisher)]
    return [(field, institution), ("publisher", publisher)]


def _unprinted_fields(published: Publication) -> list[tuple[str, str]]:
    words = published.keywords
    # Where one of them has a comma, semicolons divide them; of a single one it stands behind it.
    keywords = "; ".join(words) + ";" * (len(words) == 1) if any("," in word for word in words) else ", ".join(words)
    return [
        ("abstract", _in_braces(escape(published.abstract))),
        ("keywords", _in_braces(escape(keywords))),
        ("annote", _in_braces(_remarks(published))),
        ("file", _in_braces(";".join(map(_file, published.files)))),
    ]


def _in_braces(value: str) -> str:
    return f"{{{value}}}" if value else ""


def _remarks(published: Publication) -> str:
    remarks = "\n\n".join(part for part in (published.correction, published.remark) if part)
    return "\n".join(map(escape, remarks.splitlines()))


def _escape_address(address: str) -> str:
    """An address as it is, but for the characters that would break the entry."""
    # Not escaped like text: `hyperref` and managers take an address to the letter.
    return _escape_bytes(r"[\s{}\\\"<>^`|]", address)


def _escape_doi(doi: str) -> str:
    """A DOI as it is; TeX takes a percent sign for a comment wherever a style prints it without `\\url`."""
    return _escape_bytes(r"[\s{}\\\"^`|]", doi).replace("%", "\\%")


def _escape_bytes(characters: str, address: str) -> str:
    return re.sub(characters, lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode()), address)


def _file(path: str) -> str:
    """A path as JabRef and Zotero read it: with its type where a colon or a semicolon would be taken for a divider."""
    # BibTeX counts braces everywhere; no program hands the field on to TeX.
    harmless = path.replace("{", "%7B").replace("}", "%7D")
    if not re.search(r"[:;\\]", harmless):
        return harmless
    suffix = re.search(r"\.([A-Za-z0-9]{1,5})$", harmless)
    escaped = re.sub(r"[:;\\]", lambda mark: f"\\{mark.group()}", harmless)
    return f":{escaped}:{suffix[1].upper() if suffix else ''}"


def _people(people: Sequence[Author], *, has_more: bool) -> str:
    return " and ".join([*map(_person, people), *(["others"] if has_more and people else [])])


def _person(author: Author) -> str:
    if author.is_literal:
        return f"{{{escape(author.family)}}}"
    if author.suffix:
        return f"{_surname(author)}, {_name(author.suffix)}, {_name(author.given) or '{}'}"
    if author.given:
        return f"{_surname(author)}, {_name(author.given)}"
    # BibTeX would take the last word of a group's name for its family name.
    return f"{author.prefix} {_name(author.family)}" if author.prefix else _name(author.family, is_group=True)


def _surname(author: Author) -> str:
    """With its particle, which stays outside of braces: only there is it known as one."""
    return f"{_name(author.prefix)} {_name(author.family)}" if author.prefix else _name(author.family)


def _name(name: str, *, is_group: bool = False) -> str:
    """Braced where BibTeX would take it apart: commas, the words `and` and `others`, groups of several words."""
    needs_braces = _SEPARATORS.search(name) or (is_group and " " in name)
    return f"{{{escape(name)}}}" if needs_braces else escape(name)


def escape(text: str) -> str:
    """`text` for a BibTeX value in braces; `$x^2$` stays a formula, everything else is literal."""
    return "".join(part if formula else _escape_literal(part) for part, formula in _split_formulas(text))


def escape_title(title: str) -> str:
    """Like `escape`, with names and acronyms in braces so that no style lowers them."""
    literal = "".join(part for part, formula in _split_formulas(title) if not formula)
    # In a title in capitals every word looks like an acronym, and braces would keep them all from being lowered.
    if _is_all_caps(literal):
        return escape(title)
    names = _is_sentence_case(literal)
    return "".join(
        part if formula else _protect_capitals(part, names=names) for part, formula in _split_formulas(title)
    )


def _split_formulas(text: str) -> list[tuple[str, bool]]:
    """`text` in pieces, each with whether it is a formula."""
    parts, copied_to = [], 0
    start = text.find("$")
    while start >= 0:
        end = text.find("$", start + 1, start + MAX_FORMULA_CHARS + 2)
        if end < 0 or not _is_formula(text[start + 1 : end]):
            start = text.find("$", start + 1)
            continue
        parts += [(text[copied_to:start], False), (text[start : end + 1], True)]
        copied_to = end + 1
        start = text.find("$", copied_to)
    return [*parts, (text[copied_to:], False)]


def _is_formula(inner: str) -> bool:
    """Whether the text between two dollar signs is mathematics, not a price, and may stay."""
    # A lone `\{` would swallow the rest of the file: BibTeX counts braces even behind a backslash.
    tidy = inner[:1].strip() and inner[-1:].strip() and inner[-1] != "\\" and _MATHEMATICAL.search(inner)
    return bool(tidy) and is_harmless(inner)


def _escape_literal(text: str) -> str:
    return _LIKE_HTML.sub("{}", _escape_signs(text))


def _escape_signs(text: str) -> str:
    return _SPECIAL_CHARS.sub(lambda match: _REPLACEMENTS[match.group()], text)


def _protect_capitals(text: str, *, names: bool) -> str:
    pieces, end = [], 0
    for match in _WORD.finditer(text):
        between = text[end : match.start()]
        pieces.append(_escape_signs(between))
        opens = between.rstrip()[-1:] in tuple(":?!.") if between.strip() else not end
        word = _escape_signs(match.group())
        pieces.append(f"{{{word}}}" if _needs_braces(match.group(), name=names and not opens) else word)
        end = match.end()
    return _LIKE_HTML.sub("{}", "".join([*pieces, _escape_signs(text[end:])]))


def _needs_braces(word: str, *, name: bool) -> bool:
    capital = word[0].isupper()
    inner = any(char.isupper() for char in word[1:])
    letter = len(word) == 1 and word not in "AI"
    return inner or (capital and (name or letter or any(char.isdigit() for char in word)))


def _is_sentence_case(title: str) -> bool:
    """Whether most long words are lower case: then a capital inside marks a name."""
    # The first word has its capital in either way of writing titles and tells nothing.
    words = [match.group() for match in _WORD.finditer(title)][1:]
    words = [word for word in words if len(word) > 3 and word[0].isalpha()]
    return sum(word[0].islower() for word in words) * 2 > len(words)


def _is_all_caps(title: str) -> bool:
    letters = [char for char in title if char.isalpha()]
    return len(title.split()) > 3 and sum(char.isupper() for char in letters) * 5 > len(letters) * 4
