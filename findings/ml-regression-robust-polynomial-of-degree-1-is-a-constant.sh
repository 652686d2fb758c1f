#!/usr/bin/env bash
# RobustPolynomialRegression of ml-regression takes its argument "polynomial degree" as the number of coefficients: with degree 1 it predicts one constant for 20 points that lie exactly on 2x + 1, and with degree 2 a straight line for 20 points on x squared.
# PolynomialRegression of the same package, with the same arguments, gives 2x + 1 and x squared. Who takes the robust class because of outliers loses the highest power without a word.
# Expected: powers from 0 to the degree, as the description of the argument and the sibling class say; only an example in the README, which passes 3 for a parabola, hints at the count. Pass the degree plus one.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --no-save ml-regression@6.3.0 ml-regression-robust-polynomial@3.0.2
cat >finding.cjs <<'JAVASCRIPT'
const { PolynomialRegression, RobustPolynomialRegression } = require("ml-regression");
const version = (name) => JSON.parse(require("fs").readFileSync(`node_modules/${name}/package.json`)).version;

const x = Array.from({ length: 20 }, (_, i) => i);
const ends = (model) => [0, 10, 19].map((at) => Number(model.predict(at).toFixed(6)));
const both = (degree, f) => [PolynomialRegression, RobustPolynomialRegression].map((Model) => new Model(x, x.map(f), degree));
const [line, robustLine] = both(1, (v) => 2 * v + 1);
const [square, robustSquare] = both(2, (v) => v * v);
const [, oneMore] = both(3, (v) => v * v);
console.log(`ml-regression ${version("ml-regression")} with ml-regression-robust-polynomial ${version("ml-regression-robust-polynomial")}, predictions at 0, 10 and 19:`);
console.log(`of 2x + 1, degree 1: ${ends(line)}; robust ${ends(robustLine)}, powers ${robustLine.powers}`);
console.log(`of x squared, degree 2: ${ends(square)}; robust ${ends(robustSquare)}, powers ${robustSquare.powers}; robust of degree 3: ${ends(oneMore)}, powers ${oneMore.powers}`);
const same = (a, b) => a.every((v, i) => Math.abs(v - b[i]) < 1e-4);
const [low, middle, high] = ends(robustLine);
const [first, half, last] = ends(robustSquare);
const bad = low === middle && middle === high && Math.abs((half - first) / 10 - (last - half) / 9) < 1e-5 && Math.abs(last - 361) + Math.abs(half - 100) + Math.abs(first) > 50;
process.exit(bad && same(ends(line), [1, 21, 39]) && same(ends(square), [0, 100, 361]) && same(ends(oneMore), [0, 100, 361]) ? 0 : 1);
JAVASCRIPT
node finding.cjs
