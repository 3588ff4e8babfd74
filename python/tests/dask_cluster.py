"""A small cluster of dask for tests: workers that are processes with a limit of their memory, of
which it tells how they fared."""

import contextlib
import logging
import os
import tempfile
import unittest

try:
    import dask
    import distributed
except ImportError as e:
    if os.environ.get("CI") == "true":
        raise
    raise unittest.SkipTest(f"{e}; Debian: python3-dask python3-distributed") from None

#: Whether the long forms of the tests run.
SOAK = bool(os.environ.get("DRX_SOAK"))


@contextlib.contextmanager
def cluster(workers=2, memory="400MB"):
    """A client of a new cluster on this machine."""
    quiet = {"distributed.scheduler.allowed-failures": 50,
             "distributed.worker.memory.terminate": False if memory is None else 0.95, "distributed.comm.timeouts.connect": "60s",
             "distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_": 65536}
    with tempfile.TemporaryDirectory() as folder, dask.config.set(quiet), distributed.LocalCluster(
            n_workers=workers, threads_per_worker=1, memory_limit=memory, dashboard_address=None, local_directory=folder,
            silence_logs=logging.CRITICAL) as c, distributed.Client(c) as client:
        yield client


def pauses(client):
    """How often a worker stopped to take tasks because of its memory, as their logs say."""
    return sum("Pausing worker" in line for log in client.get_worker_logs().values() for _, line in log)


def pids(client):
    """The processes of the workers: others when one was restarted."""
    return sorted(client.run(os.getpid).values())
