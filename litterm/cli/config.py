"""`litterm config model`: sets up a language model, tests it with one tiny request, and saves the settings.

`litterm config encoder` is in `litterm.cli.encoder`.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from litterm.cli.context import Context
from litterm.cli.local_model import find_servers, models_words
from litterm.core.errors import KeyRefused, ModelError, Stopped, UsageError

if TYPE_CHECKING:
    from litterm.core.settings import Settings
    from litterm.core.settings.options import Value
    from litterm.core.settings.secrets import ApiKey
    from litterm.llm.local_servers import LocalServer
    from litterm.model.llm import EndpointProbe

_REMOTE_SERVERS = (("OpenRouter", "https://openrouter.ai/api/v1"), ("OpenAI", "https://api.openai.com/v1"))
_MAX_MODELS_SHOWN = 30
"""Models listed of a server that has many."""
_EXIT_UNTESTED = 4


def declare(_command: str, parser: argparse.ArgumentParser) -> None:
    """Adds the options that answer the questions of `litterm config model` without a dialog."""
    # Not required by argparse, which could only say that something is missing.
    parser.add_argument("what", nargs="?", choices=["model", "encoder"], metavar="model|encoder", help="what to set up")
    parser.add_argument(
        "encoder",
        nargs="?",
        metavar="FOLDER|NAME|off",
        help="for `encoder`: its folder, its name on huggingface.co, or off; without it, how far its vectors are",
    )
    parser.add_argument("--yes", action="store_true", help="for `encoder`: download it and make vectors without asking")
    parser.add_argument("--base-url", metavar="URL", help="address of the model server, with or without /v1")
    parser.add_argument("--name", metavar="MODEL", help="name of the model on that server")
    key = parser.add_mutually_exclusive_group()
    key.add_argument("--key-env", metavar="NAME", help="environment variable that holds the key")
    key.add_argument(
        "--key-stdin", action="store_true", help="read the key from stdin and store it in a file only you can read"
    )
    parser.add_argument("--price-in", type=float, metavar="DOLLARS", help="dollars per million tokens sent")
    parser.add_argument("--price-out", type=float, metavar="DOLLARS", help="dollars per million tokens received")
    parser.add_argument(
        "--plain-http", action="store_true", help="allow the key to be sent over plain http to another machine"
    )
    parser.add_argument("--no-check", action="store_true", help="save without testing the server")
    parser.add_argument("--json", action="store_true", help="JSON on stdout")


def run(_command: str, args: argparse.Namespace, context: Context) -> int:
    """Tests and saves the settings; returns 4, saving nothing unless the user insists, if the server fails the test."""
    if args.what is None:
        raise UsageError(
            "say what to set up: `litterm config model` asks for a language model, step by step, and"
            " `litterm config encoder FOLDER` sets a sentence encoder"
        )
    if args.what == "encoder":
        from litterm.cli.encoder import set_encoder

        return set_encoder(args, context)
    if args.encoder:
        raise UsageError(f"`litterm config model` takes no {args.encoder!r}; --name names the model")
    interactive = not args.base_url and not args.key_stdin and sys.stdin is not None and sys.stdin.isatty()
    new = _ask_settings(args, context) if interactive else _settings_from_options(args, context)
    probe = None
    context.output.say(f"{_describe_key(new, context)}.")
    if not args.no_check and not context.settings.model.dry_run:
        try:
            probe = _test_server(new, context)
        except ModelError as error:
            context.output.say(f"litterm: {error}")
            if not interactive or not _confirm(context, "Save it anyway?"):
                context.output.say("Nothing was written.")
                return _EXIT_UNTESTED
    _save(new, context)
    _show_result(new, probe, args, context)
    return 0


@dataclass(frozen=True, slots=True)
class _NewSettings:
    """The settings to be written, and the key, which goes into a file of its own."""

    values: Mapping[str, Value]
    # Kept out of `repr`: a traceback in the log must not hold a key.
    key: str = field(default="", repr=False)

    def settings(self, current: Settings) -> Settings:
        """The current settings with the new values in place."""
        model = current.model
        for name, value in self.values.items():
            model = replace(model, **{name.removeprefix("model."): value})  # type: ignore[arg-type]
        return replace(current, model=model)

    def environ(self) -> dict[str, str]:
        """The environment with the key that was given, ahead of any other."""
        from litterm.core.settings.secrets import KEY_VARIABLE

        return {**os.environ, KEY_VARIABLE: self.key} if self.key else dict(os.environ)


def _settings_from_options(args: argparse.Namespace, context: Context) -> _NewSettings:
    model = context.settings.model
    base_url, name = args.base_url or model.base_url, args.name or model.model
    if not base_url or not name:
        raise UsageError("without a terminal, --base-url and --name are required; see `litterm config --help`")
    key = ""
    if args.key_stdin:
        key = (sys.stdin.readline() if sys.stdin is not None else "").strip()
        if not key:
            raise UsageError("--key-stdin was given, but there is no key on stdin")
    new = _NewSettings(_parse_values(base_url, name, args), key)
    return replace(new, values={**new.values, **_plain_http_consent(new, args, context, interactive=False)})


def _plain_http_consent(
    new: _NewSettings, args: argparse.Namespace, context: Context, *, interactive: bool
) -> dict[str, Value]:
    """The setting that allows sending a key over plain http, as the user decides for this host.

    Raises:
        Stopped: the user does not want it.
    """
    from litterm.llm.endpoint import parse_endpoint

    current = context.settings.model
    endpoint = parse_endpoint(str(new.values["model.base_url"]))
    same_host = parse_endpoint(current.base_url).host == endpoint.host if current.base_url else False
    # A consent given for another host does not carry over to this one.
    if not endpoint.open or not (_find_key(new, context).is_there or args.plain_http):
        return {"model.plain_http": False} if current.plain_http and not same_host else {}
    if args.plain_http or (same_host and current.plain_http):
        return {"model.plain_http": True}
    if interactive and not _confirm(
        context, f"Send the key to {endpoint.label} over plain http, where others can read it?"
    ):
        raise Stopped("Nothing was written.")
    if interactive or current.plain_http:
        return {"model.plain_http": interactive}
    return {}


def _find_key(new: _NewSettings, context: Context) -> ApiKey:
    """The key that would be sent if plain http were allowed."""
    from litterm.llm.endpoint import parse_endpoint
    from litterm.llm.factory import read_key

    settings = new.settings(context.settings)
    # As if plain http were agreed to: this finds the key about which the user is to be asked.
    allowed = replace(settings, model=replace(settings.model, plain_http=True))
    return read_key(allowed, parse_endpoint(settings.model.base_url), new.environ())


def _describe_key(new: _NewSettings, context: Context) -> str:
    """A sentence that says which key is sent to which host."""
    from litterm.core.settings.secrets import describe_key
    from litterm.llm.endpoint import parse_endpoint

    host = parse_endpoint(str(new.values["model.base_url"])).label
    try:
        key = _find_key(new, context)
    except KeyRefused as refused:
        return str(refused).rstrip(".")
    sentence = f"the key that was given goes to {host}" if new.key else describe_key(key, host)
    return sentence[:1].upper() + sentence[1:]


def _parse_values(base_url: str, name: str, args: argparse.Namespace) -> dict[str, Value]:
    from litterm.core.settings.options import BY_NAME

    values: dict[str, Value] = {"model.base_url": base_url, "model.model": name}
    for short, value in (("key_env", args.key_env), ("price_in", args.price_in), ("price_out", args.price_out)):
        if value is not None:
            values[f"model.{short}"] = value
    read: dict[str, Value] = {}
    for setting, value in values.items():
        option = BY_NAME[setting]
        try:
            read[setting] = option.read(value)
        except ValueError as error:
            raise UsageError(f"{setting} is {option.shown_value(value)}, but must be {error}") from None
    return read


def _ask_settings(args: argparse.Namespace, context: Context) -> _NewSettings:
    """Asks for the new settings step by step; an empty line accepts the default."""
    found = find_servers(context)
    base_url = _ask_address(context, found)
    # The model is asked for last, from the list of the server; until then any name will do.
    new = _NewSettings(_parse_values(base_url, args.name or "any", args))
    agreed = _plain_http_consent(new, args, context, interactive=True)
    new = replace(new, values={**new.values, **agreed})
    # What a server that was found has listed need not be asked for again.
    listed = next((server.models for server in found if server.base_url == base_url), ())
    names: tuple[str, ...] = ()
    try:
        names = listed or _list_models(new, context)
    # Most servers on this machine want no key: it is asked for only where one is refused without.
    except KeyRefused as refused:
        context.output.say(f"{refused}")
        new = replace(new, key=_ask_key(context))
        agreed |= _plain_http_consent(new, args, context, interactive=True)
        new = replace(new, values={**new.values, **agreed})
        names = _list_models(new, context) if new.key else ()
    except ModelError as error:
        context.output.say(f"{error}")
    name = args.name or (listed[0] if len(listed) == 1 else _ask_model(names, context, is_local=bool(listed)))
    return replace(new, values={**_parse_values(base_url, name, args), **agreed})


def _ask_address(context: Context, found: Sequence[LocalServer]) -> str:
    """The address chosen; a server that was found is offered where none is set."""
    from litterm.llm.local_servers import LOCAL_SERVERS, local_address

    say, by_port = context.output.say, {server.port: server for server in found}
    say("Where is the model? A number, or an address such as http://localhost:11434/v1")
    addresses: list[str] = []
    for port, name in LOCAL_SERVERS.items():
        running = f": running, with {models_words(by_port[port])}" if port in by_port else ""
        addresses.append(local_address(port))
        say(f"  {len(addresses)}  {name}, on this machine  ({addresses[-1]}){running}")
    for name, address in _REMOTE_SERVERS:
        addresses.append(address)
        say(f"  {len(addresses)}  {name}  ({address})")
    offered = context.settings.model.base_url or (found[0].base_url if found else "")
    word = _read_line(context, f"Address [{offered}]: " if offered else "Address: ") or offered
    if word.isdecimal() and 1 <= int(word) <= len(addresses):
        return addresses[int(word) - 1]
    if not word:
        raise Stopped("Nothing was written.")
    return word


def _ask_model(names: tuple[str, ...], context: Context, *, is_local: bool) -> str:
    """The model chosen; of a server that was found on this machine the first is offered, of others an only one."""
    for number, name in enumerate(names[:_MAX_MODELS_SHOWN], start=1):
        context.output.say(f"  {number}  {name}")
    if len(names) > _MAX_MODELS_SHOWN:
        context.output.say(f"  and {len(names) - _MAX_MODELS_SHOWN} more; any name may be typed")
    offered = context.settings.model.model or (names[0] if names and (is_local or len(names) == 1) else "")
    word = (
        _read_line(context, f"Model, number or name [{offered}]: " if offered else "Model, number or name: ") or offered
    )
    if word.isdecimal() and 1 <= int(word) <= min(len(names), _MAX_MODELS_SHOWN):
        return names[int(word) - 1]
    if not word:
        raise Stopped("Nothing was written.")
    return word


def _ask_key(context: Context) -> str:
    """The key, not shown while it is typed; empty if the user would rather set a variable."""
    import getpass
    import warnings

    context.output.say("A key typed here is stored in a file that only you can read; press return to skip.")
    try:
        with warnings.catch_warnings():
            # getpass only warns where it cannot hide what is typed, and would then read the key in the open.
            warnings.simplefilter("error", getpass.GetPassWarning)
            return getpass.getpass("Key: ").strip()
    except getpass.GetPassWarning:
        context.output.say(
            "This terminal would show the key, so litterm does not ask for it; use --key-stdin or a variable."
        )
        return ""
    except EOFError:
        return ""


def _confirm(context: Context, question: str) -> bool:
    return _read_line(context, f"{question} y or n: ").lower() in ("y", "yes")


def _read_line(context: Context, question: str) -> str:
    """Reads one line in answer to `question`, which goes to stderr, as stdout is for results."""
    stderr = context.output.stderr
    if stderr is not None:
        stderr.write(question)
        stderr.flush()
    typed = sys.stdin.readline() if sys.stdin is not None else ""
    if not typed:
        # The end of the input, where an empty line would be a line break.
        raise Stopped("Nothing was written.")
    return typed.strip()


def _list_models(new: _NewSettings, context: Context) -> tuple[str, ...]:
    from litterm.llm.health_check import list_models

    if context.settings.model.dry_run:
        return ()
    return context.run(list_models(new.settings(context.settings), new.environ()))


def _test_server(new: _NewSettings, context: Context) -> EndpointProbe:
    from litterm.llm.health_check import LOADING_TIMEOUT_S, probe_endpoint

    return context.run(probe_endpoint(new.settings(context.settings), new.environ(), timeout_s=LOADING_TIMEOUT_S))


def _save(new: _NewSettings, context: Context) -> None:
    """Writes the settings file, and the key into a file next to it."""
    from litterm.core.settings.config_file import write_settings
    from litterm.core.settings.secrets import store_key
    from litterm.llm.endpoint import parse_endpoint

    config = context.settings.config
    write_settings(config, new.values)
    context.output.say(f"{config} is written.")
    if new.key:
        host = parse_endpoint(str(new.values["model.base_url"])).host
        context.output.say(f"The key for {host} is in {store_key(config.parent, host, new.key)}.")


def _show_result(new: _NewSettings, probe: EndpointProbe | None, args: argparse.Namespace, context: Context) -> None:
    from litterm.render.cost import probe_data, probe_words

    if args.json:
        context.output.write_json({"settings": str(context.settings.config), "proof": probe_data(probe)})
    elif probe is None:
        context.output.write(f"{new.values['model.model']} is set, and was not asked.")
    else:
        context.output.write(probe_words(probe))
