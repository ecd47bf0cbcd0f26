"""One request to a model server: its JSON, the client, limits, retries, and errors as ours."""
