"""The datasets of TalkSumm (Lev et al., ACL 2019)."""
