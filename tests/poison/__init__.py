"""The poison corpus: input that no parser may break at, made by a script. See docs/reports/poison.md."""
