#!/usr/bin/env bash
# xHilbertTransform of ml-spectra-processing turns a cosine of 4 samples a period into a sine of amplitude 1 if the signal has 1024 samples and of 0.88 if it has 1000; with 2.5 samples a period it is 0.43, in the middle of the signal and for any length that is not a power of two.
# There another method runs: the integral of the signal with straight lines between the samples, which damps high frequencies. The option forceFFT gives 0.70, as it resamples by straight lines twice.
# Expected: amplitude 1 but near the ends, as scipy.signal.hilbert gives for each length. Fill the signal with zeros up to a power of two.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --no-save ml-spectra-processing@14.35.1
cat >finding.cjs <<'JAVASCRIPT'
const { xHilbertTransform } = require("ml-spectra-processing");
const { version } = JSON.parse(require("fs").readFileSync("node_modules/ml-spectra-processing/package.json"));

// The amplitude of the sine in the middle hundred samples.
function amplitude(length, period, options) {
  const signal = Array.from({ length }, (_, i) => Math.cos((2 * Math.PI * i) / period));
  const transformed = xHilbertTransform(signal, options);
  let sum = 0;
  for (let i = 450; i < 550; i++) sum += (transformed[i] * Math.sin((2 * Math.PI * i) / period)) / 50;
  return sum;
}

const got = {};
for (const period of [100, 4, 2.5]) {
  got[period] = [amplitude(1024, period), amplitude(1000, period), amplitude(2000, period), amplitude(1000, period, { forceFFT: true })];
}
// Zeros up to 1024 samples restore the amplitude.
const filled = Array.from({ length: 1024 }, (_, i) => (i < 1000 ? Math.cos((2 * Math.PI * i) / 2.5) : 0));
let padded = 0;
xHilbertTransform(filled).slice(450, 550).forEach((v, i) => (padded += (v * Math.sin((2 * Math.PI * (450 + i)) / 2.5)) / 50));
const shown = Object.entries(got).map(([period, values]) => `${period}: ${values.map((v) => v.toFixed(3)).join(", ")}`);
console.log(`ml-spectra-processing ${version}: amplitude by samples a period, for 1024, 1000, 2000 and 1000 samples with forceFFT: ${shown.join("; ")}; 1000 samples of period 2.5 filled up to 1024: ${padded.toFixed(3)}`);
const near = (a, b) => Math.abs(a - b) < 0.02;
const right = Object.values(got).every((values) => near(values[0], 1)) && near(got[100][1], 1) && near(padded, 1);
process.exit(right && near(got[4][1], 0.8835) && near(got[4][2], 0.8835) && near(got[4][3], 0.7) && near(got[2.5][1], 0.4277) ? 0 : 1);
JAVASCRIPT
node finding.cjs
