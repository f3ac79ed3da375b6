"""Data travels over S3: all of it or one month, also over a network that drops connections."""

import subprocess
from uuid import uuid4

import boto3
import pytest
from moto.server import ThreadedMotoServer

from tests.end_to_end.proxy import Proxy
from tests.projects import CODE, Project

pytestmark = pytest.mark.long

#: Dummy credentials; failed requests are not retried for half a minute.
ENVIRONMENT = {
    "AWS_ACCESS_KEY_ID": "testing",
    "AWS_SECRET_ACCESS_KEY": "testing",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_EC2_METADATA_DISABLED": "true",
    "AWS_MAX_ATTEMPTS": "2",
}


@pytest.fixture
def server():
    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    yield server
    server.stop()


@pytest.fixture
def proxy(server):
    proxy = Proxy(server.get_host_and_port()[1])
    yield proxy
    proxy.close()


@pytest.fixture
def bucket(server, monkeypatch):
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    _, port = server.get_host_and_port()
    s3 = boto3.resource("s3", endpoint_url=f"http://127.0.0.1:{port}")
    return s3.create_bucket(Bucket=f"bucket-{uuid4()}")  # moto forgets no bucket while this process lives


@pytest.fixture
def origin(done, bucket, proxy) -> Project:
    """A finished project that pushes its data to the bucket through the proxy."""
    done.dvc("remote", "add", "-d", "store", f"s3://{bucket.name}/data")
    done.dvc("remote", "modify", "store", "endpointurl", f"http://127.0.0.1:{proxy.port}")
    done.commit("remote")
    return done


def clone(origin: Project, to) -> Project:
    origin.git("clone", "-q", str(origin.root), str(to))
    for name in CODE:  # the same environment with its compiled kernels
        subprocess.run(["cp", "-a", origin.root / name, to], check=True)
    return Project(to, origin.zygote)


def dvc(project: Project, *arguments: str, ok: bool = True) -> str:
    return project.dvc(*arguments, ok=ok, env=ENVIRONMENT)


def stored(bucket) -> dict[str, str]:
    return {item.key: item.e_tag for item in bucket.objects.all()}


def test_a_push_and_a_pull_whose_connections_drop_midway_resume_from_there(origin, bucket, proxy, tmp_path):
    proxy.allow(300_000)
    dvc(origin, "push", ok=False)
    assert proxy.cut.is_set()
    some = stored(bucket)
    proxy.allow(None)
    said = dvc(origin, "push")
    every = stored(bucket)
    assert some and some.items() < every.items()
    assert f"{len(every) - len(some)} files pushed" in said

    copy = clone(origin, tmp_path / "copy")
    proxy.allow(300_000)
    dvc(copy, "pull", ok=False)
    assert proxy.cut.is_set()
    proxy.allow(None)
    dvc(copy, "pull")
    assert copy.data() == origin.data()
    assert copy.made(copy.run()) == []
