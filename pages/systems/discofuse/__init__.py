"""DiscoFuse's pages: fusion models, phenomena, people's judgements."""
