"""Language models behind OpenAI-compatible endpoints; the only part of litterm that sends text to one."""
