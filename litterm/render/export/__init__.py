"""Exports of papers, notes and quotes: Markdown, CSV, JSON Lines, and the bibliographies."""
