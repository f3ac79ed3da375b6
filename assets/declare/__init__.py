"""How a dataset or a report is declared, and what follows from that. Not here: any dataset."""
