"""How many datasets an edit makes stale, and how long hashing all code takes.

Each edit is made in a copy of the checkout's code. Hashes by symbol (assets/codehash/) are compared
with hashes of whole modules and all modules that these import. An edit finds its file by the text that it
replaces, whatever the file's path.
"""

import ast
import functools
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from silverloom.assets.codehash.names import ProjectNames, Symbol
from silverloom.assets.codehash.statements import PROJECT, imported, is_docstring, md5
from silverloom.assets.codehash.symbols import Reach, Symbols
from silverloom.assets.declare import code
from silverloom.assets.declare.project import checkout
from silverloom.orchestration.definitions import workspace

#: Edits: a description, and (old text, new text) for each replacement; "" as old text creates a file.
Edit = tuple[str, list[tuple[str, str]]]

DROP = '''def drop(unit: Row, reason: str, score: float | None = None, detail: str | None = None) -> Row:
    """Return the dropped row of a unit."""
    return {**unit, "reason": reason, "score": score, "detail": detail}


'''
REJECT = '''def reject(unit: Row, error: str) -> Row:
    """Return the rejected row of a unit; `error` names the file, the row and the cause."""
    return {**unit, "error": error}


'''
TABLE = """def _table(rows: Sequence[Row], schema: pa.Schema) -> pa.Table:
    for row in rows:
        if row.keys() != set(schema.names):
            odd = sorted(row.keys() ^ set(schema.names))
            raise pa.ArrowInvalid(f"row {row.get('id')!r} does not have the columns of its table: {odd}")
    return pa.Table.from_pylist(list(rows), schema=schema)
"""
TABLES = f"""from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias
import pyarrow as pa

Row: TypeAlias = Mapping[str, Any]

{TABLE}"""
EXAMPLE = '_EXAMPLE = {"month": "2018-06", "year": "2018"}'

EDITS: list[Edit] = [
    ("a comment at `drop` (ops/core/outcome.py)", [(DROP, f"# Why.\n{DROP}")]),
    ("another docstring of `drop`", [("Return the dropped row of a unit.", "Return a row.")]),
    (
        "another layout of `drop`",
        [('    return {**unit, "reason"', '    return {\n        **unit, "reason"')],
    ),
    ("`drop` and `reject` in another order", [(f"{DROP}{REJECT}", f"{REJECT}{DROP}")]),
    (
        "an unused import in the module of `drop`",
        [("import pyarrow as pa\n\nRow:", "import json\nimport pyarrow as pa\n\nRow:")],
    ),
    (
        "a new function in the module of `drop`",
        [(TABLE, f"{TABLE}\n\ndef keep(unit: Row) -> Row:\n    return unit\n")],
    ),
    (
        "`_table`, from the module of `drop`, moved to a new module",
        [(TABLE, "from silverloom.ops.core.new_tables import _table\n"), ("", TABLES)],
    ),
    (
        "one more re-export of a package (silverloom.ops.talksumm)",
        [
            (
                "from silverloom.ops.rank.choose import Budget, summarize\nfrom silverloom.ops.talksumm",
                "from silverloom.ops.rank.choose import Budget, summarize, word_count\n"
                "from silverloom.ops.talksumm",
            )
        ],
    ),
    ("a local variable renamed, of `_table`", [(TABLE, TABLE.replace("odd", "strange"))]),
    ("what `drop` does", [(DROP, DROP.replace("{**unit,", "{**dict(unit),"))]),
    (
        "a helper in ops/core/outcome.py that few use (`spans`)",
        [('Role("spans", words)', 'Role("spans", str(words))')],
    ),
    ("a constant of periods that only messages use", [(EXAMPLE, EXAMPLE.replace("06", "07"))]),
    ("a function of periods (`period`)", [('"none": ALL}[every]', '"none": ALL}.get(every)')]),
    (
        "the default of a param (talksumm.pairs)",
        [("        default=0.78, gt=0", "        default=0.79, gt=0")],
    ),
    (
        "a default of a function (the skip-bigrams of ROUGE)",
        [("gap: int = GAP) -> Counter", "gap: int = GAP + 0) -> Counter")],
    ),
    (
        "a regular expression of parsing (footnotes of papers)",
        [("{{0,80}}?(?i:equal contrib", "{{0,90}}?(?i:equal contrib")],
    ),
    (
        "a decorator (the cache of the sentence encoder)",
        [("@lru_cache(maxsize=2)\ndef _encoder(", "@lru_cache(maxsize=3)\ndef _encoder(")],
    ),
    (
        "a compiled function (recalls of WikiSum)",
        [("    recalls = np.zeros(len(ends) - 1)", "    recalls = np.zeros(-1 + len(ends))")],
    ),
    (
        "a rule of DiscoFuse (anaphora)",
        [
            (
                "repeats_pronoun(source: ParsedSentence, phrase: TokenList) -> bool:\n",
                "repeats_pronoun(source: ParsedSentence, phrase: TokenList) -> bool:\n    assert phrase\n",
            )
        ],
    ),
    ("what a crawl's child process does", [("_MEMORY = 4 * 2**30", "_MEMORY = 5 * 2**30")]),
    (
        "an expectation of a dataset",
        [('between("candidates.score.least", 0, 1)', 'between("candidates.score.least", 0, 2)')],
    ),
    (
        "the body of an asset function",
        [
            (
                "    return matches_op(talks, papers)",
                "    found = matches_op(talks, papers)\n    return found",
            )
        ],
    ),
    (
        "a template of a page",
        [('<h2 id="funnel">From the source to here</h2>', '<h2 id="funnel">From the source</h2>')],
    ),
    ("a data file (stop_words.txt)", [("\nourselves\n", "\nourselves\nhenceforth\n")]),
    (
        "an option of the writer of Parquet",
        [("compression_level=3,\n        use_dictionary", "compression_level=4,\n        use_dictionary")],
    ),
]


class WholeModules:
    """Hashes of a symbol's whole module, and of all modules that it imports."""

    def __init__(self, names: ProjectNames, within: tuple[str, ...]) -> None:
        self._names = names
        self._symbols = Symbols(names, within)
        self.counts = self._symbols.counts
        self._modules = functools.cache(self._read)

    def reach(self, symbol: Symbol) -> Reach:
        """Return the hash of a symbol; packages are left out, because no edit changes their versions."""
        module = symbol.module
        own = {used for used in self._symbols.reached(symbol) if used.module == module}
        source = self._names.source(module)
        numbers = sorted({number for _, name in own for number in source.names.get(name, ())})
        statements = [source.statements[number] for number in numbers]
        roots = {chain.split(".")[0] for statement in statements for chain in statement.mentions}
        bindings = [found for root in roots for found in source.imports.get(root, ())]
        bindings += [found for statement in statements for found in statement.imports]
        found = {name for binding in bindings for name in [*self._names.imported(binding)][-1:]}
        seen, waiting_modules = set(), [*filter(self.counts, found)]
        while waiting_modules:
            if (name := waiting_modules.pop()) not in seen:
                seen.add(name)
                waiting_modules += filter(self.counts, self._modules(name)[1])
        texts = [statement.text for statement in statements]
        return Reach(md5(repr([texts, sorted((name, self._modules(name)[0]) for name in seen)])), set())

    def _read(self, module: str) -> tuple[str, set[str]]:
        """Return the hash of a module and the files that it names, and the modules that it imports."""
        file = self._names.files[module]
        tree, strings, found = ast.parse(file.read_bytes()), set(), set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and "." in node.value:
                strings.add(node.value)
            for binding in imported(node):
                found |= {*[*self._names.imported(binding)][-1:]}
                if binding.name == "pkgutil":
                    strings.add("walks")
            if isinstance(body := getattr(node, "body", None), list):
                node.body = [line for line in body if not is_docstring(line)]
        if "walks" in strings:
            found |= {below for name in found for below in self._names.files if below.startswith(f"{name}.")}
        patterns = [text for text in strings if len(text) < 100 and not text.startswith("/")]
        paths = {path for text in patterns for path in _beside(file.parent, text)}
        data = [md5(path.read_bytes()) for path in sorted(paths)]
        return md5(repr([ast.dump(tree), data])), found - {module}


def _beside(folder: Path, text: str) -> list[Path]:
    if (
        not all(letter.isalnum() or letter in "_*-./" for letter in text)
        or ".." in text
        or text.endswith(".")
    ):
        return []
    return [path for path in (folder.glob(text) if "*" in text else [folder / text]) if path.is_file()]


def hashes(
    root: Path, kind: Callable[[ProjectNames, tuple[str, ...]], Symbols | WholeModules]
) -> dict[str, str]:
    """Return the hash of the code of every dataset."""
    code.symbols = functools.cache(functools.partial(kind, ProjectNames(root)))
    code.known = functools.cache(dict)
    return entries()


def entries() -> dict[str, str]:
    """Return the hash of the code of every dataset; what is known of symbols is used again."""
    return {name: type(dataset).code.func(dataset)["code"] for name, dataset in workspace().datasets.items()}


def edited(root: Path, replacements: list[tuple[str, str]]) -> dict[Path, str | None]:
    """Edit the one file that has each text, and return the files' former contents."""
    before: dict[Path, str | None] = {}
    for text, other in replacements:
        if text:
            files = [path for path, content in _texts(root).items() if text in content]
            assert len(files) == 1, f"{text!r} is in {files}"
            before[files[0]] = files[0].read_text()
            files[0].write_text(before[files[0]].replace(text, other, 1))
        else:
            before[root / "ops/core/new_tables.py"] = None
            (root / "ops/core/new_tables.py").write_text(other)
    return before


def _texts(root: Path) -> dict[Path, str]:
    kinds = ("*.py", "*.html", "*.txt")
    files = [path for package in PROJECT for kind in kinds for path in (root / package).rglob(kind)]
    return {path: path.read_text() for path in files}


def main() -> None:
    """Print a table of edits, and the time for hashing."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for package in PROJECT:
            shutil.copytree(
                checkout() / package, root / package, ignore=shutil.ignore_patterns("__pycache__")
            )
        kinds: dict[type, dict[str, str]] = {}
        began = time.process_time()
        kinds[Symbols] = hashes(root, Symbols)
        first = time.process_time() - began
        began = time.process_time()
        entries()
        again = time.process_time() - began
        kinds[WholeModules] = hashes(root, WholeModules)
        print(f"| edit | stale of {len(kinds[Symbols])} datasets, by symbols | by whole modules |")
        print("|---|---|---|")
        for what, replacements in EDITS:
            before = edited(root, replacements)
            stale = []
            for kind, known in kinds.items():
                found = hashes(root, kind)
                stale.append(sum(found[name] != value for name, value in known.items()))
            for path, content in before.items():
                path.unlink() if content is None else path.write_text(content)
            print(f"| {what} | {stale[0]} | {stale[1]} |", flush=True)
        assert hashes(root, Symbols) == kinds[Symbols]
        print(f"\nSeconds of processor time for all hashes: {first:.2f}, and {again:.2f} if all is known.")


if __name__ == "__main__":
    main()
