"""The datasets of DiscoFuse (Geva et al., NAACL 2019)."""
