"""Pages of the present and of history, which no asset can hold: freshness, runs, former versions."""
