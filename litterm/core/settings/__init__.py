"""Settings of the user: a flag wins over the environment, that over the settings file, that over the default."""

from litterm.core.settings.load import load, load_folders
from litterm.core.settings.model import (
    EncoderSettings,
    ModelSettings,
    PdfLimits,
    Settings,
    SettingSource,
    SettingSources,
    from_home,
)

__all__ = [
    "EncoderSettings",
    "ModelSettings",
    "PdfLimits",
    "SettingSource",
    "SettingSources",
    "Settings",
    "from_home",
    "load",
    "load_folders",
]
