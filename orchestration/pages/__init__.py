"""The data-quality pages: static files that any browser shows offline."""
