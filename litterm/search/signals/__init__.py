"""Signals of the default ranking: the scores of each retriever, brought to one scale and added up."""
