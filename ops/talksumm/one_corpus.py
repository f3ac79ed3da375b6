"""Why one corpus is not enough for TalkSumm, for `silverloom convert`."""

NEEDS = "talks and their papers; in Python, silverloom.talksumm.summarize takes a pair of them"
