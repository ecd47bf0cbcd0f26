"""Work that must not stall, outlive or take down the process it is for: child processes and how to speak to them.

`python -m litterm.library.workers JOB` reads requests from its standard input and answers each on its standard output,
one line of JSON each. Its log goes to standard error. It exits when its standard input closes, so that no
child outlives a parent that was killed. A job is a module with a function `answer`, listed in `__main__.JOBS`.
"""
