"""Services of papers: one file per service, one HTTP client, and what brings their papers into the library."""
