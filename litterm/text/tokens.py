"""Converts text to tokens: one tokenizer with two profiles, for index, queries, evidence and citations.

Text is folded (accents and case), cut at everything that is neither letter nor digit, and stemmed
(Snowball English). Single letters and digits stay: "C", "R" and "5-shot" can be searched for. Runs of
Chinese characters, which know no blanks, become overlapping pairs.
"""

from __future__ import annotations

import re
import unicodedata
import zlib
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import Stemmer

    Hashes: TypeAlias = "npt.NDArray[np.uint32]"

Profile = Literal["index", "evidence"]
"""`index` drops stop words; `evidence` keeps them."""

TOKENIZER = "1"
"""Raised with every change of tokens or of index files; the next writer rebuilds an index of another version."""

# Lucene's English list. A longer one costs recall: "all" or "how" may be what tells two titles apart.
STOP_WORDS = frozenset(
    "a an and are as at be but by for if in into is it no not of on or such that the their then there these they "
    "this to was will with".split()
)

_WORD = re.compile(r"[^\W_]+")
_BETWEEN_WORDS = re.compile(r"[\W_]+")
_ASCII_WORDS = {code: chr(code).lower() if chr(code).isalnum() else " " for code in range(128)}
"""Translation table: what is neither letter nor digit becomes a blank."""
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]+")
# Compiled when first met: each takes 2 ms, and most searches meet no ideograph.
_IDEOGRAPH = "[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]"
_IDEOGRAPHS = "[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+|[^\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+"
_RAW_WORD = re.compile(r"[^\W_](?:[^\W_]|[\u0300-\u036f\u00ad])*")
# Letters with a stroke have no decomposition, yet nobody who looks for Søgaard or Wałęsa wants to type them.
_STROKED_LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th"}
)
_CACHE_LIMIT = 100_000
_HASH_MULTIPLIER = 0x9E3779B1
"""2**32 divided by the golden ratio: multiplying by it spreads numbers that are close together (Knuth)."""
FUNCTION_WORDS = STOP_WORDS | frozenset(
    "about above after again against all also am any based because been before being below between both can could "
    "did do does done during each from further had has have having he her here his how however i its itself just "
    "many may might more most much must once only other our over own same shall she should so some than those "
    "through thus under until us use used uses using very via we were what when where which while who whom why "
    "would you your".split()
)
"""Folded words; dropped from evidence vectors and citation queries, never from the index."""

QUESTION_WORDS = frozenset(
    "about any approach approaches are article articles can could did discuss discusses do does existing explore "
    "explores find finding give how interested introduce introduces investigate investigates is list literature look "
    "looking me method methods paper papers present presents propose proposed proposes provide recent recommend "
    "related relevant research should show some studies study survey there was were what when where which who whom "
    "whose why will work works would".split()
)
"""Folded words that talk about papers rather than about their topic; dropped from citation queries."""

SENTENCE_WORDS = frozenset(
    "across actually along already although among another anybody anyone anything apart aren aware beside besides "
    "beyond couldn didn doesn don either else especially etc even ever every everyone example except get got hadn "
    "hasn haven hence instance instead isn know known let like ll neither never often onto others particularly per "
    "please rather re really s seek seeking several shouldn since somebody someone something specifically still t "
    "tell though toward towards unlike up upon usually various ve want wanted wants wasn well weren whereas whether "
    "within without won wonder wondering wouldn yet".split()
)
"""Folded words that a question or a description in whole sentences is made of beside the two lists above, parts of
"don't" and "it's" among them. What fitted weights go by (evidence, citations) does not know this list."""
# What follows a letter in C++, C# or F# is part of the name; other punctuation is not.
_PHRASE_WORD = re.compile(r"[^\W_]+[+#]*")
_SIGN = re.compile(r"[^\W_][+#]")


def fold(text: str) -> str:
    """`text` without accents and case, ligatures and soft hyphens resolved; its length may change.

    Folding what is folded changes nothing.
    """
    if text.isascii():
        return text.lower()
    return _BEYOND_ASCII.sub(_fold_match, text).lower()


def words(text: str) -> list[str]:
    """The folded words of `text` in order, unstemmed, stop words included."""
    # As `_WORD` finds them in the folded text, in half the time: most of what is beyond ASCII are accents and quotes.
    spaced = text if text.isascii() else _BEYOND_ASCII.sub(_space_match, text)
    if spaced.isascii():
        return spaced.translate(_ASCII_WORDS).split()
    folded_text = spaced.lower()
    found_words = _WORD.findall(folded_text)
    if not re.search(_IDEOGRAPH, folded_text):
        return found_words
    return [part for word in found_words for part in _split_ideographs(word)]


def tokens(text: str, profile: Profile = "index") -> list[str]:
    """The stems of `text` in order, with repeats."""
    if profile == "index":
        return [_STEMS[word] for word in words(text) if word not in STOP_WORDS]
    return [_STEMS[word] for word in words(text)]


def stem(word: str) -> str:
    """The stem of one folded word."""
    return _STEMS[word]


def stems(folded_words: Sequence[str]) -> list[str]:
    """The stem of each folded word, in order; for many words that occur once each."""
    stemmed: list[str] = _stemmer().stemWords(list(folded_words))
    return stemmed


def stem_spans(text: str) -> list[tuple[int, int, str]]:
    """Start, end and stem of every word of `text`, in characters of `text` as it is; for marking words."""
    spans: list[tuple[int, int, str]] = []
    for match in _RAW_WORD.finditer(text):
        spans.extend((match.start(), match.end(), _STEMS[word]) for word in words(match.group()))
    return spans


def _split_ideographs(word: str) -> Iterable[str]:
    for run in re.findall(_IDEOGRAPHS, word):
        if len(run) < 3 or not re.match(_IDEOGRAPH, run):
            yield run
        else:
            yield from (run[index : index + 2] for index in range(len(run) - 1))


def _fold_match(match: re.Match[str]) -> str:
    return _FOLD_CACHE[match.group()]


def _space_match(match: re.Match[str]) -> str:
    return _SPACING_CACHE[match.group()]


def _fold_run(run: str) -> str:
    # Twice, because case folding can bring forth letters that decompose once more.
    for _ in range(2):
        bare = (c for c in unicodedata.normalize("NFKD", run) if not _is_mark(c))
        run = "".join(bare).casefold().translate(_STROKED_LETTERS)
    # Composed again, so that Hangul comes back as syllables.
    return unicodedata.normalize("NFC", run)


def _is_mark(character: str) -> bool:
    category = unicodedata.category(character)
    return category[0] == "M" or category == "Cf"


class _RunCache(dict[str, str]):
    """Runs beyond ASCII and what `change` makes of them; emptied when full."""

    def __init__(self, change: Callable[[str], str]) -> None:
        self._change = change

    def __missing__(self, run: str) -> str:
        changed = self._change(run)
        # Longer runs are whole sentences of another script, which hardly come again.
        if len(run) <= 64:
            if len(self) >= _CACHE_LIMIT:
                self.clear()
            self[run] = changed
        return changed


class _StemCache(dict[str, str]):
    """Folded words and their stems; emptied when full."""

    def __missing__(self, word: str) -> str:
        stemmed: str = _stemmer().stemWord(word)
        # Emptied as a whole: what is frequent is back at once, and no order of use has to be kept.
        if len(self) >= _CACHE_LIMIT:
            self.clear()
        self[word] = stemmed
        return stemmed


def _stemmer() -> Stemmer.Stemmer:
    # A stemmer is not thread-safe, and making one takes 3 µs.
    import Stemmer

    return Stemmer.Stemmer("english", 0)


_FOLD_CACHE = _RunCache(_fold_run)
_SPACING_CACHE = _RunCache(lambda run: _BETWEEN_WORDS.sub(" ", _fold_run(run)))
_STEMS = _StemCache()


def hash_word(text: str) -> int:
    """32 bits of `text`; never 0."""
    return zlib.crc32(text.encode("utf-8", "surrogatepass")) or 1


def hash_words(texts: Sequence[str]) -> Hashes:
    """`hash_word` each."""
    import numpy as np

    return np.array([hash_word(text) for text in texts], np.uint32)


def hash_pairs(first: Hashes, second: Hashes) -> Hashes:
    """One hash for each pair of adjacent words, element by element."""
    import numpy as np

    # Not symmetric: the words of a pair have an order.
    mixed: Hashes = (first * np.uint32(_HASH_MULTIPLIER)) ^ (second + (first >> np.uint32(7)))
    return mixed


def has_signs(phrase: str) -> bool:
    """Whether words alone do not tell: `C++` is not in every text that holds the word `C`."""
    return _SIGN.search(phrase) is not None


def phrase_test(phrase: str) -> Callable[[str], bool]:
    """A test for folded texts that hold all words of `phrase`, unstemmed, one right after the other.

    A phrase without a letter or digit is in every text.
    """
    phrase_words = _PHRASE_WORD.findall(fold(phrase))
    if not phrase_words:
        return lambda _folded: True
    first, *following = map(re.escape, phrase_words)
    # The bound follows the first word: only a pattern that starts with plain letters is searched quickly.
    start, end = rf"{first}(?<![^\W_]{first})", r"(?![\w+#])" if phrase_words[-1][-1] in "+#" else r"(?![^\W_])"
    search = re.compile(r"[\W_]+".join((start, *following)) + end).search
    return lambda folded: search(folded) is not None
