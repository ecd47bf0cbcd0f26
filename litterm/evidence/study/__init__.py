"""Study aspects: splitting a hypothesis, finding the sentences for each aspect, and covering all with few of them."""
