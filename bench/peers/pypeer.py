"""What the peers written in Python share.

The protocol and the workloads are those of peer.c, values and random numbers those of values.go. A
peer implements create_array, open_array, read_box, one, write_box, extend_by and sync, and for
xarray write_dataset and open_dataset.
"""

import resource
import sys
import time

import numpy as np

PRIMES = [7919, 104729, 1299709, 15485863, 32452843, 49979687, 67867967, 86028121]
np.seterr(over="ignore")


class Unsupported(Exception):
    """What this peer cannot do."""


class Clock:
    """Wall and CPU nanoseconds of the work, and its operations."""

    def __init__(self):
        self.wall = self.cpu = self.operations = 0

    def begin(self):
        self.cpu_begin = self._cpu()
        self.wall_begin = time.perf_counter_ns()

    def end(self, operations):
        self.wall += time.perf_counter_ns() - self.wall_begin
        self.cpu += self._cpu() - self.cpu_begin
        self.operations += operations

    @staticmethod
    def _cpu():
        u = resource.getrusage(resource.RUSAGE_SELF)
        return int((u.ru_utime + u.ru_stime) * 1e9)


def value(*coordinates):
    """The values of elements; coordinates broadcast."""
    return sum(np.asarray(c, dtype=np.int64) * p for c, p in zip(coordinates, PRIMES)) % 1000003


def block(lo, size):
    """The values of a box."""
    axes = np.ogrid[tuple(slice(a, a + n) for a, n in zip(lo, size))]
    return np.broadcast_to(value(*axes), size).astype(np.float64)


def mix(seed, i, d):
    u = np.uint64
    z = u(seed) * u(0x9E3779B97F4A7C15) + np.asarray(i, u) * u(0xBF58476D1CE4E5B9) + np.asarray(d, u) * u(0x94D049BB133111EB)
    z = (z ^ z >> u(30)) * u(0xBF58476D1CE4E5B9)
    z = (z ^ z >> u(27)) * u(0x94D049BB133111EB)
    return z ^ z >> u(31)


def starts(seed, n, shape, size, align=1):
    """The low corners of n random boxes: n rows of one number per dimension."""
    rank = len(shape)
    room = np.array([(s - e) // align + 1 for s, e in zip(shape, size)], np.uint64)
    r = mix(seed, np.arange(n)[:, None], np.arange(rank)[None, :])
    return (r % room).astype(np.int64) * align


def weighted_sum(values):
    flat = np.asarray(values).ravel().astype(np.uint64)
    return int((flat * (np.arange(flat.size, dtype=np.uint64) % np.uint64(1009) + np.uint64(1))).sum())


class Peer:
    """The array that is open, as a, and the workloads. A peer adds the functions of its store."""

    def __init__(self):
        self.a = None
        self.kept = None  # a dataset of xarray in memory

    # Workloads.

    def create(self, q, clock):
        clock.begin()
        self.create_array(q)
        clock.end(1)
        if q.number("fill", 1):
            self.write_slabs(q, clock)
        clock.begin()
        self.sync(q, q.number("durable", 1))
        clock.end(0)
        return 0

    def write_slabs(self, q, clock):
        rows, shape = q.numbers("chunk")[0], self.a.shape
        for i in range(0, shape[0], rows):
            lo = (i,) + (0,) * (len(shape) - 1)
            values = block(lo, (min(rows, shape[0] - i),) + shape[1:])
            clock.begin()
            self.write_box(lo, values)
            clock.end(0)

    def open(self, q, clock):
        clock.begin()
        self.path = q.text("path")
        self.open_array(q)
        clock.end(1)
        return 0

    def close(self, q, clock):
        self.close_array()
        return 0

    def close_array(self):
        self.a = self.kept = None

    def read(self, q, clock):
        n, size, order = q.number("n", 1), q.numbers("size"), q.text("order", "row")
        seed, align, scalar = q.number("seed", 1), q.number("align", 1), q.number("scalar", 0)
        check = 0
        for r in range(q.number("rounds", 1)):
            places = starts(seed + 1000 * r, n, self.a.shape, size, align).tolist()
            total = 0.0
            clock.begin()
            if scalar:
                for at in places:
                    v = self.one(at)
                    total += v + v
            else:
                for at in places:
                    part = self.read_box(at, size, order)
                    total += part.flat[0] + part.flat[-1]
            clock.end(n)
            if r == 0:
                check, last = int(total), places[-1]
        return check + weighted_sum(self.read_box(last, size, order))

    def gather(self, q, clock):
        n, seed, check = q.number("n", 1), q.number("seed", 1), 0
        for r in range(q.number("rounds", 1)):
            at = tuple(starts(seed + 1000 * r, n, self.a.shape, [1] * self.a.ndim).T)
            clock.begin()
            found = self.a.vindex[at]
            clock.end(n)
            if r == 0:
                check = weighted_sum(found)
        return check

    def scatter(self, q, clock):
        n, seed, check = q.number("n", 1), q.number("seed", 1), 0
        for r in range(q.number("rounds", 1)):
            at = tuple(starts(seed + 1000 * r, n, self.a.shape, [1] * self.a.ndim).T)
            values = value(*at).astype(np.float64)
            clock.begin()
            self.a.vindex[at] = values
            clock.end(n)
            if r == 0:
                check = weighted_sum(values)
        return check

    def scan(self, q, clock):
        shape, dim = self.a.shape, q.number("dim", self.a.ndim - 1)
        order = [dim] + [d for d in reversed(range(len(shape))) if d != dim]  # fastest first
        size = [1] * len(shape)
        if not q.number("elements", 0):
            size[dim] = shape[dim]
        steps = [-(-shape[d] // size[d]) for d in order]
        count = min(int(np.prod(steps)), q.number("n", 1 << 62))
        total = 0.0
        clock.begin()
        for i in range(count):
            at = [0] * len(shape)
            for d, n in zip(order, steps):
                i, at[d] = divmod(i, n)
            part = self.read_box(at, size)
            total += part.flat[0] + part.flat[-1]
        clock.end(count)
        return int(total)

    def sweep(self, q, clock):
        shape, rows, check = self.a.shape, q.number("rows", 1), 0
        for i in range(0, shape[0], rows):
            clock.begin()
            slab = self.a[i : i + rows]
            clock.end(1)
            check += weighted_sum(slab)
        return check

    def grow(self, q, clock):
        by, seed, reads, check = q.numbers("by"), q.number("seed", 1), q.number("reads", 0), 0
        clock.begin()
        self.create_array(q)
        clock.end(0)
        self.write_slabs(q, clock)
        rank = self.a.ndim
        for s in range(q.number("steps", 1)):
            dim = int(mix(seed, s, 99)) % rank if q.number("random", 0) else s % rank
            lo, size = [0] * rank, list(self.a.shape)
            lo[dim], size[dim] = size[dim], by[dim]
            values = block(lo, size)
            clock.begin()
            self.extend_by(dim, by[dim])
            self.write_box(lo, values)
            clock.end(1)
            places = [tuple(p) for p in starts(seed + s, reads, self.a.shape, [1] * rank).tolist()]
            total = 0.0
            clock.begin()
            for at in places:
                total += self.one(at)
            clock.end(0)
            check += int(total)
        return check

    def append(self, q, clock):
        rows, durable = q.number("rows", 1), q.number("durable", 1)
        self.create_array(q)
        for i in range(q.number("n", 1)):
            lo = (i * rows,) + (0,) * (self.a.ndim - 1)
            values, since = block(lo, (rows,) + self.a.shape[1:]), time.time() - 0.05
            clock.begin()
            self.extend_by(0, rows)
            self.write_box(lo, values)
            self.sync(q, durable, since)
            clock.end(1)
        places = starts(q.number("seed", 1), 16, self.a.shape, [1] * self.a.ndim).tolist()
        return weighted_sum([self.one(at) for at in places])

    def extend(self, q, clock):
        chunk, n, data, commit = q.numbers("chunk"), q.number("n", 1), q.number("write", 0), q.number("commit", 0)
        self.create_array(q)
        for i in range(n):
            dim, lo = i % self.a.ndim, [0] * self.a.ndim
            lo[dim] = self.a.shape[dim]
            values, since = block(lo, chunk), time.time() - 0.05
            clock.begin()
            self.extend_by(dim, chunk[dim])
            if data:
                self.write_box(lo, values)
            self.sync(q, commit, since)
            clock.end(1)
        return int(self.one(lo)) if data else 0

    def reopen(self, q, clock):
        check = 0
        for _ in range(q.number("n", 1)):
            clock.begin()
            self.path = q.text("path")
            self.open_array(q)
            found = self.one([s - 1 for s in self.a.shape])
            clock.end(1)
            check += int(found)
        return check

    def xcreate(self, q, clock):
        """A dataset of xarray with one variable, written block by block by dask; with memory=1 kept
        in memory, in the same chunks."""
        import dask.array as da
        import xarray as xr

        shape, chunk = q.numbers("shape"), q.numbers("chunk")
        blocks = da.fromfunction(lambda *at: value(*at).astype(np.float64), shape=shape, chunks=chunk, dtype=np.float64)
        in_memory = q.number("memory", 0)
        if in_memory:
            parts = {("kept", *at): part.compute() for at, part in np.ndenumerate(blocks.to_delayed())}
            blocks = da.Array(parts, "kept", blocks.chunks, np.float64)
        dataset = xr.Dataset({"v": (("time", "y", "x"), blocks)})
        if in_memory:
            self.kept = dataset
        else:
            self.write_dataset(q, dataset, q.text("path"), chunk)
        return 0

    def xsum(self, q, clock):
        """The sums over a dimension, or over all, by xarray and the threads of dask. The first time
        is not timed."""
        over, found = q.text("over"), None
        for timed in False, True:
            v = (self.kept if q.number("memory", 0) else self.open_dataset(q.text("path"))).v
            clock.begin() if timed else None
            found = (v.sum(over) if over else v.sum()).compute()
            clock.end(1) if timed else None
        return int(found.sum())


class Request:
    """A line of the driver's: a verb and arguments."""

    def __init__(self, line):
        self.verb, *rest = line.split()
        self.args = dict(word.split("=", 1) for word in rest)

    def text(self, key, otherwise=""):
        return self.args.get(key, otherwise)

    def number(self, key, otherwise):
        return int(self.args.get(key, otherwise))

    def numbers(self, key):
        return tuple(int(n) for n in self.args[key].split(","))


VERBS = "create open close read gather scatter scan sweep grow append extend reopen xcreate xsum".split()


def serve(peer, line):
    q, clock = Request(line), Clock()
    if q.verb not in VERBS:
        raise Unsupported(q.verb)
    check = getattr(peer, q.verb)(q, clock)
    return f"ok {clock.wall} {clock.cpu} {clock.operations} {check % 2**64}"


def main(peer):
    for line in sys.stdin:
        try:
            answer = serve(peer, line)
        except Unsupported as e:
            answer = f"unsupported {e}"
        except Exception as e:  # the driver is told what went wrong, whatever it was
            answer = "error " + f"{type(e).__name__}: {e}".replace("\n", " ")
        print(answer, flush=True)
