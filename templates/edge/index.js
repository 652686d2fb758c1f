// Nearest rows by cosine similarity. Works in Node, in browsers and in edge runtimes: pass the module's bytes or a compiled module.

export class Index {
  #wasm; #data; #query; #scores; #values; #indices; #rows; #dim; #most;

  /** rows: Float32Array of rows · dim numbers; it is copied. most: the largest k that will be asked for. */
  static async create(module, rows, dim, most = 10) {
    if (!(rows instanceof Float32Array)) throw new TypeError('rows must be a Float32Array');
    if (!Number.isInteger(dim) || dim < 1 || rows.length % dim) throw new RangeError(`${rows.length} numbers are no rows of ${dim}`);
    const made = await WebAssembly.instantiate(module, {});
    return new Index((made.instance ?? made).exports, rows, dim, Math.min(most, rows.length / dim));
  }

  constructor(wasm, rows, dim, most) {
    this.#wasm = wasm; this.#dim = dim; this.#rows = rows.length / dim; this.#most = most;
    // All memory at once, behind the module's own: rows, query, scores, values, indices; each on a cache line.
    const line = (bytes) => (bytes + 63) & ~63;
    const sizes = [rows.length, dim, this.#rows, most, most].map((n) => line(4 * n));
    const total = sizes.reduce((a, b) => a + b, 0);
    let at = wasm.memory.grow(Math.ceil(total / 65536)) * 65536;
    [this.#data, this.#query, this.#scores, this.#values, this.#indices] = sizes.map((n) => { at += n; return at - n; });
    this.#floats(this.#data, rows.length).set(rows);
    if (wasm.normalize(this.#data, this.#rows, dim)) throw new Error('the rows do not fit');
  }

  #floats(at, n) { return new Float32Array(this.#wasm.memory.buffer, at, n); }

  /** The k rows most similar to query, best first: [{ index, score }]. */
  search(query, k = this.#most) {
    if (query.length !== this.#dim) throw new RangeError(`the query has ${query.length} numbers, the rows have ${this.#dim}`);
    if (!Number.isInteger(k) || k < 0 || k > this.#most) throw new RangeError(`k is ${k}, at most ${this.#most} were asked for`);
    this.#floats(this.#query, this.#dim).set(query);
    const wrong = this.#wasm.normalize(this.#query, 1, this.#dim)
      || this.#wasm.top_k(this.#data, this.#rows, this.#dim, this.#query, this.#scores, k, this.#values, this.#indices);
    if (wrong) throw new Error('a number is NaN');
    const scores = this.#floats(this.#values, k);
    return Array.from(new Uint32Array(this.#wasm.memory.buffer, this.#indices, k), (index, i) => ({ index, score: scores[i] }));
  }
}
