"""The workbench's answers: `:ask QUESTION`, and sentences in the rows of a question that is typed."""
