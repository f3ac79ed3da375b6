"""TalkSumm's pages: talks next to their papers, tuning, evaluation."""
