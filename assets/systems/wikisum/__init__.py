"""The datasets of WikiSum (Liu et al., ICLR 2018)."""
