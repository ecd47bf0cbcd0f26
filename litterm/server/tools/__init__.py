"""The library as tools of an agent: answers of bounded size, with a status, and with texts of papers marked as data."""
