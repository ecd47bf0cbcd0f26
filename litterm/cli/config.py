"""`litterm config model`: a language model set up, proved with one tiny request, and written down."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from litterm.cli.context import Context
from litterm.core.errors import KeyRefused, ModelError, Stopped, UsageError

if TYPE_CHECKING:
    from litterm.core.settings import Settings
    from litterm.core.settings.options import Value
    from litterm.core.settings.secrets import ApiKey
    from litterm.model.llm import EndpointProbe

_SERVERS = (
    ("ollama, on this machine", "http://localhost:11434/v1"),
    ("llama.cpp, on this machine", "http://localhost:8080/v1"),
    ("LM Studio, on this machine", "http://localhost:1234/v1"),
    ("vLLM, on this machine", "http://localhost:8000/v1"),
    ("OpenRouter", "https://openrouter.ai/api/v1"),
    ("OpenAI", "https://api.openai.com/v1"),
)
_LISTED = 30
"""Models shown of a server that has many."""
_UNPROVED = 4


def declare(_verb: str, parser: argparse.ArgumentParser) -> None:
    """Adds what may be said at once instead of being asked for."""
    parser.add_argument("what", choices=["model"], metavar="model", help="what to set up")
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


def run(_verb: str, args: argparse.Namespace, context: Context) -> int:
    """4 if the endpoint could not be proved; nothing is then written, unless the user wants it all the same."""
    asks = not args.base_url and not args.key_stdin and sys.stdin is not None and sys.stdin.isatty()
    wanted = _asked(args, context) if asks else _typed(args, context)
    proof = None
    context.output.say(f"{_key_sent(wanted, context)}.")
    if not args.no_check and not context.settings.model.dry_run:
        try:
            proof = _prove(wanted, context)
        except ModelError as error:
            context.output.say(f"litterm: {error}")
            if not asks or not _yes(context, "Save it anyway?"):
                context.output.say("Nothing was written.")
                return _UNPROVED
    _write(wanted, context)
    _tell(wanted, proof, args, context)
    return 0


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What is to be written, and the key that goes elsewhere."""

    values: Mapping[str, Value]
    key: str = field(default="", repr=False)

    def settings(self, now: Settings) -> Settings:
        """The settings as they will be."""
        model = now.model
        for name, value in self.values.items():
            model = replace(model, **{name.removeprefix("model."): value})  # type: ignore[arg-type]
        return replace(now, model=model)

    def environ(self) -> dict[str, str]:
        """The environment with the key that was given, ahead of any other."""
        from litterm.core.settings.secrets import KEY_VARIABLE

        return {**os.environ, KEY_VARIABLE: self.key} if self.key else dict(os.environ)


def _typed(args: argparse.Namespace, context: Context) -> _Wanted:
    model = context.settings.model
    base_url, name = args.base_url or model.base_url, args.name or model.model
    if not base_url or not name:
        raise UsageError("without a terminal, --base-url and --name are required; see `litterm config --help`")
    key = ""
    if args.key_stdin:
        key = (sys.stdin.readline() if sys.stdin is not None else "").strip()
        if not key:
            raise UsageError("--key-stdin was given, but there is no key on stdin")
    wanted = _Wanted(_values(base_url, name, args), key)
    return replace(wanted, values={**wanted.values, **_over_http(wanted, args, context, asks=False)})


def _over_http(wanted: _Wanted, args: argparse.Namespace, context: Context, *, asks: bool) -> dict[str, Value]:
    """The setting that lets a key go over plain http: as the user says now, and for this address only.

    Raises:
        Stopped: the user does not want it.
    """
    from litterm.llm.endpoint import endpoint_of

    now = context.settings.model
    endpoint = endpoint_of(str(wanted.values["model.base_url"]))
    same = endpoint_of(now.base_url).host == endpoint.host if now.base_url else False
    if not endpoint.open or not (_key(wanted, context).is_there or args.plain_http):
        return {"model.plain_http": False} if now.plain_http and not same else {}
    if args.plain_http or (same and now.plain_http):
        return {"model.plain_http": True}
    if asks and not _yes(context, f"Send the key to {endpoint.label} over plain http, where others can read it?"):
        raise Stopped("Nothing was written.")
    if asks or now.plain_http:
        return {"model.plain_http": asks}
    return {}


def _key(wanted: _Wanted, context: Context) -> ApiKey:
    """The key that would be sent, whether it may be or not."""
    from litterm.llm.endpoint import endpoint_of
    from litterm.llm.factory import key_of

    settings = wanted.settings(context.settings)
    allowed = replace(settings, model=replace(settings.model, plain_http=True))
    return key_of(allowed, endpoint_of(settings.model.base_url), wanted.environ())


def _key_sent(wanted: _Wanted, context: Context) -> str:
    """Which key goes where, in one sentence."""
    from litterm.core.settings.secrets import key_words
    from litterm.llm.endpoint import endpoint_of

    host = endpoint_of(str(wanted.values["model.base_url"])).label
    try:
        key = _key(wanted, context)
    except KeyRefused as refused:
        return str(refused).rstrip(".")
    told = f"the key that was given goes to {host}" if wanted.key else key_words(key, host)
    return told[:1].upper() + told[1:]


def _values(base_url: str, name: str, args: argparse.Namespace) -> dict[str, Value]:
    from litterm.core.settings.options import BY_NAME

    given: dict[str, Value] = {"model.base_url": base_url, "model.model": name}
    for short, value in (("key_env", args.key_env), ("price_in", args.price_in), ("price_out", args.price_out)):
        if value is not None:
            given[f"model.{short}"] = value
    read: dict[str, Value] = {}
    for setting, value in given.items():
        option = BY_NAME[setting]
        try:
            read[setting] = option.read(value)
        except ValueError as wanted:
            raise UsageError(f"{setting} is {option.shown(value)}, but must be {wanted}") from None
    return read


def _asked(args: argparse.Namespace, context: Context) -> _Wanted:
    """Everything by question and answer; an empty line takes what is offered."""
    base_url = _ask_address(context)
    wanted = _Wanted(_values(base_url, args.name or "any", args))
    agreed = _over_http(wanted, args, context, asks=True)
    wanted = replace(wanted, values={**wanted.values, **agreed})
    names: tuple[str, ...] = ()
    try:
        names = _models(wanted, context)
    except KeyRefused as refused:
        context.output.say(f"{refused}")
        wanted = replace(wanted, key=_ask_key(context))
        agreed |= _over_http(wanted, args, context, asks=True)
        wanted = replace(wanted, values={**wanted.values, **agreed})
        names = _models(wanted, context) if wanted.key else ()
    except ModelError as error:
        context.output.say(f"{error}")
    name = args.name or _ask_model(names, context)
    return replace(wanted, values={**_values(base_url, name, args), **agreed})


def _ask_address(context: Context) -> str:
    say = context.output.say
    say("Where is the model? A number, or an address such as http://localhost:11434/v1")
    for number, (name, address) in enumerate(_SERVERS, start=1):
        say(f"  {number}  {name}  ({address})")
    now = context.settings.model.base_url
    word = _line(context, f"Address [{now}]: " if now else "Address: ") or now
    if word.isdecimal() and 1 <= int(word) <= len(_SERVERS):
        return _SERVERS[int(word) - 1][1]
    if not word:
        raise Stopped("Nothing was written.")
    return word


def _ask_model(names: tuple[str, ...], context: Context) -> str:
    for number, name in enumerate(names[:_LISTED], start=1):
        context.output.say(f"  {number}  {name}")
    if len(names) > _LISTED:
        context.output.say(f"  and {len(names) - _LISTED} more; any name may be typed")
    offered = context.settings.model.model or (names[0] if len(names) == 1 else "")
    word = _line(context, f"Model, number or name [{offered}]: " if offered else "Model, number or name: ") or offered
    if word.isdecimal() and 1 <= int(word) <= min(len(names), _LISTED):
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
            warnings.simplefilter("error", getpass.GetPassWarning)
            return getpass.getpass("Key: ").strip()
    except getpass.GetPassWarning:
        context.output.say(
            "This terminal would show the key, so litterm does not ask for it; use --key-stdin or a variable."
        )
        return ""
    except EOFError:
        return ""


def _yes(context: Context, question: str) -> bool:
    return _line(context, f"{question} y or n: ").lower() in ("y", "yes")


def _line(context: Context, question: str) -> str:
    """One line typed; questions go to stderr, like all that is no result."""
    stderr = context.output.stderr
    if stderr is not None:
        stderr.write(question)
        stderr.flush()
    typed = sys.stdin.readline() if sys.stdin is not None else ""
    if not typed:
        raise Stopped("Nothing was written.")
    return typed.strip()


def _models(wanted: _Wanted, context: Context) -> tuple[str, ...]:
    from litterm.llm.health_check import models_at

    if context.settings.model.dry_run:
        return ()
    return context.drive(models_at(wanted.settings(context.settings), wanted.environ()))


def _prove(wanted: _Wanted, context: Context) -> EndpointProbe:
    from litterm.llm.health_check import probe_endpoint

    return context.drive(probe_endpoint(wanted.settings(context.settings), wanted.environ(), timeout_s=60.0))


def _write(wanted: _Wanted, context: Context) -> None:
    """The settings file, and the key beside it."""
    from litterm.core.settings.edit import write_settings
    from litterm.core.settings.secrets import keep_key
    from litterm.llm.endpoint import endpoint_of

    config = context.settings.config
    write_settings(config, wanted.values)
    context.output.say(f"{config} is written.")
    if wanted.key:
        host = endpoint_of(str(wanted.values["model.base_url"])).host
        context.output.say(f"The key for {host} is in {keep_key(config.parent, host, wanted.key)}.")


def _tell(wanted: _Wanted, proof: EndpointProbe | None, args: argparse.Namespace, context: Context) -> None:
    from litterm.render.cost import proof_json, proof_words

    if args.json:
        context.output.json({"settings": str(context.settings.config), "proof": proof_json(proof)})
    elif proof is None:
        context.output.data(f"{wanted.values['model.model']} is set, and was not asked.")
    else:
        context.output.data(proof_words(proof))
