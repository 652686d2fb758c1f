#!/usr/bin/env bash
# A sparse matrix of mathjs takes every number of at most 1e-15 for zero and does not keep it: math.sparse([[1e-14, 1e-15, 1e-30]]) holds 1e-14 alone, and the sparse matrix of 1e-8 times 1e-9 is empty. Dense matrices keep such numbers.
# The bound is absTol, documented as the tolerance of comparisons. Charges, masses and probabilities in SI units are that small, so a system of equations in them loses its coefficients.
# Expected: a stored number for whatever is not 0. Scale before, or set absTol to 0.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --no-save mathjs@15.2.0
cat >finding.cjs <<'JAVASCRIPT'
const { all, create } = require("mathjs");

const numbers = [[1e-14, 1e-15, -1e-16, 1e-30]];
const run = (math) => [
  math.sparse(numbers).toArray(),
  math.matrix(numbers).toArray(),
  math.multiply(math.sparse([[1e-8]]), 1e-9).toArray(),
  math.multiply(math.matrix([[1e-8]]), 1e-9).toArray(),
];
const usual = JSON.stringify(run(create(all)));
const without = JSON.stringify(run(create(all, { absTol: 0 })));
console.log(`mathjs ${require("mathjs/package.json").version}: sparse and dense copy of ${JSON.stringify(numbers)}, sparse and dense matrix of 1e-8 times 1e-9: ${usual}; with absTol 0: ${without}`);
const expected = JSON.stringify([[[1e-14, 0, 0, 0]], numbers, [[0]], [[1e-8 * 1e-9]]]);
process.exit(usual === expected && without === JSON.stringify([numbers, numbers, [[1e-8 * 1e-9]], [[1e-8 * 1e-9]]]) ? 0 : 1);
JAVASCRIPT
node finding.cjs
