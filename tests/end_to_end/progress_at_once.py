"""Make the papers of one month, reporting progress at once, and print the log of that run in Dagster."""

import sys
import time

from rich.console import Console

from silverloom.ops.parse import papers
from silverloom.orchestration import messages
from silverloom.orchestration.dagster.instance import instance
from silverloom.orchestration.definitions import workspace
from silverloom.orchestration.run.loop import bring_up_to_date
from silverloom.orchestration.state.freshness import View

messages.FIRST = messages.EVERY = 0.0


parse_papers = papers.parse_papers


def slowly(records):
    time.sleep(0.5)
    return parse_papers(records)


papers.parse_papers = slowly
console = Console(file=sys.stdout, width=200)
(report,) = bring_up_to_date(
    View(workspace()), [(workspace().datasets["sources/papers"], ["2018-06"])], console
)
assert report.made == ["2018-06"], report.failed
print("LOG")
(run,) = [run for run in instance().get_runs() if run.asset_selection]
for record in instance().all_logs(run.run_id):
    print(record.user_message)
