"""Multiplies random matrices of rows x terms and terms x columns by NumPy: dgemm.py THREADS ROWS
COLUMNS TERMS.

Prints the wall and the CPU time in nanoseconds and the word product. Large results are computed in
parts of 1024 rows.
"""

import os
import sys

threads, rows, columns, terms = map(int, sys.argv[1:])
for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = str(threads)

import time

import numpy

random = numpy.random.default_rng(1)
a = random.standard_normal((rows, terms))
b = random.standard_normal((columns, terms)).T
part = numpy.empty((min(rows, 1024), columns))
wall, cpu = time.perf_counter_ns(), time.process_time_ns()
for first in range(0, rows, 1024):
    last = min(rows, first + 1024)
    numpy.matmul(a[first:last], b, out=part[: last - first])
print(time.perf_counter_ns() - wall, time.process_time_ns() - cpu, "product")
