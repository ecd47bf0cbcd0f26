"""Papers into the library, full texts, references and duplicates."""
