#!/usr/bin/env bash
# DuckDB's median and quantile_cont of a DECIMAL column answer in the column's own type and cut off what does not fit: the median of 1.5 and 1.6 is 1.5, of -1.5 and -1.6 it is -1.5, and nine
# tenths of the way from 0.00 to 0.01 are 0.00. A number written with a point, such as 1.5, is a DECIMAL unless it is cast. Of integers the median is a DOUBLE: 1.5 of 1 and 2.
# Expected: 1.55 and -1.55, as avg of the same columns gives, and 0.009, or at least the nearest decimal, 0.01. Cast to DOUBLE before.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check duckdb==2.0.1
"$work/env/bin/python" - <<'PYTHON'
import sys

import duckdb


def seen(a, b):
    row = duckdb.sql(f"SELECT median(x), quantile_cont(x, 0.5), avg(x), median(x::DOUBLE) FROM (VALUES ({a}), ({b})) AS numbers(x)").fetchall()[0]
    return [float(x) for x in row]


pairs = [("1.5", "1.6"), ("-1.5", "-1.6"), ("1", "2")]
got = [seen(*pair) for pair in pairs]
for pair, row in zip(pairs, got):
    print(f"duckdb {duckdb.__version__}: median, quantile_cont, avg and median as DOUBLE of {', '.join(pair)} are {row}")
tenths = [float(x) for x in duckdb.sql("SELECT quantile_cont(x, 0.9), quantile_cont(x::DOUBLE, 0.9) FROM (VALUES (0.00), (0.01)) AS numbers(x)").fetchall()[0]]
print(f"nine tenths of the way from 0.00 to 0.01 as DECIMAL and DOUBLE: {tenths}")
cut = tenths[0] == 0 and abs(tenths[1] - 0.009) < 1e-12 and [row[:2] for row in got] == [[1.5, 1.5], [-1.5, -1.5], [1.5, 1.5]]
sys.exit(not (cut and all(abs(row[i] - right) < 1e-12 for row, right in zip(got, (1.55, -1.55, 1.5)) for i in (2, 3))))
PYTHON
