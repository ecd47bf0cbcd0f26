"""What the user chose: defaults < file < environment < flags."""

from litterm.core.settings.load import load, places
from litterm.core.settings.model import (
    ModelSettings,
    PdfLimits,
    Settings,
    SettingSource,
    SettingSources,
    from_home,
    keymap,
)

__all__ = [
    "ModelSettings",
    "PdfLimits",
    "SettingSource",
    "SettingSources",
    "Settings",
    "from_home",
    "keymap",
    "load",
    "places",
]
