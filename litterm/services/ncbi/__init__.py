"""PubMed and PubMed Central."""
