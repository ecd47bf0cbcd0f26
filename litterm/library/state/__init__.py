"""The small state of a library in one SQLite file, `<library>/state.db`; `schema.sql` says all that is stored."""
