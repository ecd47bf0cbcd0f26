"""Commands that find the paper a mark refers to: `cite`, its agent, batches and drafts."""
