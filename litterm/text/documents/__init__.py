"""Parts of full texts: blocks, sections, sentences and pages."""
