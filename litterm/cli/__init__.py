"""The command line: arguments to a command of the engine, results to stdout, remarks to stderr."""
