"""From documents to examples: parses, candidates, filters, balance. Not here: rules (ops/discofuse/rules)."""
