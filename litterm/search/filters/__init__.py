"""Which papers pass: filters, conditions, phrases, and how many pass by year or venue."""
