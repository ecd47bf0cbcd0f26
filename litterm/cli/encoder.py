"""`litterm config encoder`: sets the sentence encoder that takes part in searches, after saying what that takes."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from litterm.cli.context import Context
from litterm.core.errors import Stopped, UsageError
from litterm.render.encoder import estimate_lines, licence_words, size_words, status_data, status_lines

if TYPE_CHECKING:
    from litterm.library.encoder.library_encoder import LibraryEncoder

_OFF = "off"
_FOLDER = "encoders"
"""Folder of downloaded encoders, beside the settings file."""


def set_encoder(args: argparse.Namespace, context: Context) -> int:
    """Sets, shows or takes out the encoder; 0.

    Raises:
        ModelOffline: the folder holds no encoder that can be used.
        Stopped: the user does not want it; nothing was written.
    """
    if not args.encoder:
        return show(context, as_json=args.json)
    if args.encoder == _OFF:
        return _take_out(args, context)
    typed = Path(args.encoder).expanduser()
    folder = typed.resolve() if typed.is_dir() else _download(args, context)
    settings = replace(context.settings, encoder=replace(context.settings.encoder, folder=str(folder)))
    encoder = replace(context, settings=settings).engine().encoder
    assert encoder is not None
    context.output.say(f"{encoder.files.name}: {licence_words(encoder.files.licence)}.")
    status = encoder.status()
    if status.missing:
        context.output.say("Measuring on some papers how long their vectors take ...")
        for line in estimate_lines(encoder.estimate()):
            context.output.say(line)
    else:
        # Opened once, so that a model that cannot be used is not set.
        encoder.estimate()
    _write(context, str(folder))
    if status.missing and _wants_vectors(args, context):
        encoder.start()
        context.output.say("The vectors are made in the background; `litterm encode --status` says how far that is.")
    return show(replace(context, settings=settings), as_json=args.json)


def show(context: Context, *, as_json: bool) -> int:
    """Prints the encoder and how far its vectors are; 0."""
    encoder = context.engine().encoder
    if as_json:
        context.output.write_json(status_data(None if encoder is None else encoder.status()))
    else:
        context.output.write_lines(status_lines(None if encoder is None else encoder.status()))
    return 0


def require_encoder(context: Context) -> LibraryEncoder:
    """The encoder of the settings.

    Raises:
        UsageError: none is set.
        ModelOffline: its folder holds no encoder that can be used.
    """
    encoder = context.engine().encoder
    if encoder is None:
        raise UsageError("no encoder is set; `litterm config encoder FOLDER` sets one")
    return encoder


def _take_out(args: argparse.Namespace, context: Context) -> int:
    if context.settings.encoder.folder:
        encoder = context.engine().encoder
        if encoder is not None:
            encoder.stop()
    _write(context, None)
    context.output.say("No encoder takes part in searches now. Its vectors stay, for when you set it again.")
    if args.json:
        context.output.write_json(status_data(None))
    return 0


def _write(context: Context, folder: str | None) -> None:
    from litterm.core.settings.config_file import write_settings

    write_settings(context.settings.config, {"encoder.folder": folder})
    context.output.say(f"{context.settings.config} is written.")


def _download(args: argparse.Namespace, context: Context) -> Path:
    """The folder with the model of this name on the hub, downloaded after consent."""
    typed = args.encoder
    if typed.count("/") != 1 or typed.startswith((".", "/", "~")):
        raise UsageError(f"there is no folder {typed}, and it is no name on the hub such as BAAI/bge-small-en-v1.5")
    hub = context.engine().services.model_hub
    context.output.say(f"Asking huggingface.co about {typed} ...")
    model = context.run(hub.describe(typed))
    context.output.say(f"{model.name}: {size_words(model.size)} from huggingface.co, {licence_words(model.licence)}.")
    _require_consent(args, context, "Download it?")
    folder = context.settings.config.parent / _FOLDER / model.name.replace("/", "--")
    return context.run(hub.fetch(model, folder))


def _require_consent(args: argparse.Namespace, context: Context, question: str) -> None:
    if args.yes:
        return
    if not _has_terminal():
        raise UsageError("a download needs your consent; --yes gives it")
    context.output.say(f"{question} y or n, then return")
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise Stopped("Nothing was downloaded, and nothing was written.")


def _wants_vectors(args: argparse.Namespace, context: Context) -> bool:
    if args.yes:
        return True
    if not _has_terminal():
        context.output.say("`litterm encode` makes the vectors.")
        return False
    context.output.say("Make the vectors now, in the background? y or n, then return")
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _has_terminal() -> bool:
    return sys.stdin is not None and sys.stdin.isatty()
