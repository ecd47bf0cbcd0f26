"""The command line: argv to verb, result to stdout, narration to stderr."""
