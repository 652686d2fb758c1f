#!/usr/bin/env bash
# DuckDB's sem, "the standard error of the mean", divides the population standard deviation by the root of the count: of 0 and 2 it is 0.707, where 1 is right, and of a single row it is 0, where stddev_samp and the standard error of pandas have no value.
# It is too small by the root of 1 - 1/n, so confidence intervals of few rows are too narrow (by 29 percent of two rows, 11 of five). DuckDB's own stddev, variance, skewness and kurtosis correct for the size of the sample.
# Expected: stddev_samp(x) / sqrt(count(x)), as pandas and SciPy have it, and NULL of one row. Write that.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check duckdb==2.0.1
"$work/env/bin/python" - <<'PYTHON'
import math
import statistics
import sys

import duckdb

samples = ([0.0, 2.0], [1.0, 2.0, 4.0, 7.0, 7.0], [5.0])
query = "SELECT sem(x), stddev_samp(x) / sqrt(count(x)), stddev_pop(x) / sqrt(count(x)), stddev(x) FROM (SELECT unnest(?::DOUBLE[]) AS x)"
rows = [duckdb.execute(query, [sample]).fetchone() for sample in samples]
true = [statistics.stdev(s) / math.sqrt(len(s)) for s in samples[:2]]
for sample, row in zip(samples, rows):
    print(f"DuckDB {duckdb.__version__}: {sample}: sem {row[0]}; by stddev_samp {row[1]}, by stddev_pop {row[2]}")
print("by Python's statistics:", true, "and no value of one number")
own = all(math.isclose(row[0], row[2]) for row in rows[:2]) and all(math.isclose(row[1], t) and row[0] < 0.9 * t for row, t in zip(rows, true))
sys.exit(not (own and rows[2][0] == 0 and rows[2][1] is None and rows[2][3] is None))
PYTHON
