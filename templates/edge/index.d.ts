/** Nearest rows by cosine similarity, held in a WebAssembly module. */
export class Index {
  private constructor();
  /**
   * @param module the bytes of `edge.wasm`, or the compiled module
   * @param rows rows · dim numbers, one row after the other; copied
   * @param most the largest `k` that will be asked for
   * @throws TypeError, RangeError when the rows are none
   */
  static create(module: BufferSource | WebAssembly.Module, rows: Float32Array, dim: number, most?: number): Promise<Index>;
  /** The `k` rows most similar to `query`, best first. A row or query of zeros is similar to nothing: 0. */
  search(query: ArrayLike<number>, k?: number): { index: number; score: number }[];
}
