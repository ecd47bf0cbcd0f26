"""litterm: the literature workbench for the terminal."""

from importlib import import_module

TYPE_CHECKING = False
"""As checkers of types know it; `typing` itself takes longer to import than the rest of what a start needs first."""
if TYPE_CHECKING:
    from litterm.build import build_engine as build_engine
    from litterm.core.settings import Settings as Settings
    from litterm.core.settings import load as load_settings
    from litterm.core.tasks import run as run
    from litterm.core.version import __version__ as __version__
    from litterm.engine import Engine as Engine

_HOMES = {
    "build_engine": ("litterm.build", "build_engine"),
    "Engine": ("litterm.engine", "Engine"),
    "Settings": ("litterm.core.settings", "Settings"),
    "load_settings": ("litterm.core.settings", "load"),
    "run": ("litterm.core.tasks", "run"),
    "__version__": ("litterm.core.version", "__version__"),
}
__all__ = ["Engine", "Settings", "__version__", "build_engine", "load_settings", "run"]


def __getattr__(name: str) -> object:
    """Public names, imported when first asked for: `import litterm` alone costs nothing."""
    if name not in _HOMES:
        raise AttributeError(f"module 'litterm' has no attribute {name!r}")
    module, attribute = _HOMES[name]
    return getattr(import_module(module), attribute)
