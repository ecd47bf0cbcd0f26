"""Full texts taken apart and put together: blocks, sections, sentences, pages."""
