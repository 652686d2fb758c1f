#!/usr/bin/env bash
# math.combinations of mathjs is Infinity for 300 over 150, which is 9.4e88, and NaN for 400 over 200, which is 1.0e119: products on both sides of a division overflow far below the largest double. With BigNumbers it gives both.
# From 250 over 125 or so no central coefficient is right, though doubles hold all of them up to 1029 over 514.
# Expected: the nearest double, as scipy.special.comb gives. Take exp of sums of lgamma, or BigNumbers.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --no-save mathjs@15.2.0
cat >finding.cjs <<'JAVASCRIPT'
const math = require("mathjs");

const pairs = [[100, 50], [300, 150], [400, 200], [1000, 500]];
const got = pairs.map(([n, k]) => math.combinations(n, k));
const big = pairs.map(([n, k]) => Number(math.combinations(math.bignumber(n), math.bignumber(k)).toPrecision(12)));
console.log(`mathjs ${require("mathjs/package.json").version}: of ${JSON.stringify(pairs)}: ${got.join(", ")}; with BigNumbers ${big.join(", ")}`);
const close = (a, b) => Math.abs(a - b) < 1e-9 * b;
const right = close(got[0], 1.00891344545564e29) && close(big[1], 9.3759702772820e88) && close(big[2], 1.0295250013541e119) && close(big[3], 2.7028824094544e299);
process.exit(right && got[1] === Infinity && Number.isNaN(got[2]) && Number.isNaN(got[3]) ? 0 : 1);
JAVASCRIPT
node finding.cjs
