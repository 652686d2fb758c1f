// Calls every op of the module that is given, against sums in `f64`: `node decode.mjs decode.wasm`.
import { readFileSync } from "node:fs";

const { instance } = await WebAssembly.instantiate(readFileSync(process.argv[2]));
const { memory, __heap_base: base, ...ops } = instance.exports;
memory.grow(64);
let at = base.value;
const room = (n) => {
  const x = new Float32Array(memory.buffer, (at = (at + 15) & ~15), n);
  at += 4 * n;
  return x;
};
let seed = 1;
const random = () => (seed = (seed * 48271) % 2147483647) / 1073741823.5 - 1;
const data = (n) => {
  const x = room(n);
  x.forEach((_, i) => (x[i] = random()));
  return x;
};
const zeros = (n) => room(n).fill(NaN);
const slice = (x) => [x.byteOffset, x.length];
let checked = 0;
function run(op, slices, ...numbers) {
  const said = ops[op](...slices.flatMap(slice), ...numbers);
  if (said !== 0) throw new Error(`${op} refuses`);
}
function near(op, got, want, scale = 1) {
  want.forEach((w, i) => {
    if (!(Math.abs(got[i] - w) <= 1e-5 * scale)) throw new Error(`${op}: ${i}: ${got[i]}, not ${w}`);
  });
  checked += want.length;
}
const range = (n) => [...Array(n).keys()];
const sum = (n, f) => range(n).reduce((s, i) => s + f(i), 0);

// Rows around the tile's and the smaller groups', columns around the registers'.
for (const rows of [1, 2, 3, 4, 5, 6, 7, 9, 70])
  for (const cols of [1, 3, 8, 13, 33])
    for (const k of [1, 7, 40]) {
      const start = at;
      const [x, w, y, work] = [data(rows * k), data(cols * k), zeros(rows * cols), zeros(1 << 16)];
      run("gemm", [x, w, y, work], rows, cols, k);
      near("gemm", y, range(rows * cols).map((c) => sum(k, (p) => x[Math.floor(c / cols) * k + p] * w[(c % cols) * k + p])), 10);
      at = start;
    }
for (const rows of [1, 5, 33])
  for (const cols of [1, 6, 70]) {
    const [w, x, y] = [data(rows * cols), data(cols), zeros(rows)];
    run("gemv", [w, x, y]);
    near("gemv", y, range(rows).map((r) => sum(cols, (c) => w[r * cols + c] * x[c])), 10);
  }

// Groups of one to five heads, one query and more, keys past a block of them.
for (const group of [1, 2, 3, 4, 5])
  for (const [rows, past, dim] of [[1, 0, 4], [1, 9, 6], [1, 300, 16], [3, 6, 5]]) {
    const start = at;
    const [kv_heads, scale] = [2, 0.5];
    const [heads, all] = [kv_heads * group, rows + past];
    const [q, k, v] = [data(rows * heads * dim), data(all * kv_heads * dim), data(all * kv_heads * dim)];
    const [out, work] = [zeros(rows * heads * dim), zeros(1 << 17)];
    run("attention", [q, k, v, out, work], rows, past, heads, kv_heads, dim, scale);
    const want = range(rows * heads).flatMap((i) => {
      const [r, h] = [Math.floor(i / heads), i % heads];
      const kv = (x, j, p) => x[(j * kv_heads + Math.floor(h / group)) * dim + p];
      const seen = range(past + r + 1).map((j) => Math.exp(scale * sum(dim, (p) => q[i * dim + p] * kv(k, j, p))));
      const total = sum(seen.length, (j) => seen[j]);
      return range(dim).map((p) => sum(seen.length, (j) => (seen[j] * kv(v, j, p)) / total));
    });
    near("attention", out, want);
    at = start;
  }

for (const n of [1, 5, 37]) {
  const [x, g, out] = [data(2 * n), data(n), zeros(2 * n)];
  run("softmax", [x, out], n);
  near("softmax", out, range(2 * n).map((i) => Math.exp(x[i]) / sum(n, (j) => Math.exp(x[i - (i % n) + j]))));
  run("rms_norm", [x, g, out], 1e-5);
  near("rms_norm", out, range(2 * n).map((i) => (x[i] * g[i % n]) / Math.sqrt(sum(n, (j) => x[i - (i % n) + j] ** 2) / n + 1e-5)), 10);
  const half = zeros(n);
  run("swiglu", [x, half], n);
  near("swiglu", half, range(n).map((i) => (x[i] / (1 + Math.exp(-x[i]))) * x[n + i]));
  const before = [...g];
  run("add", [x.subarray(0, n), g]);
  near("add", g, before.map((b, i) => b + x[i]));
  const place = new Uint32Array(memory.buffer, room(1).byteOffset, 1);
  run("argmax", [x, place]);
  near("argmax", place, [x.indexOf(Math.max(...x))]);
  run("sample", [x, zeros(2 * n), new Uint32Array(memory.buffer, room(2 * n).byteOffset, 2 * n), place], 0, 0, 1, 0.5);
  near("sample", place, [x.indexOf(Math.max(...x))]);
  const ids = new Uint32Array(memory.buffer, room(3).byteOffset, 3);
  ids.set([1, 0, 1]);
  const rows = zeros(3 * n);
  run("embedding", [x, ids, rows], n);
  near("embedding", rows, range(3 * n).map((i) => x[ids[Math.floor(i / n)] * n + (i % n)]));
}
{
  const [rows, heads, dim] = [3, 2, 6];
  const half = dim / 2;
  const [cos, sin, x] = [zeros(rows * half), zeros(rows * half), data(rows * heads * dim)];
  run("rope_table", [cos, sin], 5, dim, 10000);
  const angle = (r, p) => (5 + r) * 10000 ** ((-2 * p) / dim);
  near("rope_table", cos, range(rows * half).map((i) => Math.cos(angle(Math.floor(i / half), i % half))));
  const before = [...x];
  run("rope", [cos, sin, x], rows, heads * dim, dim);
  near("rope", x, before.map((b, i) => {
    const a = angle(Math.floor(i / (heads * dim)), Math.floor((i % dim) / 2));
    return i % 2 ? b * Math.cos(a) + before[i - 1] * Math.sin(a) : b * Math.cos(a) - before[i + 1] * Math.sin(a);
  }));
}
console.log(`${checked} results of ${Object.keys(ops).filter((op) => typeof ops[op] === "function").length} ops`);
