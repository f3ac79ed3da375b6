"""Three servers on three consecutive ports, and the links between them."""

import os
import socket

import pytest

from silverloom.orchestration.state.addresses import HOST, Addresses


@pytest.fixture
def addresses(tmp_workspace, monkeypatch):
    monkeypatch.setattr(os, "environ", {k: v for k, v in os.environ.items() if k != "SILVERLOOM_PORT"})
    return Addresses(tmp_workspace)


def test_the_ports_are_the_chosen_ones_else_from_3000(addresses):
    assert addresses.base_port() == 3000
    assert addresses.address("pages", "/x") == "http://127.0.0.1:3001/x"
    os.environ["SILVERLOOM_PORT"] = "4000"
    assert addresses.address("dagster") == "http://127.0.0.1:4000/"
    assert addresses.mlflow().startswith("http://127.0.0.1:4002/#/experiments?")


def test_the_login_of_mlflows_server_is_in_no_link(addresses):
    os.environ["MLFLOW_TRACKING_URI"] = "https://me:s3cret@mlflow.example.org/"
    assert addresses.mlflow().startswith("https://mlflow.example.org/#/experiments?")


@pytest.mark.parametrize("chosen", ["x", "0", "65534", "-1", "3.5"])
def test_a_port_that_leaves_no_room_for_three_is_refused(addresses, chosen):
    os.environ["SILVERLOOM_PORT"] = chosen
    with pytest.raises(ValueError, match="first of three ports"):
        addresses.base_port()


def test_if_one_of_three_ports_is_taken_the_next_three_are_chosen_and_linked(addresses):
    with socket.socket() as taken:
        taken.bind((HOST, 0))
        taken.listen()
        first = taken.getsockname()[1] - 1
        os.environ["SILVERLOOM_PORT"] = str(first)
        base = addresses.choose()
    assert base > first and (base - first) % 3 == 0
    assert addresses.base_port() == base
