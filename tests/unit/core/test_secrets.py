"""Where the key of a model comes from, and that it stays there."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from litterm.core.errors import SettingsError
from litterm.core.settings.secrets import find_key, key_file, store_key

HOST = "api.example.org"


def test_the_variable_of_the_settings_comes_first_then_ours_then_the_file_then_the_usual_one(tmp_path: Path) -> None:
    environ = {"MINE": "a", "LITTERM_API_KEY": "b", "OPENAI_API_KEY": "d"}
    store_key(tmp_path, HOST, "c")
    assert find_key(tmp_path, HOST, "MINE", environ).reveal() == "a"
    assert find_key(tmp_path, HOST, "", environ).reveal() == "b"
    del environ["LITTERM_API_KEY"]
    assert find_key(tmp_path, HOST, "", environ).reveal() == "c"
    assert find_key(tmp_path, "api.openai.com", "", environ).reveal() == "d"


@pytest.mark.parametrize(
    "host",
    ["other.example.org", "localhost", "127.0.0.1", "openai.com", "api.openai.com.example.org", "xapi.openai.com"],
)
def test_the_usual_variable_is_for_its_own_host_only(tmp_path: Path, host: str) -> None:
    assert not find_key(tmp_path, host, "", {"OPENAI_API_KEY": "d"}).is_there


def test_a_named_variable_that_is_empty_does_not_send_another_key(tmp_path: Path) -> None:
    key = find_key(tmp_path, HOST, "MINE", {"LITTERM_API_KEY": "b", "OPENAI_API_KEY": "d"})
    assert (key.reveal(), key.is_there) == ("none", False)


def test_without_any_key_local_servers_get_the_word_none(tmp_path: Path) -> None:
    assert find_key(tmp_path, "localhost", "", {}).reveal() == "none"


def test_a_key_is_kept_where_only_the_user_can_read_it_and_for_one_host(tmp_path: Path) -> None:
    path = store_key(tmp_path, HOST, "  sk-1\n")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert find_key(tmp_path, HOST, "", {}).reveal() == "sk-1"
    assert not find_key(tmp_path, "example.org", "", {}).is_there


def test_a_file_others_can_read_is_refused(tmp_path: Path) -> None:
    path = store_key(tmp_path, HOST, "sk-1")
    path.chmod(0o640)
    with pytest.raises(SettingsError, match="chmod 600") as caught:
        find_key(tmp_path, HOST, "", {})
    assert "sk-1" not in str(caught.value)


@pytest.mark.parametrize("text", ["", "two words", "sk-\nsplit", "schlüssel", "a\x00b"])
def test_what_no_header_can_carry_is_no_key_and_is_not_repeated(tmp_path: Path, text: str) -> None:
    with pytest.raises(SettingsError) as caught:
        store_key(tmp_path, HOST, text)
    assert not text or text not in str(caught.value)
    assert not key_file(tmp_path, HOST).exists()


def test_a_key_does_not_show_itself(tmp_path: Path) -> None:
    key = find_key(tmp_path, HOST, "", {"LITTERM_API_KEY": "sk-1"})
    assert "sk-1" not in f"{key} {key!r} {[key]}"
    assert "LITTERM_API_KEY" in repr(key)


@pytest.mark.parametrize("host", ["../../etc/passwd", "..", "a/b", "", "HOST:80", "[::1]:80"])
def test_no_host_leads_out_of_the_folder_of_keys(tmp_path: Path, host: str) -> None:
    assert key_file(tmp_path, host).resolve().parent == (tmp_path / "keys").resolve()
