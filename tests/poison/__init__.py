"""The poison corpus: input that must not break any parser, made by a script. See docs/reports/poison.md."""
