"""Evidence: the sentences of a document that bear on a hypothesis."""
