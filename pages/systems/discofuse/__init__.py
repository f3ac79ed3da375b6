"""DiscoFuse's pages: fusion models, phenomena, human evaluation."""
