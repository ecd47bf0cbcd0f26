"""Filters, conditions and phrases that papers must meet, and facets: counts by year, venue, type and source."""
