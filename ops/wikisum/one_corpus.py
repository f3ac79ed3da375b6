"""Why one corpus is not enough for WikiSum, for `silverloom convert`."""

NEEDS = "articles and web pages; in Python, silverloom.wikisum.example takes a title and pages"
