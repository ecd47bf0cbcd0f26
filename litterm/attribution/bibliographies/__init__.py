"""Bibliographies checked: each entry against the record of its work, and what absence says."""
