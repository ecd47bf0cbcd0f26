"""Folders that a service copies to other computers, by their names and by what the service puts into them."""

from __future__ import annotations

from pathlib import Path

import pytest

from litterm.core.filesystem import synchronising_service


@pytest.mark.parametrize(
    ("folder", "service"),
    [
        ("Dropbox/papers", "Dropbox"),
        ("Dropbox (University)/library", "Dropbox"),
        ("Library/Mobile Documents/com~apple~CloudDocs/library", "iCloud Drive"),
        ("OneDrive - University/library", "OneDrive"),
        ("Library/CloudStorage/OneDrive-Personal/library", "OneDrive"),
        ("Library/CloudStorage/GoogleDrive-me@example.org/My Drive/library", "Google Drive"),
        ("Google Drive/library", "Google Drive"),
        ("Nextcloud/library", "Nextcloud"),
        ("dropbox-papers/library", ""),
        ("papers on OneDrive/library", ""),
        ("library", ""),
    ],
)
def test_a_service_is_known_by_the_name_of_its_folder(tmp_path: Path, folder: str, service: str) -> None:
    assert synchronising_service(tmp_path / folder) == service


@pytest.mark.parametrize(
    ("mark", "service"),
    [
        (".stfolder", "Syncthing"),
        (".dropbox.cache", "Dropbox"),
        (".tmp.drivedownload", "Google Drive"),
        (".sync_0a1b2c3d4e5f.db", "Nextcloud or ownCloud"),
    ],
)
def test_a_service_is_known_by_what_it_puts_into_the_folder_or_one_above(
    tmp_path: Path, mark: str, service: str
) -> None:
    folder = tmp_path / "shared" / "papers" / "library"
    folder.mkdir(parents=True)
    assert synchronising_service(folder) == ""
    (tmp_path / "shared" / mark).mkdir()
    assert synchronising_service(folder) == service


def test_a_service_is_known_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "Dropbox" / "library").mkdir(parents=True)
    (tmp_path / "mine").symlink_to(tmp_path / "Dropbox")
    assert synchronising_service(tmp_path / "mine" / "library") == "Dropbox"
    (tmp_path / "disk").mkdir()
    (tmp_path / "Nextcloud").symlink_to(tmp_path / "disk")
    assert synchronising_service(tmp_path / "Nextcloud") == "Nextcloud"
