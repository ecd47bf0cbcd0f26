"""The keys of services: in which variable each is, for which host, and what happens without it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from litterm.core.settings import Settings
from litterm.core.settings.secrets import ApiKey, find_key

_SLOWER: Final = "works without one, slower"


@dataclass(frozen=True, slots=True)
class ServiceKey:
    """Where the key of a service is looked for."""

    service: str
    """Its name as users know it."""
    host: str
    """The host the key is for, and its entry in the keyring."""
    variable: str
    """The environment variable that holds it."""
    without: str
    """What happens without the key, in words."""

    def find(self, settings: Settings, environ: Mapping[str, str]) -> ApiKey:
        """The key from `environ`, or from where `settings` keep keys.

        Raises:
            SettingsError: where keys are kept cannot be used.
        """
        return find_key(settings.config.parent, self.host, self.variable, environ)


SEMANTIC_SCHOLAR = ServiceKey("Semantic Scholar", "api.semanticscholar.org", "S2_API_KEY", _SLOWER)
NCBI = ServiceKey("PubMed and PubMed Central", "eutils.ncbi.nlm.nih.gov", "NCBI_API_KEY", _SLOWER)
OPENALEX = ServiceKey(
    "OpenAlex", "api.openalex.org", "OPENALEX_API_KEY", "works without one, within a small daily limit"
)
OPENREVIEW = ServiceKey(
    "OpenReview", "openreview.net", "OPENREVIEW_PASSWORD", "without a login, a public copy of the lists is used"
)
SERVICE_KEYS: Final = (SEMANTIC_SCHOLAR, NCBI, OPENALEX, OPENREVIEW)
OPENREVIEW_USER_VARIABLE: Final = "OPENREVIEW_USERNAME"
"""The one service with a login instead of a key: the name is in this variable, the password is the key."""
