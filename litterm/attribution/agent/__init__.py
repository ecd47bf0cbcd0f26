"""Attribution by a language model that searches and reads."""
