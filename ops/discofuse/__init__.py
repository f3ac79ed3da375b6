"""DiscoFuse (Geva et al., NAACL 2019): sentences un-fused by rules over parses and coreference.

Belongs here: this system's steps. Not here: parsing and coreference themselves (ops/models, ops/coreference).
"""
