"""What the user chose: defaults < file < environment < flags."""

from litterm.settings.load import load, places
from litterm.settings.model import ModelSettings, PdfLimits, Settings, Source, Sources, from_home, keymap

__all__ = ["ModelSettings", "PdfLimits", "Settings", "Source", "Sources", "from_home", "keymap", "load", "places"]
