// What the page shows. Each machine is a worker; see worker.js.
const $ = (id) => document.getElementById(id);
const bytes = (text) => new TextEncoder().encode(text);

class Machine {
  #worker = new Worker('worker.js', { type: 'module' });
  #told;
  losses = [];
  ready = false;

  constructor(id, name) {
    this.id = id;
    this.name = name;
    this.#worker.onmessage = ({ data }) => this.#told(data);
  }

  /** Asks for something; `step` sees how far it is. What comes of it, or why nothing does. */
  ask(what, more = {}, step = () => {}) {
    return new Promise((done, failed) => {
      this.#told = (data) => {
        if (data.step) step(data.step);
        else if (data.done) done(data.done);
        else failed(new Error(data.wrong));
      };
      this.#worker.onerror = () => failed(new Error('its worker did not start'));
      this.#worker.postMessage({ what, ...more });
    });
  }

  stop() { this.#worker.postMessage({ what: 'stop' }); }

  say(where, text, wrong = false) {
    const at = $(`${this.id}-${where}`);
    at.textContent = where === 'name' ? text : `${this.name}: ${text}`;
    at.classList.toggle('wrong', wrong);
  }

  async open() {
    try {
      const { name } = await this.ask('open', { which: this.id });
      this.say('name', this.id === 'cpu' ? `lanes: ${name}, in one worker` : `adapter: ${name}`);
      this.ready = true;
    } catch (why) {
      const instead = this.id === 'gpu' ? ' All that follows runs on the CPU alone, as WebAssembly.' : '';
      this.say('name', `Not available: ${why.message}.${instead}`, true);
      document.querySelectorAll(`section:not([aria-label]) div.${this.id}`).forEach((e) => e.classList.add('absent'));
    }
  }
}

const machines = [new Machine('cpu', 'WebAssembly'), new Machine('gpu', 'WebGPU')];
/** For whoever looks from outside, the page's test for one. */
globalThis.machines = machines;

/** Runs something on every machine that there is, all at once. */
async function all(form, where, run) {
  const buttons = document.querySelectorAll('form button:not([type=button])');
  buttons.forEach((b) => { b.disabled = true; });
  $('stop').disabled = false;
  const one = async (m) => {
    try { await run(m); } catch (why) { m.say(where, why.message, true); }
  };
  await Promise.all(machines.filter((m) => m.ready).map(one));
  $('stop').disabled = true;
  buttons.forEach((b) => { b.disabled = false; });
}

function draw(steps) {
  const [width, height, left, low, top] = [720, 240, 42, 24, 10];
  const most = Math.max(1, ...machines.flatMap((m) => m.losses));
  const x = (i) => left + (width - left - 10) * (i / Math.max(1, steps - 1));
  const y = (loss) => top + (height - low - top) * (1 - loss / most);
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((part) => part * most);
  const grid = ticks.map((t) => `<path d="M${left} ${y(t)}H${width - 10}"/><text x="${left - 6}" y="${y(t) + 4}" text-anchor="end">${t.toFixed(2)}</text>`);
  const lines = machines.filter((m) => m.losses.length).map((m) =>
    `<path class="${m.id}" d="M${m.losses.map((l, i) => `${x(i).toFixed(1)} ${y(l).toFixed(1)}`).join('L')}"/>`);
  $('chart').innerHTML = `${grid.join('')}${lines.join('')}
    <text x="${left}" y="${height - 6}">step 1</text><text x="${width - 10}" y="${height - 6}" text-anchor="end">${steps}</text>
    <text x="${width / 2}" y="${height - 6}" text-anchor="middle">loss, in nats per byte</text>`;
}

$('train').onsubmit = (event) => {
  event.preventDefault();
  const [steps, dim, layers] = ['steps', 'dim', 'layers'].map((id) => Number($(id).value));
  const text = bytes($('text').value);
  for (const m of machines) m.losses = [];
  let drawn = false;
  const soon = () => {
    if (!drawn) requestAnimationFrame(() => { draw(steps); drawn = false; });
    drawn = true;
  };
  soon();
  all('train', 'train', async (m) => {
    const bar = $(`${m.id}-progress`);
    bar.max = steps;
    bar.removeAttribute('value');
    let learnt = 0;
    m.say('train', 'learning the tokens of the text…');
    try {
      await m.ask('train', { text, steps, dim, layers }, ({ loss, tokens, ms }) => {
        m.losses.push(loss);
        learnt += tokens;
        bar.value = m.losses.length;
        m.trained = `step ${m.losses.length} of ${steps}, loss ${loss.toFixed(3)}, ${(ms / m.losses.length).toFixed(1)} ms a step, ${Math.round(1000 * learnt / ms)} tokens/s`;
        m.say('train', m.trained);
        soon();
      });
      m.say('train', `${m.losses.length < steps ? 'stopped at ' : 'done: '}${m.trained}`);
    } finally {
      // Not with the next frame: who waits for the end finds the whole of it.
      bar.value = m.losses.length;
      draw(steps);
    }
  });
};
$('stop').onclick = () => machines.forEach((m) => m.stop());

$('write').onsubmit = (event) => {
  event.preventDefault();
  const prompt = $('prompt').value;
  const [count, temperature] = ['tokens', 'temperature'].map((id) => Number($(id).value));
  all('write', 'write', async (m) => {
    const decoder = new TextDecoder();
    const at = $(`${m.id}-text`);
    at.textContent = '';
    at.append(Object.assign(document.createElement('b'), { textContent: prompt }), '');
    m.say('write', 'reading the prompt…');
    let wrote = 0;
    const { ms } = await m.ask('write', { prompt: bytes(prompt), count, temperature }, ({ bytes }) => {
      at.lastChild.data += decoder.decode(bytes, { stream: true });
      wrote += 1;
    });
    m.say('write', `${wrote} tokens in ${ms.toFixed(0)} ms, ${Math.round(1000 * wrote / ms)} tokens/s`);
  });
};

$('search').onsubmit = (event) => {
  event.preventDefault();
  const [text, query] = [bytes($('text').value), $('query').value];
  all('search', 'search', async (m) => {
    const list = $(`${m.id}-hits`);
    list.textContent = '';
    m.say('search', 'searching…');
    const { answer, ms } = await m.ask('search', { text, query, top: 5 });
    for (const { line, score, text: found } of answer.hits) {
      const row = document.createElement('li');
      row.append(Object.assign(document.createElement('b'), { textContent: score.toFixed(3), title: `line ${line}` }), found);
      list.append(row);
    }
    const missing = answer.missing.map(([word, instead]) => (instead ? `; “${instead}” for “${word}”` : `; “${word}” is not in it`));
    m.say('search', `${answer.passages} passages in ${ms.toFixed(1)} ms${missing.join('')}`);
  });
};

draw(Number($('steps').value));
const sample = await fetch('sample.txt');
if (sample.ok && !$('text').value) $('text').value = await sample.text();
await Promise.all(machines.map((m) => m.open()));
document.body.dataset.ready = 'yes';
