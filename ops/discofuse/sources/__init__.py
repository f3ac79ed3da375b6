"""What DiscoFuse alone reads, parsed: prose, and split-and-rephrase corpora."""
