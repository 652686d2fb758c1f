// One machine: the module that the page names, and what the page asks of it, one thing after the other.
let lab, stop;
const channel = new MessageChannel();

// Returns when the messages that have come meanwhile are read: whether to go on.
const turn = () => new Promise((go) => {
  channel.port1.onmessage = () => go(!stop);
  channel.port2.postMessage(0);
});

// Why there is no WebGPU, or what its adapter is called.
async function adapter() {
  if (!navigator.gpu) throw new Error('this browser has no WebGPU');
  const found = await navigator.gpu.requestAdapter();
  if (!found) throw new Error('this browser has WebGPU, but no adapter for it');
  const { description, vendor, architecture, device } = found.info;
  return description || [vendor, architecture, device].filter(Boolean).join(' ') || 'an adapter without a name';
}

const does = {
  async open({ which }) {
    const name = which === 'gpu' ? await adapter() : undefined;
    const module = await import(`./${which}.js`);
    await module.default();
    lab = await module.Lab.open();
    return { name: name ?? lab.name() };
  },
  train({ text, steps, dim, layers }, tell) {
    return lab.train(text, steps, dim, layers, (loss, tokens) => tell({ loss, tokens }));
  },
  write({ prompt, count, temperature }, tell) {
    return lab.write(prompt, count, temperature, (bytes, of) => tell({ bytes, of }));
  },
  async search({ text, query, top }) {
    return { answer: JSON.parse(await lab.search(text, query, top)) };
  },
};

onmessage = async ({ data }) => {
  if (data.what === 'stop') { stop = true; return; }
  stop = false;
  const began = performance.now();
  const tell = (step) => {
    postMessage({ step: { ...step, ms: performance.now() - began } });
    return turn();
  };
  try {
    const done = await does[data.what](data, tell);
    postMessage({ done: { ...done, ms: performance.now() - began } });
  } catch (why) {
    postMessage({ wrong: why.message ?? String(why) });
  }
};
