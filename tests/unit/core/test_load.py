"""Settings: order of places, refusals that help, and where each value came from."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
from pathlib import Path

import pytest

from litterm.core.errors import SettingsError
from litterm.core.settings import EncoderSettings, ModelSettings, PdfLimits, Settings, from_home, load
from litterm.core.settings.options import OPTIONS


def with_file(home: Path, text: str, **environ: str) -> Settings:
    (home / "config.toml").write_text(text, encoding="utf-8")
    return load({}, {"LITTERM_HOME": str(home), **environ})


def test_without_any_place_the_defaults_hold(tmp_path: Path) -> None:
    settings = load({}, {"LITTERM_HOME": str(tmp_path)})
    assert settings == from_home(tmp_path)
    assert settings.sources.of("offline") == "default"


def test_a_file_beats_the_default_the_environment_the_file_and_a_flag_the_environment(tmp_path: Path) -> None:
    text = 'theme = "from-file"\ncontact = "file@example.org"\noffline = false\n'
    (tmp_path / "config.toml").write_text(text, encoding="utf-8")
    environ = {"LITTERM_HOME": str(tmp_path), "LITTERM_CONTACT": "env@example.org", "LITTERM_OFFLINE": "no"}
    settings = load({"offline": True}, environ)
    assert (settings.theme, settings.contact, settings.offline) == ("from-file", "env@example.org", True)
    of = settings.sources.of
    assert of("theme") == str(tmp_path / "config.toml")
    assert (of("contact"), of("offline"), of("starter")) == ("LITTERM_CONTACT", "--offline", "default")


def test_the_home_flag_beats_the_variable(tmp_path: Path) -> None:
    settings = load({"home": str(tmp_path / "b")}, {"LITTERM_HOME": str(tmp_path / "a")})
    assert settings.library == tmp_path / "b" / "library"
    assert settings.sources.of("folder.library") == "--home"


def test_without_a_home_the_folders_of_the_platform_are_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CONFIG", "DATA", "CACHE", "STATE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    settings = load({}, {})
    if sys.platform == "linux":
        assert settings.config == tmp_path / "config" / "litterm" / "config.toml"
        assert settings.library == tmp_path / "data" / "litterm" / "library"
        assert settings.cache == tmp_path / "cache" / "litterm"
        assert settings.logs == tmp_path / "state" / "litterm" / "log"
    assert settings.sources.of("folder.cache") == "platform"


def test_a_library_elsewhere_is_named_with_its_origin(tmp_path: Path) -> None:
    settings = with_file(tmp_path, "", LITTERM_LIBRARY=str(tmp_path / "big disk"))
    assert settings.library == tmp_path / "big disk"
    assert settings.sources.of("folder.library") == "LITTERM_LIBRARY"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ofline = true", ["config.toml", "'ofline'", "'offline'"]),
        ("[pdf]\npagse = 3", ["config.toml", "'pdf.pagse'", "'pdf.pages'"]),
        ("zzzz = 1", ["config.toml", "'zzzz'", "there are", "theme"]),
        ("offline = 3", ["config.toml", "offline", "true or false"]),
        ('ascii = "perhaps"', ["ascii", "auto"]),
        ("theme = 7", ["theme", "text"]),
        ("[pdf]\npages = 0", ["pdf.pages", "1 to 100000"]),
        ("[pdf]\npages = 2.5", ["pdf.pages", "whole number"]),
        ("[pdf]\npages = true", ["pdf.pages", "whole number"]),
        ('[pdf]\ntimeout_s = "soon"', ["pdf.timeout_s", "number"]),
        ("offline = @", ["config.toml", "line 1"]),
        ("keys = 3", ["config.toml", "keys"]),
        ("[keys]\nreader.next = 3", ["config.toml", "keys.reader.next", "key"]),
    ],
)
def test_a_fault_in_the_file_names_file_key_and_what_is_wanted(tmp_path: Path, text: str, words: list[str]) -> None:
    with pytest.raises(SettingsError) as caught:
        with_file(tmp_path, text)
    assert [word for word in words if word not in str(caught.value)] == []
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        f"library = {'[' * 5000}{']' * 5000}",
        f"library = {'{a = ' * 5000}1{'}' * 5000}",
        f"{'.'.join('a' * 5000)} = 1",
        f"keys = {'[' * 900}{']' * 900}",
        f"offline = {'[' * 300}{']' * 300}",
    ],
)
def test_a_value_that_is_nested_deep_is_told_and_is_no_bug(tmp_path: Path, text: str) -> None:
    (tmp_path / "config.toml").write_text(text)
    with pytest.raises(SettingsError, match=r"config\.toml: "):
        load({"home": str(tmp_path)}, {})


def test_a_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_bytes(b"theme = '\xff'")
    with pytest.raises(SettingsError, match="UTF-8"):
        load({}, {"LITTERM_HOME": str(tmp_path)})


def test_a_byte_order_mark_is_no_fault(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_bytes(b"\xef\xbb\xbfoffline = true\n")
    assert load({}, {"LITTERM_HOME": str(tmp_path)}).offline


def test_a_fault_in_a_variable_names_the_variable(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="LITTERM_PDF_PAGES is 'many'"):
        load({}, {"LITTERM_HOME": str(tmp_path), "LITTERM_PDF_PAGES": "many"})


def test_an_empty_variable_is_as_if_unset(tmp_path: Path) -> None:
    assert not load({}, {"LITTERM_HOME": str(tmp_path), "LITTERM_OFFLINE": ""}).offline


def test_a_home_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("", encoding="utf-8")
    with pytest.raises(SettingsError, match="not a folder"):
        load({}, {"LITTERM_HOME": str(tmp_path / "x")})


def test_unknown_litterm_variables_are_listed_not_refused(tmp_path: Path) -> None:
    settings = load({}, {"LITTERM_HOME": str(tmp_path), "LITTERM_OFLINE": "1", "LITTERM_SHARED": "x"})
    assert settings.sources.unknown_variables == ("LITTERM_OFLINE",)


def test_keys_are_taken_quoted_nested_and_as_lists(tmp_path: Path) -> None:
    text = '[keys]\nreader.next-evidence = "ctrl+n"\n"results.sort" = ["S", "f3"]\n'
    settings = with_file(tmp_path, text)
    assert dict(settings.keys) == {"reader.next-evidence": "ctrl+n", "results.sort": "S,f3"}
    assert settings.sources.of("keys.results.sort") == str(tmp_path / "config.toml")


def test_every_option_can_be_set_by_its_variable(tmp_path: Path) -> None:
    for option in OPTIONS:
        text = {bool: "yes", int: "7", float: "1.5", type(None): "7"}.get(type(option.default), "word")
        odd = {"pdf.memory_mb": "200", "results_layout": "cards", "ascii": "no", "model.base_url": "http://localhost:1"}
        odd |= {"server": "http://localhost:1", "model.agent_temperature": "1"}
        settings = load({}, {"LITTERM_HOME": str(tmp_path), option.variable: odd.get(option.name, text)})
        name = f"folder.{option.name}" if option.name in ("library", "cache") else option.name
        assert settings.sources.of(name) == option.variable


def test_what_is_not_set_is_as_in_the_classes_and_every_field_of_them_can_be_set(tmp_path: Path) -> None:
    unset = load({}, {"LITTERM_HOME": str(tmp_path)})
    assert unset == from_home(tmp_path)
    fields = {field.name for field in dataclasses.fields(Settings)}
    # Folders that are all named by the home folder, tables, and what a command alone is told.
    fields -= {"config", "logs", "themes", "pdf", "model", "encoder", "keys", "sources", "cluster"}
    fields |= {f"pdf.{field.name}" for field in dataclasses.fields(PdfLimits)}
    fields |= {f"model.{field.name}" for field in dataclasses.fields(ModelSettings)}
    fields |= {f"encoder.{field.name}" for field in dataclasses.fields(EncoderSettings)}
    assert {option.name for option in OPTIONS} == fields


def test_no_setting_can_hold_a_secret() -> None:
    harmless = ("model.key_env", "model.run_tokens", "model.day_tokens", "citation_key")
    named = [o.name for o in OPTIONS if any(w in o.name for w in ("key", "token", "secret", "password"))]
    assert [name for name in named if name not in harmless] == []


@pytest.mark.parametrize(
    "text",
    [
        '[model]\nkey_env = "sk-very-secret-1"',
        '[model]\nbase_url = "https://user:very-secret@example.org/v1"',
        '[model]\nbase_url = "https://example.org/v1?key=very-secret"',
        '[model]\nbase_url = "ftp://very-secret@example.org"',
        '[model]\napi_key = "very-secret"',
    ],
)
def test_a_key_in_the_wrong_place_is_refused_and_not_repeated(tmp_path: Path, text: str) -> None:
    (tmp_path / "config.toml").write_text(text, "utf-8")
    with pytest.raises(SettingsError) as caught:
        load({}, {"LITTERM_HOME": str(tmp_path)})
    assert "very-secret" not in str(caught.value)


def test_the_table_of_the_model(tmp_path: Path) -> None:
    text = '[model]\nbase_url = " http://localhost:11434 "\nmodel = "m:8b"\ntimeout_s = "auto"\nprice_in = 0.15\n'
    (tmp_path / "config.toml").write_text(text, "utf-8")
    model = load({}, {"LITTERM_HOME": str(tmp_path), "LITTERM_MODEL_CONCURRENCY": "2"}).model
    assert (model.base_url, model.model, model.is_set) == ("http://localhost:11434", "m:8b", True)
    assert (model.timeout_s, model.price_in, model.concurrency, model.temperature) == (None, 0.15, 2, 0.0)
    assert not load({}, {"LITTERM_HOME": str(tmp_path / "other")}).model.is_set


def test_the_variable_with_the_key_is_no_stranger(tmp_path: Path) -> None:
    settings = load({}, {"LITTERM_HOME": str(tmp_path), "LITTERM_API_KEY": "very-secret", "LITTERM_API": "x"})
    assert settings.sources.unknown_variables == ("LITTERM_API",)
    assert "very-secret" not in repr(settings) + repr(settings.sources)


def test_with_a_home_loading_does_not_import_platformdirs(tmp_path: Path) -> None:
    code = (
        "import sys, os; from litterm.core.settings import load; load({}, os.environ); print('platformdirs' in "
        "sys.modules)"
    )
    env = {**os.environ, "LITTERM_HOME": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env, check=True)
    assert done.stdout.strip() == "False"
