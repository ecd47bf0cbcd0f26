"""How this litterm was installed, and the command that adds the packages of an extra to it.

A package index may hold a package of somebody else under the name litterm. A command therefore names the packages that
an extra consists of, and litterm itself only by where it was installed from.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

Installer = Literal["pip", "pipx", "uv", "uv tool", "uvx"]
"""What manages the environment of this process; `uvx` makes one for each run."""


def install_command(extra: str) -> str:
    """The command that adds the packages of `extra` (a name under `optional-dependencies`) to this litterm.

    Where litterm was never installed, it is one for the folder of its sources.
    """
    return command_for(extra_packages(extra) or (f".[{extra}]",), Path(sys.prefix), os.environ)


def package_command(package: str) -> str:
    """The command that adds one package, such as `ray[client]`, to this litterm."""
    return command_for((package,), Path(sys.prefix), os.environ)


def command_for(packages: tuple[str, ...], prefix: Path, environ: Mapping[str, str]) -> str:
    """The command that adds `packages` to the environment in the folder `prefix`."""
    words = " ".join(f'"{package}"' for package in packages)
    python = shlex.quote(str(prefix / "bin" / "python"))
    match installer_of(prefix):
        case "pipx":
            return f"pipx inject {prefix.name} {words}"
        case "uv tool":
            chosen = " ".join(f'--with "{package}"' for package in (*_earlier_packages(prefix), *packages))
            return f"uv tool install {chosen} {shlex.quote(installed_from())}"
        case "uvx":
            chosen = " ".join(f'--with "{package}"' for package in packages)
            return f"uvx {chosen} --from {shlex.quote(installed_from())} litterm"
        case "uv":
            return f"uv pip install --python {python} {words}"
        case "pip":
            # A short command only where it cannot reach another environment.
            is_active = environ.get("VIRTUAL_ENV") == str(prefix)
            return f"pip install {words}" if is_active else f"{python} -m pip install {words}"


def installer_of(prefix: Path) -> Installer:
    """What made the environment in the folder `prefix`, by the files that it leaves there."""
    if (prefix / "pipx_metadata.json").is_file():
        return "pipx"
    if (prefix / "uv-receipt.toml").is_file():
        return "uv tool"
    try:
        made_by_uv = re.search(r"^uv = ", (prefix / "pyvenv.cfg").read_text("utf-8", "replace"), re.MULTILINE)
    except OSError:
        return "pip"
    if not made_by_uv:
        return "pip"
    return "uvx" if any(part.startswith(("archive-v", "environments-v")) for part in prefix.parts) else "uv"


def extra_packages(extra: str) -> tuple[str, ...]:
    """What `extra` consists of, as in `citeproc-py<1,>=0.9`; empty where the installation does not say."""
    from importlib.metadata import PackageNotFoundError, requires

    try:
        required = requires("litterm") or []
    except PackageNotFoundError:
        return ()
    rows = (line.partition(";") for line in required)
    return tuple(
        package.strip() for package, _, marker in rows if re.fullmatch(rf"\s*extra == ['\"]{extra}['\"]\s*", marker)
    )


def installed_from() -> str:
    """The file or folder that litterm was installed from, or `litterm` where that was a package index."""
    import json
    from importlib.metadata import PackageNotFoundError, distribution
    from urllib.parse import unquote, urlsplit

    try:
        address = json.loads(distribution("litterm").read_text("direct_url.json") or "{}").get("url", "")
    except (PackageNotFoundError, ValueError, AttributeError):
        return "litterm"
    parts = urlsplit(address)
    return unquote(parts.path) if parts.scheme == "file" else address or "litterm"


def _earlier_packages(prefix: Path) -> tuple[str, ...]:
    """What `uv tool install --with` added before, which another one without it would take out."""
    import tomllib

    try:
        receipt = tomllib.loads((prefix / "uv-receipt.toml").read_text("utf-8"))
        rows = receipt["tool"]["requirements"]
        return tuple(f"{row['name']}{row.get('specifier', '')}" for row in rows if row["name"] != "litterm")
    except (OSError, ValueError, LookupError, TypeError):
        return ()
