"""A key that a server knows is not shown, however it spells it."""

from __future__ import annotations

import pytest

from litterm.text.redaction import without_secret

KEY = "sk-very8secret7Key41"


@pytest.mark.parametrize(
    "spelling",
    [
        KEY,
        " ".join(KEY),
        "-".join(KEY),
        "\n".join(KEY),
        ", ".join(f'"{char}"' for char in KEY),
        KEY[::-1],
        " ".join(KEY[::-1]),
        KEY.upper(),
        f"{KEY[:10]} and {KEY[10:]}",
        KEY[4:16],
    ],
)
def test_a_key_is_taken_out_however_it_is_spelled(spelling: str) -> None:
    told = without_secret(f"You sent {spelling} to us.", KEY, 4)
    letters = "".join(char for char in told.lower() if char.isalnum())
    assert told.startswith("You sent ")
    assert told.endswith(" to us.")
    assert len(letters) <= len("yousenttous") + len("and")


@pytest.mark.parametrize(
    "sentence", ["", "The key was refused.", "x" * 100, "İstanbul ß", "the very first secret of 1841", "…"]
)
def test_other_words_stay(sentence: str) -> None:
    assert without_secret(sentence, "sk-Qz81Xk27Wv", 4) == sentence
    assert without_secret(sentence, "none", 4) == sentence
    assert without_secret(sentence, "", 4) == sentence
