// node test.js: the module against plain JavaScript.
import { readFileSync } from 'node:fs';
import { Index } from './index.js';

const [rows, dim, k] = [1000, 37, 5];
let state = 1;
const random = () => (state = (state * 48271) % 2147483647) / 2147483647 - 0.5;
const data = Float32Array.from({ length: rows * dim }, random);
const query = Array.from({ length: dim }, random);

const index = await Index.create(readFileSync(new URL('./edge.wasm', import.meta.url)), data, dim);
const found = index.search(query, k);

const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);
const row = (i) => [...data.subarray(i * dim, i * dim + dim)];
const expected = Array.from({ length: rows }, (_, i) => ({ index: i, score: dot(row(i), query) / Math.sqrt(dot(row(i), row(i)) * dot(query, query)) }))
  .sort((a, b) => b.score - a.score).slice(0, k);
expected.forEach(({ index, score }, i) => {
  if (found[i].index !== index || Math.abs(found[i].score - score) > 1e-6) throw new Error(`${JSON.stringify(found[i])}, expected ${index}: ${score}`);
});
let refused = 0;
for (const wrong of [() => index.search([1]), () => index.search(query, 11), () => index.search([NaN, ...query.slice(1)])]) {
  try { wrong(); } catch { refused++; }
}
if (refused !== 3) throw new Error('a wrong call was not refused');
console.log(`edge: ${k} of ${rows} rows as expected`);
