"""What words of a hypothesis and of a sentence say: concepts, synonyms, cue words, stance."""
