"""What TalkSumm alone reads, parsed: talks, alignments made by hand, summaries by people."""
