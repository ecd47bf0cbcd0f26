"""Word-level analysis of hypotheses and sentences: concepts, synonyms, cue words, stance."""
