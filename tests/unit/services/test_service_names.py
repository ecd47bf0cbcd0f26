"""The names of services that commands and screens offer are those of the services that there are."""

from __future__ import annotations

from pathlib import Path

import pytest

from litterm.core.settings import from_home
from litterm.model.citations.citation_counts import COUNT_SOURCES
from litterm.model.services import CATALOGUES, FINDERS, SERVICE_HOSTS, SERVICE_NAMES, service_name
from litterm.services.registry import SERVICE_KEYS, ServiceRegistry, open_services


@pytest.fixture
def registry(tmp_path: Path) -> ServiceRegistry:
    return open_services(from_home(tmp_path), {}, "1")


def test_catalogues_and_finders_are_offered_in_the_order_of_the_registry(registry: ServiceRegistry) -> None:
    assert tuple(registry.catalogues) == CATALOGUES
    assert tuple(registry.finders) == FINDERS


def test_every_service_has_a_name_for_readers(registry: ServiceRegistry) -> None:
    services = (*registry.lookups, *registry.routes, *registry.listers, *registry.counters, *registry.bibliographies)
    asked = {service.name for service in services} | set(CATALOGUES) | set(FINDERS) | set(COUNT_SOURCES)
    assert asked <= set(SERVICE_NAMES)
    assert service_name("unheard-of") == "unheard-of"


def test_the_host_of_what_a_user_asks_is_told_beforehand() -> None:
    assert set(SERVICE_HOSTS) == {*CATALOGUES, *FINDERS}


def test_each_key_has_a_variable_and_host_of_its_own() -> None:
    assert len({key.variable for key in SERVICE_KEYS}) == len({key.host for key in SERVICE_KEYS}) == len(SERVICE_KEYS)
