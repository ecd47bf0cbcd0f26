"""Columns: for each paper the values of some columns, each with the sentence that states it."""
