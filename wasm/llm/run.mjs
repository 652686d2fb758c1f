// The llm example's generation in Node: node run.mjs MODULE.wasm MODEL PROMPT COUNT
import { readFileSync } from 'node:fs';

const [module, model, prompt, count] = process.argv.slice(2);
const fail = (why) => { console.error(`run.mjs: ${why}`); process.exit(2); };
if (!/^\d+$/.test(count ?? '')) fail('usage: node run.mjs MODULE.wasm MODEL PROMPT COUNT');
let bytes;
try { bytes = readFileSync(model); } catch (e) { fail(`cannot read ${model}: ${e.message}`); }
const { instance } = await WebAssembly.instantiate(readFileSync(module), {});
const { memory, alloc, generate } = instance.exports;
const put = (data) => {
  const at = alloc(data.length);
  new Uint8Array(memory.buffer, at, data.length).set(data);
  return at;
};
const asked = new TextEncoder().encode(prompt);
const [modelAt, promptAt] = [put(bytes), put(asked)];
const started = performance.now();
const at = generate(modelAt, bytes.length, promptAt, asked.length, Number(count));
const rate = Number(count) / (performance.now() - started) * 1000;
const view = new DataView(memory.buffer);
const answer = new Uint8Array(memory.buffer, at + 5, view.getUint32(at, true));
if (view.getUint8(at + 4) === 0) fail(`${model}: ${new TextDecoder().decode(answer)}`);
process.stdout.write(prompt);
process.stdout.write(answer);
process.stdout.write('\n');
console.error(`${rate.toFixed(0)} tokens/s (WebAssembly)`);
