"""Make the papers of a month in workers that start after the op's code was edited; then the edit is undone.

Runs in a project.
"""

import threading
import time
from pathlib import Path

from silverloom.orchestration.definitions import workspace
from silverloom.orchestration.files.edits import MovedError
from silverloom.orchestration.partition import materialise

OP, BEGUN, GO = Path("ops/parse/papers/table.py"), Path("begun"), Path("go")
#: Gives all papers one title, when the edit is undone.
EDITED = f"""

parse = parse_records
def parse_records(records, formats):
    import time
    from dataclasses import replace
    from pathlib import Path

    Path("{BEGUN}").touch()
    while not Path("{GO}").exists():
        time.sleep(0.01)
    outcome = parse(records, formats)
    column = outcome.kept.schema.get_field_index("title")
    titles = [["!"] * outcome.kept.num_rows]
    return replace(outcome, kept=outcome.kept.set_column(column, outcome.kept.schema.field(column), titles))
"""


def edit():
    """Edit the op when the key of the partition is known, before its workers are spawned."""
    whole = OP.read_text()
    OP.write_text(whole + EDITED)

    def go():
        while not BEGUN.exists():
            time.sleep(0.01)
        OP.write_text(whole)
        GO.touch()

    threading.Thread(target=go, daemon=True).start()


def main():
    make_rows = materialise.Materialisation.make_rows

    def edited(*arguments):
        edit()
        return make_rows(*arguments)

    materialise.Materialisation.make_rows = edited
    try:
        materialise.Materialisation(workspace(), workspace().datasets["sources/papers"], "2018-06").make()
    except MovedError as error:
        print(error)
    print(len(list((workspace().state / "parts").rglob("*.zip"))), "parts")


if __name__ == "__main__":
    main()
