import ipaddress

import pytest
from hypothesis import given
from hypothesis.strategies import ip_addresses
from twisted.internet.address import IPv4Address

from silverloom.ops.crawl.addresses import AddressPolicy, AddressRefusedError, literal
from silverloom.ops.crawl.middlewares import CheckedHosts, CheckedResolver


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1", "127.1", "2130706433", "0x7f000001", "0x7f.0.0.1", "0177.0.0.1", "017700000001",
        "10.0.0.8", "172.16.3.4", "192.168.1.1", "169.254.169.254", "0xa9fea9fe", "2852039166", "100.64.0.1",
        "0.0.0.0", "0", "224.0.0.1", "255.255.255.255", "192.0.2.7", "[::1]", "[::]", "[fe80::1]", "[fd00::1]",
        "[::ffff:127.0.0.1]", "[::ffff:a9fe:a9fe]", "[64:ff9b::a9fe:a9fe]", "[2002:7f00:1::]", "[::7f00:1]",
        "[fec0::1]", "[fec0:0:0:ffff::1]", "[::ffff:0:127.0.0.1]", "[::ffff:0:a9fe:a9fe]", "[64:ff9b:1::5db8:d822]",
        "[2001::1]", "[2001:0:4136:e378:8000:63bf:3fff:fdd2]", "[2001:db8::1]", "[2002:5db8:d822::1]", "[3fff::1]",
        "[100::1]", "[5f00::1]", "[ff02::1]", "[4000::1]", "[::ffff:93.184.216.34]", "[::93.184.216.34]",
        "240.0.0.1", "198.18.0.1", "localhost", "LOCALHOST.", "a.localhost",
    ],
)  # fmt: skip
def test_a_non_public_address_is_refused_in_every_notation(host):
    with pytest.raises(AddressRefusedError):
        AddressPolicy().check_url(f"http://{host}/")


@pytest.mark.parametrize(
    "host", ["93.184.216.34", "[2606:2800:220:1::1]", "example.org", "[64:ff9b::5db8:d822]"]
)
def test_a_public_address_and_a_name_are_accepted(host):
    assert AddressPolicy().check_url(f"https://{host}/page") == host.strip("[]")


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "ftp://example.org/", "gopher://example.org", "http:///x", "http://u:p@example.org/",
            "http://example.org:99999/", "http://[::1/"],
)  # fmt: skip
def test_urls_other_than_plain_web_urls_are_refused(url):
    with pytest.raises(AddressRefusedError):
        AddressPolicy().check_url(url)


def test_a_name_is_refused_by_its_address_and_the_error_names_both():
    with pytest.raises(AddressRefusedError, match=r"10\.0\.0\.1 of rebound.example is private"):
        AddressPolicy().check_address("rebound.example", ipaddress.ip_address("10.0.0.1"))


@given(ip_addresses(v=6))
def test_an_ipv6_address_is_accepted_only_if_it_is_global_unicast_or_maps_to_a_public_host(address):
    """The list includes unexpected networks: no list of private networks is complete."""
    try:
        AddressPolicy().check_url(f"http://[{address}]/")
    except AddressRefusedError:
        return
    host = ipaddress.ip_address(int(address) & 0xFFFFFFFF)
    behind_nat64 = address in ipaddress.ip_network("64:ff9b::/96") and host.is_global
    assert address in ipaddress.ip_network("2000::/3") or behind_nat64


@pytest.mark.parametrize("written", ["10.1.2.3", "[::ffff:10.1.2.3]", "[64:ff9b::10.1.2.3]"])
def test_an_allowed_network_is_allowed_in_all_notations(written):
    AddressPolicy(["10.1.0.0/16"]).check_url(f"http://{written}/")


@pytest.mark.parametrize("allow", ["127.0.1.4", "127.0.1.0/24", "intranet.example"])
def test_only_networks_that_the_source_allows_by_name_are_accepted(allow):
    policy = AddressPolicy([allow])
    policy.check_address(
        "intranet.example" if allow == "intranet.example" else "127.0.1.4", ipaddress.ip_address("127.0.1.4")
    )
    with pytest.raises(AddressRefusedError):
        policy.check_address("other.example", ipaddress.ip_address("127.0.0.1"))


def test_a_name_is_not_a_literal_address():
    assert literal("example.org") is None
    assert literal("0x7f.1") == ipaddress.ip_address("127.0.0.1")


class Reactor:
    """A minimal replacement of Twisted's resolver: names whose addresses change with each lookup."""

    def __init__(self, *answers):
        self.answers, self.nameResolver = list(answers), self

    def resolveHostName(self, receiver, name, port, *rest):
        receiver.resolutionBegan(self)
        for address in self.answers.pop(0):
            receiver.addressResolved(IPv4Address("TCP", address, port))
        receiver.resolutionComplete()


class Receiver:
    """Connects to the addresses that it receives."""

    def __init__(self):
        self.addresses = []

    def resolutionBegan(self, resolution):
        pass

    def addressResolved(self, address):
        self.addresses.append(address.host)

    def resolutionComplete(self):
        pass


def test_a_name_is_checked_at_each_connection_and_one_bad_address_refuses_all():
    """A name that was public when its URL was checked, and is rebound later, leads nowhere."""
    hosts = CheckedHosts(AddressPolicy())
    resolver = CheckedResolver(
        Reactor(["93.184.216.34"], ["10.0.0.1"], ["93.184.216.34", "127.0.0.1"]), hosts
    )
    found = []
    for _ in range(3):
        resolver.resolveHostName(receiver := Receiver(), "rebound.example", 80)
        found.append((receiver.addresses, hosts.refused.get("rebound.example")))
    assert found == [
        (["93.184.216.34"], None),
        ([], "the address 10.0.0.1 of rebound.example is private"),
        ([], "the address 127.0.0.1 of rebound.example is loopback"),
    ]


def test_the_server_of_the_crawl_itself_may_be_connected_to_only_at_its_port():
    hosts = CheckedHosts(AddressPolicy(), ("127.0.0.1", 4000))
    assert hosts.check("127.0.0.1", 4000, ["127.0.0.1"])
    assert not hosts.check("127.0.0.1", 4001, ["127.0.0.1"])
    assert not hosts.check("rebound.example", 4000, ["127.0.0.1"])
