"""A command line that cannot be read is answered in plain words."""

from __future__ import annotations

import pytest
from commands import Command

from litterm.cli.parser import parse
from litterm.core.errors import UsageError


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("show", "give PAPER; see `litterm show --help`"),
        ("bench", "give NAME and PATH; see `litterm bench --help`"),
        ("search x --sort", "--sort needs a value; see `litterm search --help`"),
        ("search x --json=3", "--json takes no value; see `litterm search --help`"),
        ("search x --sort reevance", "--sort: there is no 'reevance'; did you mean 'relevance'?; see"),
        ("search x --sortt y", "there is no option --sortt; did you mean '--sort'?; see `litterm search --help`"),
        ("show a b", "'b' is one argument too many; see `litterm show --help`"),
        ("config model --key-env X --key-stdin", "--key-stdin and --key-env cannot be combined; see"),
        ("config modle", "model|encoder: there is no 'modle'; did you mean 'model'?; see `litterm config --help`"),
        ("cite x -k 0", "-k: '0' is not a whole number of 1 or more; see `litterm cite --help`"),
    ],
)
def test_a_mistake_is_named_in_plain_words(line: str, says: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse(line.split())
    assert str(refused.value).startswith(says)


@pytest.mark.parametrize(
    ("line", "name", "words"),
    [
        ("search foo -k 3 bar", "query", ["foo", "bar"]),
        ("search -k 3 foo --year 2020 bar --json baz", "query", ["foo", "bar", "baz"]),
        ("cite as in -k 2 [CITATION]", "excerpt", ["as", "in", "[CITATION]"]),
        ("first topic -k 2 models", "topic", ["topic", "models"]),
        ("list parsing --json trees", "topic", ["parsing", "trees"]),
        ("find parsing --in acl trees", "query", ["parsing", "trees"]),
        ("sync acl --json parsing trees", "query", ["parsing", "trees"]),
        ("watch parsing --json trees", "query", ["parsing", "trees"]),
        ("search -- -foo bar", "query", ["-foo", "bar"]),
    ],
)
def test_options_may_stand_between_the_words_of_a_text(line: str, name: str, words: list[str]) -> None:
    assert getattr(parse(line.split()), name) == words


def test_an_option_between_words_is_still_refused_twice() -> None:
    with pytest.raises(UsageError, match="-k is given twice"):
        parse("search foo -k 3 bar -k 4".split())


def test_config_without_a_word_says_what_to_type(litterm: Command) -> None:
    refused = litterm("config")
    assert refused.status == 2
    assert "`litterm config model`" in refused.err


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--year", "20x"], "litterm: --year: “20x” is not a year"),
        (["--cited", "a lot"], "litterm: --cited: “a lot” is no number of citations"),
        (["year:20x"], "litterm: column 10: “20x” is not a year"),
    ],
)
def test_a_filter_is_named_as_it_was_given(litterm: Command, options: list[str], says: str) -> None:
    refused = litterm("search", "foo", *options)
    assert refused.status == 2
    assert refused.err.startswith(says)
