// The search example in Node: node run.mjs MODULE.wasm FILE QUERY [--top N] [--dim D] [--json]
import { readFileSync } from 'node:fs';

const [module, file, query, ...rest] = process.argv.slice(2);
const fail = (why) => { console.error(`run.mjs: ${why}`); process.exit(2); };
if (query === undefined) fail('usage: node run.mjs MODULE.wasm FILE QUERY [--top N] [--dim D] [--json]');
const options = { '--top': 5, '--dim': 1024 };
let json = false;
for (let i = 0; i < rest.length; i++) {
  if (rest[i] === '--json') json = true;
  else if (rest[i] in options && /^\d+$/.test(rest[i + 1] ?? '')) options[rest[i]] = Number(rest[++i]);
  else fail(`what is "${rest[i]}"?`);
}

let bytes;
try { bytes = readFileSync(file); } catch (e) { fail(`cannot read ${file}: ${e.message}`); }
const { instance } = await WebAssembly.instantiate(readFileSync(module), {});
const { memory, alloc, free, search } = instance.exports;
const put = (data) => {
  const at = alloc(data.length);
  new Uint8Array(memory.buffer, at, data.length).set(data);
  return at;
};
const asked = new TextEncoder().encode(query);
const [fileAt, queryAt] = [put(bytes), put(asked)];
const started = performance.now();
const at = search(fileAt, bytes.length, queryAt, asked.length, options['--top'], options['--dim']);
const ms = performance.now() - started;
const length = new DataView(memory.buffer).getUint32(at, true);
const { lanes, answer, error } = JSON.parse(new TextDecoder().decode(new Uint8Array(memory.buffer, at + 4, length)));
free(at, length + 4);
free(fileAt, bytes.length);
free(queryAt, asked.length);

if (error) fail(`${file}: ${error}`);
for (const [word, instead] of answer.missing) {
  console.error(instead ? `"${word}" is not in the file; "${instead}" was taken instead`
    : `"${word}" is not in the file; it was left out`);
}
if (json) console.log(JSON.stringify(answer));
else {
  const digits = Math.max(0, ...answer.hits.map((h) => String(h.line).length));
  for (const { line, score, text } of answer.hits) {
    // Control and direction characters must not reach a terminal.
    const safe = text.replace(/\t/g, ' ')
      .replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (c) => `\\u{${c.codePointAt(0).toString(16)}}`);
    console.log(`${String(line).padStart(digits)}  ${score.toFixed(3)}  ${safe}`);
  }
}
console.error(`${answer.passages} passages, ${(bytes.length / 1e6).toFixed(1)} MB, ${ms.toFixed(1)} ms; lanes: ${lanes} (WebAssembly)`);
