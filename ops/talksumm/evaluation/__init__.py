"""What summaries are worth: ROUGE, and people's ratings. Not here: the models."""
