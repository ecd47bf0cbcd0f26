"""Encrypted PDFs: those without a password are read, others say what to do, and nobody else pays for it."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import pytest
from pypdf import PdfReader, PdfWriter

from litterm.core.errors import BadInput
from litterm.importers.pdf import decryption
from litterm.importers.pdf.pages import read_pages
from litterm.importers.pdf.reader import read_pdf
from litterm.library.workers.pdf_pool import PdfPool
from litterm.model.library import Parsed
from tests.pdfs import paper

ALGORITHMS = ("RC4-40", "RC4-128", "AES-128", "AES-256-R5", "AES-256")
READ = """
import sys
from litterm.library.workers.pdf import answer
for path in sys.argv[1:]:
    title = answer({"path": path, "memory_mb": 4096})["paper"]["title"]
    print("cryptography" in sys.modules, title)
"""
COMMANDS = """
import sys
from litterm.cli.main import main
print(main(sys.argv[1:]), "cryptography" in sys.modules)
"""


def locked(algorithm: str, password: str = "") -> bytes:
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(paper())))
    writer.encrypt(user_password=password, owner_password="owner", algorithm=algorithm)
    buffer = io.BytesIO()
    writer.write(buffer)
    return buffer.getvalue()


LOCKED = locked("AES-256")


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_file_locked_against_changes_is_read_as_without_the_lock(algorithm: str) -> None:
    assert read_pdf(locked(algorithm)) == read_pdf(paper())


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_file_that_needs_a_password_says_what_to_do(algorithm: str) -> None:
    with pytest.raises(BadInput, match=r"^The PDF is encrypted and needs a password; save a copy without one .*\.$"):
        read_pages(locked(algorithm, "opensesame"))


def test_without_the_package_that_decrypts_the_sentence_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    from pypdf import _encryption
    from pypdf._crypt_providers import _fallback

    monkeypatch.setattr(decryption, "_NAMES", ())
    for name in ("aes_cbc_decrypt", "aes_cbc_encrypt", "aes_ecb_decrypt", "CryptAES"):
        monkeypatch.setattr(_encryption, name, getattr(_fallback, name))
    with pytest.raises(BadInput, match="encrypted in a way that needs the package “cryptography”"):
        read_pages(LOCKED)


def run(script: str, *arguments: str) -> list[str]:
    done = subprocess.run([sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def test_a_child_loads_the_ciphers_with_the_first_file_that_needs_them(tmp_path: Path) -> None:
    plain, secret, again = (tmp_path / name for name in ("plain.pdf", "locked.pdf", "again.pdf"))
    plain.write_bytes(paper())
    secret.write_bytes(LOCKED)
    again.write_bytes(paper())
    title = "Choosing among Parsers by Information Alone"
    assert run(READ, str(plain), str(secret), str(again)) == [f"False {title}", f"True {title}", f"True {title}"]


def test_no_command_loads_the_ciphers_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LITTERM_HOME", str(tmp_path / "home"))
    (tmp_path / "locked.pdf").write_bytes(LOCKED)
    assert run(COMMANDS, "--version")[-1] == "0 False"
    assert run(COMMANDS, "add", str(tmp_path / "locked.pdf"))[-1] == "0 False"


def test_a_locked_file_is_read_in_a_child_with_its_limits(tmp_path: Path) -> None:
    (tmp_path / "locked.pdf").write_bytes(LOCKED)
    ((_, result),) = PdfPool().parse([tmp_path / "locked.pdf"])
    assert isinstance(result, Parsed) and result.paper.title == "Choosing among Parsers by Information Alone"
