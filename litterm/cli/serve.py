"""`litterm serve`: serves the library to a group over HTTP, and manages its users."""

from __future__ import annotations

import argparse
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from litterm.cli.context import Context
from litterm.cli.parser import int_between
from litterm.core.errors import UsageError
from litterm.core.installation import install_command
from litterm.server.users.limits import ServerLimits
from litterm.text.plural import count_phrase

if TYPE_CHECKING:
    from litterm.core.settings import Settings
    from litterm.engine import Engine
    from litterm.server.operations.operation import Role
    from litterm.server.users.user_file import UserFile

_MEGABYTE = 1_000_000
_LIMITS = ServerLimits()
_ROLES = ("read", "import", "admin")
_MISSING_EXTRA = "`litterm serve` needs the extra `server`; type: {}"
_NO_USERS = (
    "{} can be reached from other machines, and the server has no users; "
    "`litterm serve --add-user NAME` adds one, or listen on 127.0.0.1."
)
_UNENCRYPTED = "Warning: without --certificate and --key, others on the network can read tokens and answers."


def declare(_command: str, parser: argparse.ArgumentParser) -> None:
    """Adds where to listen, who may ask, and the limits."""
    parser.add_argument("--library", metavar="DIR", help="the library to serve (default: your own)")
    parser.add_argument(
        "--host", default="127.0.0.1", metavar="ADDRESS", help="address to listen on (default 127.0.0.1)"
    )
    parser.add_argument(
        "--port", type=int_between(0, 65_535), default=8765, metavar="N", help="port (default 8765; 0: any free one)"
    )
    parser.add_argument("--certificate", type=Path, metavar="FILE", help="TLS certificate with its chain, PEM")
    parser.add_argument("--key", type=Path, metavar="FILE", help="key of the certificate, PEM")
    parser.add_argument(
        "--trusted-proxy",
        default="",
        metavar="ADDRESS",
        help="a reverse proxy that is trusted to name the client's address",
    )
    _declare_limits(parser)
    users = parser.add_argument_group("users", "each user has a token, of which only a hash is stored")
    act = users.add_mutually_exclusive_group()
    act.add_argument("--add-user", metavar="NAME", help="add a user, or give one a new token, and print it once")
    act.add_argument("--remove-user", metavar="NAME", help="remove a user, whose token is refused from now on")
    act.add_argument(
        "--list-users", action="store_true", help="list the users with their role and when they were added"
    )
    users.add_argument(
        "--role", choices=_ROLES, help="with --add-user: may read, also import files, or do everything (default read)"
    )


def _declare_limits(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("limits")
    group.add_argument(
        "--rate",
        type=int_between(1, 1_000_000),
        default=_LIMITS.per_minute,
        metavar="N",
        help="requests per minute and user (default %(default)s)",
    )
    group.add_argument(
        "--threads",
        type=int_between(1, 64),
        default=_LIMITS.threads,
        metavar="N",
        help="requests answered at the same time (default %(default)s)",
    )
    group.add_argument(
        "--upload-mb",
        type=int_between(1, 100_000),
        default=_LIMITS.upload_bytes // _MEGABYTE,
        metavar="N",
        help="largest file to import (default %(default)s)",
    )


def run(_command: str, args: argparse.Namespace, context: Context) -> int:
    """Serves until interrupted, or changes or lists the users."""
    # Looked for and not imported: users are listed and changed without loading a server.
    if find_spec("starlette") is None or find_spec("uvicorn") is None:
        raise UsageError(_MISSING_EXTRA.format(install_command("server")))
    from litterm.server.users.user_file import UserFile

    users = UserFile(context.settings.config.parent)
    if args.role and not args.add_user:
        raise UsageError("--role belongs to --add-user")
    if args.add_user:
        return _add_user(users, args, context)
    if args.remove_user:
        users.remove(args.remove_user)
        context.output.say(f"{args.remove_user} can no longer use the server.")
        return 0
    if args.list_users:
        context.output.write_lines(f"{user.name}  {user.role}  {user.since}" for user in users.all())
        return 0
    return _serve(users, args, context)


def _add_user(users: UserFile, args: argparse.Namespace, context: Context) -> int:
    role: Role = args.role or "read"
    token = users.add(args.add_user, role)
    context.output.write(token)
    context.output.say(
        f"{args.add_user} has the role {role}. The token is shown only once; set LITTERM_SERVER_TOKEN to it."
    )
    return 0


def _serve(users: UserFile, args: argparse.Namespace, context: Context) -> int:
    from litterm.server.http.library_server import LibraryServer
    from litterm.server.http.listen import ListenAddress
    from litterm.server.users.access import is_loopback

    if bool(args.certificate) != bool(args.key):
        raise UsageError("--certificate and --key belong together")
    if not is_loopback(args.host):
        if not users.all():
            raise UsageError(_NO_USERS.format(args.host))
        if not args.certificate:
            context.output.say(_UNENCRYPTED)
    address = ListenAddress(args.host, args.port, args.certificate, args.key, args.trusted_proxy)
    limits = ServerLimits(
        per_minute=args.rate,
        burst=max(args.rate * _LIMITS.burst // _LIMITS.per_minute, 1),
        threads=args.threads,
        upload_bytes=args.upload_mb * _MEGABYTE,
    )
    settings = server_settings(context.settings, args.library)
    server = LibraryServer(context.build(settings), settings, users, limits, address)
    # Before the address is printed; whoever connects already waits in the queue of the socket.
    server.warm_up()
    library = library_words(server.engine, settings)
    context.output.say(f"Serving {library} at {server.url} for {_describe_users(users)}. ctrl+c ends it.")
    server.run()
    return 0


def library_words(engine: Engine, settings: Settings) -> str:
    """What is served: `108,962 papers`, or the starter library."""
    papers = engine.status().papers
    # A library without papers is searched in the starter library, which the count of its own leaves out.
    return count_phrase(papers, "paper") if papers or not settings.starter else "the starter library"


def server_settings(settings: Settings, library: str | None) -> Settings:
    """The settings of the server: no network and no model, so that no user spends its owner's money."""
    settings = replace(settings, offline=True)
    return replace(settings, library=Path(library).absolute()) if library else settings


def _describe_users(users: UserFile) -> str:
    number = len(users.all())
    if not number:
        return "anybody on this machine, to read"
    return "one user" if number == 1 else f"{number:,} users"
