"""From documents to examples: parses, candidates, filters, balance. Not here: the rules (rules/)."""
