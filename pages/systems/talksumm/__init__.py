"""TalkSumm's pages: talks beside papers, tuning, evaluation."""
