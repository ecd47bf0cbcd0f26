"""What each retriever says of a paper, brought to one scale and added up."""
