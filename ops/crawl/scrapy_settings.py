"""What the options of a crawl are called in Scrapy.

Belongs here: Scrapy's settings. Not here: the options themselves (options.py).
"""

from __future__ import annotations

from typing import Any

from ops.crawl.options import CrawlOptions
from ops.crawl.resolver import CheckedHosts

_DOWNLOADER = "scrapy.downloadermiddlewares"
_SPIDER = "scrapy.spidermiddlewares"
#: Seconds between two requests to a host, at the least: without any, Scrapy 2.19 may begin two at once.
_LEAST = 0.001


def scrapy_settings(options: CrawlOptions, hosts: CheckedHosts) -> dict[str, Any]:
    """Return the settings of a crawl that connects to `hosts`."""
    return {
        "USER_AGENT": options.user_agent,
        "ROBOTSTXT_OBEY": True,
        "ROBOTSTXT_USER_AGENT": options.agent,
        "ROBOTSTXT_PARSER": "ops.crawl.robots.RobotRules",
        "AUTOTHROTTLE_ENABLED": options.delay > 0,
        "AUTOTHROTTLE_START_DELAY": options.delay,
        "AUTOTHROTTLE_TARGET_CONCURRENCY": float(options.host_connections),
        "DOWNLOAD_DELAY": max(options.delay, _LEAST),
        "CONCURRENT_REQUESTS": options.connections,
        "CONCURRENT_ITEMS": 1,  # there are none, and Scrapy makes so many tasks for every answer
        "CONCURRENT_REQUESTS_PER_DOMAIN": options.host_connections,
        "DOWNLOAD_SLOTS": {host: {"delay": _LEAST, "concurrency": 1} for host in options.serve},
        "DOWNLOAD_TIMEOUT": options.timeout,
        "DOWNLOAD_MAXSIZE": options.page_bytes,
        "DOWNLOAD_WARNSIZE": 0,
        "RETRY_TIMES": options.retries,
        "RETRY_ENABLED": True,
        "LONGEST_WAIT": options.longest_wait,
        "REDIRECT_ENABLED": True,
        "REDIRECT_MAX_TIMES": options.redirects,
        "METAREFRESH_ENABLED": False,
        "COOKIES_ENABLED": False,
        "HTTPPROXY_ENABLED": False,  # a proxy would look names up itself, unchecked
        "EXTENSIONS": dict.fromkeys(  # which listen on ports
            ("scrapy.extensions.telnet.TelnetConsole", "scrapy.extensions.remote_control.RemoteControl")
        ),
        "LOG_LEVEL": "ERROR",
        "TWISTED_DNS_RESOLVER": "ops.crawl.resolver.CheckedResolver",
        "DNSCACHE_ENABLED": False,
        "HTTPERROR_ALLOW_ALL": True,
        "DOWNLOAD_HANDLERS": dict.fromkeys(("data", "file", "ftp", "s3")),
        "DOWNLOADER_MIDDLEWARES": {
            "ops.crawl.middlewares.Guard": 50,
            f"{_DOWNLOADER}.robotstxt.RobotsTxtMiddleware": None,
            "ops.crawl.middlewares.Robots": 100,
            f"{_DOWNLOADER}.retry.RetryMiddleware": None,
            "ops.crawl.middlewares.PatientRetry": 550,
            "ops.crawl.middlewares.Unpacking": 595,
        },
        "SPIDER_MIDDLEWARES": dict.fromkeys(
            (
                f"{_SPIDER}.depth.DepthMiddleware",
                f"{_SPIDER}.urllength.UrlLengthMiddleware",
                f"{_SPIDER}.referer.RefererMiddleware",
            )
        ),
        "CHECKED_HOSTS": hosts,
        "SERVED_HOSTS": frozenset(options.serve),
    }
