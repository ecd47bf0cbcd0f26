"""What came of an id that was asked for, in words."""

from __future__ import annotations

from litterm.model.services import Obtained

_BEGINNINGS = {
    "full text": "The full text is here",
    "abstract only": "Abstract only",
    "not open": "Not open",
    "not found": "Not found",
    "failed": "Failed",
}
_NAMES = {
    "pmc-cloud": "PMC Cloud",
    "pmc": "PubMed Central",
    "pmc-oai": "PubMed Central",
    "europepmc": "Europe PMC",
    "bioc": "BioC-PMC",
    "acl": "the ACL Anthology",
    "arxiv": "arXiv",
    "arxiv-html": "arXiv",
    "iclr": "OpenReview",
    "s2": "Semantic Scholar",
    "unpaywall": "Unpaywall",
    "openalex": "OpenAlex",
    "crossref": "Crossref",
    "pubmed": "PubMed",
}


def called(each: Obtained) -> str:
    """Who gave it, as people call it; empty where nobody did."""
    return "" if each.via in ("", "library") else service_name(each.via)


def service_name(name: str) -> str:
    """A service as people call it, of the name it goes by here."""
    return _NAMES.get(name, name)


def version_words(each: Obtained) -> str:
    """Which version a text is, where it is not what was published: quotes from it may read otherwise there."""
    return "" if each.version in ("", "published") else each.version


def reason(each: Obtained) -> tuple[str, ...]:
    """Its licence, or why it is not what was asked for; nothing where neither is known."""
    told = (f"Licence: {each.licence}." if each.licence else "", each.why)
    return tuple(part for part in told if part)


def obtained_words(each: Obtained) -> str:
    """A sentence or two: the outcome, who gave it under which licence, or why not."""
    via = f" by {called(each)}" if called(each) else ""
    rest = "".join(f", {part}" for part in (version_words(each), each.licence) if part)
    said = f"{_BEGINNINGS[each.outcome]}{via}{rest}."
    again = " `.` tries again." if each.transient else ""
    return f"{said} {each.why}".rstrip() + again
