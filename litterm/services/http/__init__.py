"""The HTTP client of all services: limits, cache, safe addresses."""
