"""A plain beam search: every answer is read alone, from its beginning.

Belongs here: the search, and the interface that it needs of a model. Not here: models, and comparing their own
search with this one (the tests).
"""

from abc import ABC, abstractmethod

import torch


class Reader(ABC):
    """The log-probability of every piece after an answer to one source."""

    def __init__(self, network, source):
        self.network, self.source, self.known = network, source, {}

    @abstractmethod
    def read(self, answer):
        """Return the log-probabilities (V) after an answer."""

    def following(self, answer):
        if answer not in self.known:
            with torch.no_grad():
                self.known[answer] = self.read(answer).tolist()
        return self.known[answer]

    def rank(self, answer, penalty):
        scores = [self.following(answer[:place])[piece] for place, piece in enumerate(answer)]
        return sum(scores) / len(answer) ** penalty


def searched(reader, pieces, end, width, most, penalty):
    """Return the rank of the best answer that a beam finds.

    Of the `2 * width` most probable answers, finished ones are kept if they are among the first `width`, and
    the first `width` others continue, until none of them ranks above the worst of `width` kept ones.
    """
    growing, kept = [((), 0.0)], []
    for length in range(1, most + 1):
        grown = [
            ((*answer, piece), score + reader.following(answer)[piece])
            for answer, score in growing
            for piece in pieces
        ]
        grown = sorted(grown, key=lambda pair: -pair[1])[: 2 * width]
        ended = [pair for pair in grown if pair[0][-1] == end or length == most]
        kept += [score / length**penalty for answer, score in grown[:width] if (answer, score) in ended]
        kept = sorted(kept, reverse=True)[:width]
        growing = [pair for pair in grown if pair not in ended][:width]
        if not growing or (len(kept) == width and growing[0][1] / length**penalty <= kept[-1]):
            break
    return kept[0]
