"""The table of columns: values of many papers, each with its sentence."""
