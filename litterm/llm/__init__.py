"""The language model behind any OpenAI-compatible endpoint; the only part that lets text leave this machine for one."""
