"""Loads pypdf without the package that decrypts, and that package for the files that need it."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import Final, cast

_CIPHERS: Final = "cryptography"
_NAMES: Final = (
    "CryptAES",
    "CryptRC4",
    "aes_cbc_decrypt",
    "aes_cbc_encrypt",
    "aes_ecb_decrypt",
    "aes_ecb_encrypt",
    "rc4_decrypt",
    "rc4_encrypt",
)
"""What pypdf takes from its module of ciphers when it is imported."""
_MARK: Final = b"/Encrypt"
"""In the trailer of every encrypted file, which is itself never encrypted or compressed."""


def import_pypdf() -> None:
    """Imports pypdf for files that are not encrypted, in half the time; does nothing where it is imported."""
    if "pypdf" in sys.modules or _CIPHERS in sys.modules:
        return
    # What stands for no module is the documented way to make an import fail: pypdf then goes on without.
    modules = cast("dict[str, ModuleType | None]", sys.modules)
    modules[_CIPHERS] = None
    try:
        importlib.import_module("pypdf")
    finally:
        del modules[_CIPHERS]


def prepare_for(content: bytes) -> None:
    """Gives pypdf the ciphers if `content` is an encrypted PDF; where their package is missing, it goes on without."""
    if _MARK not in content:
        return
    encryption = importlib.import_module("pypdf._encryption")
    try:
        ciphers = importlib.import_module("pypdf._crypt_providers._cryptography")
    except ImportError:
        return
    for name in _NAMES:
        setattr(encryption, name, getattr(ciphers, name))
