"""Sums of a table by labels: an independent check of package cube.

usage: sums.py VALUE COLUMN[,COLUMN...]... < table.csv

For each list of columns, prints "labels,sum,count" for every combination of their labels,
each column's in the order in which they first appear, the last column fastest.
"""
import csv
import itertools
import sys

rows = csv.reader(sys.stdin)
heads = next(rows)
value = heads.index(sys.argv[1])
groups = [[heads.index(name) for name in arg.split(",")] for arg in sys.argv[2:]]
labels = [{} for _ in heads]  # per column, in order of appearance
tables = [{} for _ in groups]
for row in rows:
    amount = int(row[value])
    for seen, label in zip(labels, row):
        seen[label] = None
    for columns, table in zip(groups, tables):
        cell = table.setdefault(tuple([row[c] for c in columns]), [0, 0])
        cell[0] += amount
        cell[1] += 1
for columns, table in zip(groups, tables):
    for key in itertools.product(*(labels[c] for c in columns)):
        print(*key, *table.get(key, ["", 0]), sep=",")
