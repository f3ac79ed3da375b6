"""Which paper sentence a speaker has in mind at every word: the hidden Markov model, and tuning it."""
