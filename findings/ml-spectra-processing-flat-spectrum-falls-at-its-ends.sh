#!/usr/bin/env bash
# xyEquallySpaced of ml-spectra-processing makes the first and the last point about half of what they are: of 1001 points that are all 5, resampled to 101 points, the ends are 2.75 and the rest is 5; to the same 1001 points they are 4.375.
# Each point is a mean over one step around it, and the half that lies outside the data counts as a fall to zero. A base line of noise around an offset gets two edges, and a linear ramp ends at about a half.
# Expected: 5, the mean of what the data holds, as the variant "slot" gives. Ask for a range that begins half a step inside the data.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --no-save ml-spectra-processing@14.35.1
cat >finding.cjs <<'JAVASCRIPT'
const { xyEquallySpaced } = require("ml-spectra-processing");
const { version } = JSON.parse(require("fs").readFileSync("node_modules/ml-spectra-processing/package.json"));

const x = Array.from({ length: 1001 }, (_, i) => i);
const flat = { x, y: x.map(() => 5) };
const ends = ({ y }) => [y[0], y[1], y.at(-2), y.at(-1)].map((v) => Number(v.toFixed(6)));
const got = [11, 101, 1001].map((numberOfPoints) => ends(xyEquallySpaced(flat, { numberOfPoints })));
const slot = ends(xyEquallySpaced(flat, { numberOfPoints: 101, variant: "slot" }));
const inside = ends(xyEquallySpaced(flat, { from: 50, to: 950, numberOfPoints: 10 }));
const ramp = ends(xyEquallySpaced({ x, y: x }, { numberOfPoints: 11 }));
console.log(`ml-spectra-processing ${version}: the two first and last of 11, 101 and 1001 points of a spectrum of 5: ${JSON.stringify(got)}; variant slot ${JSON.stringify(slot)}; from 50 to 950 ${JSON.stringify(inside)}; of the ramp from 0 to 1000: ${JSON.stringify(ramp)}`);
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
const bad = same(got, [[2.525, 5, 5, 2.525], [2.75, 5, 5, 2.75], [4.375, 5, 5, 4.375]]) && ramp[2] === 900 && ramp[3] < 520;
process.exit(bad && same(slot, [5, 5, 5, 5]) && same(inside, [5, 5, 5, 5]) ? 0 : 1);
JAVASCRIPT
node finding.cjs
