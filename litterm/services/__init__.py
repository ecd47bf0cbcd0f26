"""Services of papers: a file a service, one HTTP client, and what brings their papers into the library."""
