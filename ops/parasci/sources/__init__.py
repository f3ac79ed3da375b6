"""What ParaSCI alone reads: abstracts, and sentences that cite."""
