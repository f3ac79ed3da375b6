import datetime
import email.utils
import math

import pytest

from ops.crawl.retry_after import seconds_to_wait


@pytest.mark.parametrize(
    ("header", "tries", "seconds"),
    [
        *[("7", 0, 7), ("", 0, 1), ("", 3, 8), ("soon", 1, 2)],
        *[("9" * 5_000, 0, math.inf), ("\u0663", 1, 2), (f"Fri, 01 Jun {'9' * 20} 00:00:00 GMT", 1, 2)],
    ],
)
def test_a_header_is_seconds_and_without_one_the_wait_doubles(header, tries, seconds):
    assert seconds_to_wait(header, tries) == seconds


def test_a_date_counts_from_now_and_one_that_has_passed_is_no_wait():
    hour = datetime.datetime.now(datetime.UTC) + datetime.timedelta(hours=1)
    assert 3590 < seconds_to_wait(email.utils.format_datetime(hour, usegmt=True), 0) <= 3600
    assert seconds_to_wait("Wed, 15 Aug 2018 00:00:00 GMT", 0) == 0
