"""Tables as part files, for the ops of DiscoFuse."""

import pyarrow as pa
import pyarrow.parquet as pq

from ops.parts import Part, Parts


class InOrder:
    def map(self, op, pieces, *shared):
        return (op(piece, *shared) for piece in pieces)


def parts(folder, schema, *tables):
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for number, rows in enumerate(tables):
        path = folder / f"kept-{number:05d}.parquet"
        table = rows if isinstance(rows, pa.Table) else pa.Table.from_pylist(rows, schema=schema)
        pq.write_table(table, path)
        written.append(Part(str(path)))
    return Parts(schema, tuple(written), InOrder())


def candidate(name, **more):
    """A row of candidates: a pair that no rule matched, unless told otherwise."""
    row = {
        "id": name, "source_ids": [f"sentence of {name}"], "licence": "MIT", "document_id": f"document of {name}",
        "month": "2018-06", "domain": "sports", "sentence": 0, "rule": "control",
        "coherent_first_sentence": f"The first sentence of {name} .",
        "coherent_second_sentence": f"The second sentence of {name} .",
        "incoherent_first_sentence": f"The first sentence of {name} .",
        "incoherent_second_sentence": f"The second sentence of {name} .",
        "discourse_type": "PAIR_NONE", "connective_string": "",
        "has_coref_type_pronoun": 0.0, "has_coref_type_nominal": 0.0,
        "first_tokens": 10, "second_tokens": 10, "coreference_score": None, "links": [],
    }  # fmt: skip
    return row | more


def example(name, **more):
    row = candidate(name) | {"split": "train"} | more
    fused = f"{row['coherent_first_sentence']} {row['coherent_second_sentence']}".strip()
    unfused = f"{row['incoherent_first_sentence']} {row['incoherent_second_sentence']}"
    return {"fused": fused, "unfused": unfused, **row}
