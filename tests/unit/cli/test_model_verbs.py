"""`config model`, `cache` and the part of `doctor` about a model, against a server that does what it is told."""

from __future__ import annotations

import getpass
import io
import json
import stat
import tomllib
from pathlib import Path

import pytest
from commands import TerminalStream
from fakes_model_server import (
    ModelServer,
    Received,
    Script,
    after,
    bad_key,
    hangs,
    local_ports,
    no_schema,
    page,
    says_json,
)

from litterm.cli.main import main
from litterm.core.errors import SettingsError
from litterm.core.settings.config_file import write_settings

KEY = "sk-very-secret-0123456789"


@pytest.fixture(autouse=True)
def _bare(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LITTERM_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    for name in ("LITTERM_MODEL_BASE_URL", "LITTERM_MODEL_MODEL"):
        monkeypatch.delenv(name, raising=False)


def wants_key(asked: Received) -> Script:
    return says_json({"sum": 5}) if asked.headers["authorization"] == f"Bearer {KEY}" else bad_key()


def config(home: Path) -> dict[str, object]:
    return tomllib.loads((home / "config.toml").read_text("utf-8"))


def test_two_options_are_enough_and_the_file_keeps_its_comments(
    home: Path, model_server: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    (home / "config.toml").write_text("# mine\ntheme = 'x'  # dark\n\n[pdf]\npages = 30\n", "utf-8")
    model_server.brain = lambda asked: no_schema() if asked.rung == "json_schema" else says_json({"sum": 5})
    assert main(["config", "model", "--base-url", model_server.url, "--name", "tiny-1", "--price-in", "0.5"]) == 0
    text = (home / "config.toml").read_text("utf-8")
    assert text.startswith("# mine\ntheme = 'x'  # dark\n\n[pdf]\npages = 30\n")
    assert config(home)["model"] == {"base_url": model_server.url, "model": "tiny-1", "price_in": 0.5}
    out = capsys.readouterr().out
    assert out.startswith(f"tiny-1-2026 at {model_server.url}/v1 answers in ")
    assert "structured as JSON" in out


def test_a_key_comes_by_stdin_and_stays_in_a_file_of_mode_0600(
    home: Path, model_server: ModelServer, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    model_server.brain = wants_key
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{KEY}\n"))
    given = ["--base-url", model_server.url, "--name", "tiny-1", "--key-stdin", "--json"]
    assert main(["config", "model", *given]) == 0
    told = capsys.readouterr()
    proof = json.loads(told.out)["proof"]
    assert (proof["host"], proof["structured"]) == (f"127.0.0.1:{model_server.port}", "json_schema")
    kept = home / "keys" / "127.0.0.1.key"
    assert kept.read_text("utf-8") == f"{KEY}\n"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    everything = [path.read_text("utf-8") for path in home.rglob("*") if path.is_file() and path != kept]
    assert KEY not in "".join([*everything, told.out, told.err])


@pytest.mark.parametrize("script", [bad_key(), page(), says_json({"total": 5})], ids=["key", "page", "form"])
def test_what_is_not_proved_is_not_written(
    home: Path, model_server: ModelServer, script: Script, capsys: pytest.CaptureFixture[str]
) -> None:
    model_server.script(script)
    assert main(["config", "model", "--base-url", model_server.url, "--name", "tiny-1"]) == 4
    assert not (home / "config.toml").exists()
    assert "Nothing was written." in capsys.readouterr().err
    assert main(["config", "model", "--base-url", model_server.url, "--name", "tiny-1", "--no-check"]) == 0
    assert (home / "config.toml").exists()


@pytest.mark.parametrize(
    "wrong",
    [
        ["--base-url", "ftp://x", "--name", "m"],
        ["--base-url", f"https://u:{KEY}@h", "--name", "m"],
        ["--base-url", "http://localhost"],
        ["--base-url", "http://localhost", "--name", "m", "--price-in", "-1"],
        ["--base-url", "http://localhost", "--name", "m", "--key-env", KEY],
        ["--base-url", "http://localhost", "--name", "m", "--key-stdin"],
        [],
    ],
)
def test_what_makes_no_sense_is_a_usage_error_that_shows_no_key(
    home: Path, wrong: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert main(["config", "model", *wrong]) == 2
    assert KEY not in capsys.readouterr().err
    assert not (home / "config.toml").exists()


def test_offline_no_other_machine_is_proved(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config", "model", "--base-url", "https://api.openai.com", "--name", "m", "--offline"]) == 4
    assert "litterm is offline" in capsys.readouterr().err


def test_a_terminal_that_would_show_the_key_is_not_asked_for_it(
    home: Path, model_server: ModelServer, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    model_server.brain = wants_key
    model_server.models = ("tiny-1",)
    model_server.keys = (KEY,)
    monkeypatch.setattr("getpass.getpass", getpass.fallback_getpass)
    monkeypatch.setattr("sys.stdin", TerminalStream(f"{model_server.url}\n{KEY}\n"))
    assert main(["config", "model"]) != 0
    assert "would show the key" in capsys.readouterr().err
    assert not (home / "config.toml").exists()


def test_at_a_terminal_it_asks_and_the_key_is_typed_unseen(
    home: Path, model_server: ModelServer, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    model_server.brain = wants_key
    model_server.models = ("big-1", "tiny-1")
    model_server.keys = (KEY,)
    typed: list[str] = []
    monkeypatch.setattr("getpass.getpass", lambda question: typed.append(question) or KEY)
    monkeypatch.setattr("sys.stdin", TerminalStream(f"{model_server.url}\n2\n"))
    assert main(["config", "model"]) == 0
    assert typed == ["Key: "]
    assert config(home)["model"] == {"base_url": model_server.url, "model": "tiny-1"}
    told = capsys.readouterr()
    assert "ollama, on this machine" in told.err
    assert "  1  big-1" in told.err
    assert KEY not in told.err + told.out


def test_at_a_terminal_what_failed_is_written_only_when_wanted(
    home: Path, model_server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    model_server.script(page())
    monkeypatch.setattr("sys.stdin", TerminalStream(f"{model_server.url}\n\nn\n"))
    assert main(["config", "model"]) == 4
    monkeypatch.setattr("sys.stdin", TerminalStream(f"{model_server.url}\n\ny\n"))
    assert main(["config", "model"]) == 0
    assert config(home)["model"] == {"base_url": model_server.url, "model": "tiny-1"}


def test_a_model_that_runs_here_is_offered_by_name_and_enter_takes_it(
    home: Path, model_server: ModelServer, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    local_ports(monkeypatch, 1, model_server.port)
    model_server.brain = lambda _asked: says_json({"sum": 5})
    monkeypatch.setattr("sys.stdin", TerminalStream("\n"))
    assert main(["config", "model"]) == 0
    address = f"http://127.0.0.1:{model_server.port}/v1"
    assert config(home)["model"] == {"base_url": address, "model": "tiny-1"}
    told = capsys.readouterr().err
    assert f"  2  llama.cpp, on this machine  ({address}): running, with tiny-1" in told
    assert f"Address [{address}]: " in told


def test_of_several_models_that_run_here_enter_takes_the_first(
    home: Path, model_server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    local_ports(monkeypatch, model_server.port)
    model_server.models = ("newest", "older")
    model_server.brain = lambda _asked: says_json({"sum": 5})
    monkeypatch.setattr("sys.stdin", TerminalStream("\n\n"))
    assert main(["config", "model"]) == 0
    assert config(home)["model"]["model"] == "newest"  # type: ignore[index]


def test_doctor_names_a_model_that_runs_here_only_where_none_is_set(
    home: Path, model_server: ModelServer, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    local_ports(monkeypatch, model_server.port)
    main(["doctor", "--json", "--no-ask"])
    assert "running here" not in model_findings(capsys)
    assert not model_server.asked
    main(["doctor", "--json"])
    found = model_findings(capsys)["running here"]
    assert found["value"] == f"tiny-1 at 127.0.0.1:{model_server.port}, the usual port of ollama"
    assert "enter takes it" in found["hint"]
    set_up(home, "http://127.0.0.1:9")
    model_server.asked.clear()
    main(["doctor", "--json"])
    assert not model_server.asked


def answering(asked: Received) -> Script:
    """The test of a model, and the order of two papers."""
    return says_json({"sum": 5} if "sum" in str(asked.body["response_format"]) else {"reasons": [], "order": [2, 1]})


def test_a_command_that_wants_a_model_names_one_that_runs_here(
    home: Path, model_server: ModelServer, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    local_ports(monkeypatch, model_server.port)
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert main(["search", "parsing", "-k", "2", "--rerank"]) == 2
    told = capsys.readouterr()
    assert f"`litterm config model --base-url http://127.0.0.1:{model_server.port}/v1 --name tiny-1`" in told.err
    assert "No language model is set" in told.err
    assert told.out == ""
    assert not model_server.chats


def test_at_a_terminal_enter_takes_it_and_the_command_goes_on(
    home: Path, model_server: ModelServer, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    local_ports(monkeypatch, model_server.port)
    model_server.brain = answering
    monkeypatch.setattr("sys.stdin", TerminalStream("n\n"))
    assert main(["search", "parsing", "-k", "2", "--rerank"]) == 2
    assert not model_server.chats
    monkeypatch.setattr("sys.stdin", TerminalStream("\n"))
    assert main(["search", "parsing", "-k", "2", "--rerank"]) == 0
    assert config(home)["model"]["model"] == "tiny-1"  # type: ignore[index]
    assert len(model_server.chats) == 2
    assert "tiny-1 answers" not in capsys.readouterr().out


def test_a_model_that_runs_here_and_fails_its_test_is_not_set_up(
    home: Path, model_server: ModelServer, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    local_ports(monkeypatch, model_server.port)
    model_server.script(says_json({"total": 5}))
    monkeypatch.setattr("sys.stdin", TerminalStream("\n"))
    assert main(["search", "parsing", "--rerank"]) == 2
    assert "Nothing was written." in capsys.readouterr().err
    assert not (home / "config.toml").exists()


FAR = "http://no-such-host.invalid:8000"


def test_a_key_goes_over_plain_http_only_when_the_user_says_so(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LITTERM_API_KEY", KEY)
    assert main(["config", "model", "--base-url", FAR, "--name", "m"]) == 4
    assert "plain http" in capsys.readouterr().err
    monkeypatch.setattr("sys.stdin", TerminalStream(f"{FAR}\nn\n"))
    assert main(["config", "model"]) == 130
    assert not (home / "config.toml").exists()
    monkeypatch.setattr("sys.stdin", TerminalStream(f"{FAR}\ny\nm\ny\n"))
    assert main(["config", "model"]) == 0
    assert config(home)["model"] == {"base_url": FAR, "model": "m", "plain_http": True}
    assert "LITTERM_API_KEY goes to no-such-host.invalid:8000" in capsys.readouterr().err
    assert main(["config", "model", "--base-url", "http://other.invalid", "--name", "m", "--no-check"]) == 0
    assert config(home)["model"]["plain_http"] is False  # type: ignore[index]
    assert main(["config", "model", "--base-url", FAR, "--name", "m", "--no-check", "--plain-http"]) == 0
    assert config(home)["model"]["plain_http"] is True  # type: ignore[index]


def test_an_end_of_input_writes_nothing(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", TerminalStream(""))
    assert main(["config", "model"]) == 130
    assert not (home / "config.toml").exists()


# -- the settings file --


def test_writing_settings_leaves_links_modes_and_other_values_alone(tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.toml"
    real.write_text('offline = true\n[model]\nbase_url = "http://a"  # here\n', "utf-8")
    real.chmod(0o600)
    link = tmp_path / "config.toml"
    link.symlink_to(real)
    write_settings(link, {"model.model": "m", "model.base_url": None, "starter": False})
    assert link.is_symlink()
    assert stat.S_IMODE(real.stat().st_mode) == 0o600
    assert tomllib.loads(real.read_text("utf-8")) == {"offline": True, "starter": False, "model": {"model": "m"}}


def test_a_file_with_a_fault_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    for text in ("not = toml = at all", "colour = 1", 'model = "x"'):
        path.write_text(text, "utf-8")
        with pytest.raises(SettingsError):
            write_settings(path, {"model.model": "m"})
        assert path.read_text("utf-8") == text


def test_a_value_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="must be"):
        write_settings(tmp_path / "config.toml", {"model.temperature": 9.0})
    assert not (tmp_path / "config.toml").exists()


# -- doctor and cache --


def set_up(home: Path, url: str) -> None:
    write_settings(home / "config.toml", {"model.base_url": url, "model.model": "tiny-1"})


def model_findings(capsys: pytest.CaptureFixture[str]) -> dict[str, dict[str, str]]:
    return {each["name"]: each for each in json.loads(capsys.readouterr().out)["model"]}


def test_doctor_says_before_it_asks_the_model_and_asks_nothing_when_told_so(
    home: Path, model_server: ModelServer, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    set_up(home, model_server.url)
    main(["doctor", "--json", "--no-ask"])
    assert model_findings(capsys)["answer"]["value"] == "not asked"
    monkeypatch.setenv("LITTERM_MODEL_DRY_RUN", "true")
    main(["doctor"])
    assert main(["config", "model", "--base-url", model_server.url, "--name", "tiny-1"]) == 0
    assert model_server.asked == []
    monkeypatch.delenv("LITTERM_MODEL_DRY_RUN")
    capsys.readouterr()
    said_at: list[str] = []
    model_server.brain = lambda _asked: (said_at.append(capsys.readouterr().err), says_json({"sum": 5}))[1]
    main(["doctor"])
    assert f"Testing tiny-1 at 127.0.0.1:{model_server.port} with one small request" in said_at[0]


def test_doctor_says_which_key_goes_where(
    home: Path, model_server: ModelServer, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    set_up(home, model_server.url)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    main(["doctor", "--json", "--no-ask"])
    found = model_findings(capsys)["key sent"]
    assert found["value"] == f"no key goes to 127.0.0.1:{model_server.port}"
    assert "api.openai.com only" in found["hint"]
    monkeypatch.setenv("LITTERM_API_KEY", KEY)
    main(["doctor", "--json", "--no-ask"])
    assert "LITTERM_API_KEY goes to" in model_findings(capsys)["key sent"]["value"]


def test_doctor_proves_the_model_anew(
    home: Path, model_server: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    set_up(home, model_server.url)
    model_server.script(says_json({"sum": 5}))
    assert main(["doctor", "--json"]) == 0
    found = model_findings(capsys)
    assert "answers in" in found["answer"]["value"]
    assert found["key"]["value"] == "none"
    assert found["asked"]["where"] == "this machine"
    assert len(model_server.asked) == 1
    assert main(["doctor", "--json"]) == 0
    assert len(model_server.asked) == 2


def test_doctor_says_what_is_wrong_with_the_model_and_goes_on(
    home: Path, model_server: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    set_up(home, model_server.url)
    model_server.script(bad_key())
    assert main(["doctor", "--json"]) == 0
    answer = model_findings(capsys)["answer"]
    assert (answer["state"], "refuses the key" in answer["value"]) == ("missing", True)


@pytest.mark.parametrize("script", [hangs(), after(0.2, no_schema())], ids=["silent", "slowly refusing"])
def test_doctor_never_hangs(
    home: Path,
    model_server: ModelServer,
    script: Script,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("litterm.cli.diagnostics.doctor._MODEL_TIMEOUT_S", 0.3)
    set_up(home, model_server.url)
    model_server.script(script)
    assert main(["doctor", "--json"]) == 0
    assert "did not answer within 0.3 s" in model_findings(capsys)["answer"]["value"]


def test_doctor_without_a_model_asks_nobody_and_misses_nothing(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert "litterm config model" in told["model"][0]["value"]
    assert told["model"][0]["state"] == "ok"


def test_doctor_offline_asks_no_other_machine(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    set_up(home, "https://api.openai.com/v1")
    assert main(["doctor", "--json", "--offline"]) == 0
    assert "litterm is offline" in model_findings(capsys)["state"]["value"]


def test_the_cache_is_counted_and_cleared(
    home: Path, model_server: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    set_up(home, model_server.url)
    model_server.script(says_json({"sum": 5}))
    main(["doctor"])
    capsys.readouterr()
    assert main(["cache", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["cleared"], told["replies"]["files"], told["endpoints"]["files"]) == (False, 1, 1)
    assert told["replies"]["bytes"] > 100
    assert main(["cache", "--clear"]) == 0
    assert "1 replies" in capsys.readouterr().out
    main(["cache", "--json"])
    told = json.loads(capsys.readouterr().out)
    assert (told["replies"], told["endpoints"]) == ({"files": 0, "bytes": 0}, {"files": 0, "bytes": 0})
