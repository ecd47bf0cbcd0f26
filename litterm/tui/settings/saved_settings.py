"""Settings chosen on the screen (theme, layout of the results, preview), until the settings file has them."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

from litterm.core.errors import SettingsError
from litterm.core.settings.config_file import write_settings

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class ChosenSettings:
    """Settings chosen on the screen since the start, and whether the settings file has them all."""

    file: Path
    _values: dict[str, str | bool] = field(default_factory=dict)
    _is_written: bool = True
    _lock: Lock = field(default_factory=Lock)

    def choose(self, name: str, value: str | bool) -> None:
        """Remember a choice; the file has it after the next `write`."""
        self._values[name] = value
        self._is_written = False

    def write(self) -> None:
        """Write the choices that the file lacks; comments and order there stay.

        Raises:
            SettingsError: the file has a fault or cannot be written.
        """
        # Two writers at once would each put back what the other has changed.
        with self._lock:
            if not self._is_written:
                self._is_written = True
                try:
                    write_settings(self.file, dict(self._values))
                except SettingsError:
                    self._is_written = False
                    raise

    def write_at_exit(self) -> None:
        """Write settings that the background task has not saved yet; a failure goes to the log."""
        try:
            self.write()
        except SettingsError as error:
            _log.warning("settings chosen on the screen are not saved: %s", error)
