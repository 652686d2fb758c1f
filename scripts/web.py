#!/usr/bin/env python3
"""Builds the page of examples/web into target/web, and serves it to this machine or tests it in headless Chromium.

Usage: web.py serve [PORT] (default 8000) | web.py test [--strict] [--picture FILE]

The test needs no GPU: Chromium brings a software adapter. `--picture` also takes a picture of the page.
"""

import base64
import fcntl
import functools
import http.server
import json
import os
import re
import select
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from toolchain import MODULE, ROOT, TARGET, Failure, Missing, Tally, Toolchain, levels, need, output

SOURCE, PAGE = ROOT / "examples/web", TARGET / "web"
MANIFEST = ["--manifest-path", SOURCE / "Cargo.toml"]
FLAGS = ["--headless=new", "--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--window-size=1100,1500", "--remote-debugging-pipe"]
WEBGPU = "--enable-unsafe-webgpu"
PATIENCE = 120
# Learnt in a few steps, so that the likeliest token leaves no doubt.
TEXT = "The quick brown fox jumps over the lazy dog.\n" * 12
SETTING = {"steps": 150, "dim": 32, "layers": 1}
PROMPT, TOKENS = "The quick", 24
# Of cosines, which the page shows with three digits.
CLOSE = 1.5e-3


class Browser:
    """Chromium and one page of it, through the pipe of its DevTools protocol."""

    def __init__(self, program: str, *more: str):
        self.profile = tempfile.TemporaryDirectory()
        # Numbers that are neither 3 nor 4, which the child's ends get.
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for pair in (os.pipe(), os.pipe()) for end in pair]
        asked, self.ask, self.told, tells = ends

        def child() -> None:
            os.dup2(asked, 3)
            os.dup2(tells, 4)

        self.process = subprocess.Popen([program, *FLAGS, f"--user-data-dir={self.profile.name}", *more, "about:blank"],
                                        preexec_fn=child, close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(asked)
        os.close(tells)
        self.rest, self.number, self.session = b"", 0, None
        target = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]

    def call(self, method: str, **params) -> dict:
        self.number += 1
        message = {"id": self.number, "method": method, "params": params} | ({"sessionId": self.session} if self.session else {})
        os.write(self.ask, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + PATIENCE
        while True:
            while b"\0" not in self.rest:
                ready, _, _ = select.select([self.told], [], [], max(0, until - time.monotonic()))
                more = os.read(self.told, 1 << 16) if ready else b""
                if not more:
                    raise Failure(f"Chromium does not answer {method}")
                self.rest += more
            line, _, self.rest = self.rest.partition(b"\0")
            answer = json.loads(line)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise Failure(f"{method}: {answer['error']['message']}")
                return answer["result"]

    def js(self, expression: str):
        """The value of an expression on the page."""
        said = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in said:
            raise Failure(f"{expression}: {said['exceptionDetails'].get('exception', {}).get('description')}")
        return said["result"].get("value")

    def until(self, expression: str, what: str):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            found = self.js(expression)
            if found:
                return found
            time.sleep(0.05)
        raise Failure(f"{what}: not in {PATIENCE} s; {self.texts()}")

    def open(self, url: str) -> None:
        self.call("Page.navigate", url=url)
        self.until("document.body?.dataset.ready === 'yes'", "the page is ready")

    def texts(self) -> list[str]:
        return self.js("[...document.querySelectorAll('[role=status]')].map((e) => e.textContent)")

    def text(self, of: str) -> str:
        return self.js(f"document.getElementById({json.dumps(of)}).textContent")

    def set(self, **values) -> None:
        for of, value in values.items():
            self.js(f"document.getElementById({json.dumps(of)}).value = {json.dumps(value)}")

    def submit(self, form: str, **values) -> None:
        """Fills a form, sends it, and waits until no machine is at work."""
        self.begin(form, **values)
        self.until("document.getElementById('stop').disabled", f"{form} ends")

    def begin(self, form: str, **values) -> None:
        self.set(**values)
        self.js(f"document.getElementById({json.dumps(form)}).requestSubmit()")

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.ask)
        os.close(self.told)
        shutil.rmtree(self.profile.name, ignore_errors=True)


def build(tally: Tally, tested: bool) -> None:
    """Both modules, and the page around them: as they are served, or as what they answer is tested."""
    tool = Toolchain.find("wasm32-unknown-unknown")
    bindgen = need("wasm-bindgen", "cargo install wasm-bindgen-cli")
    locked = re.search(r'^name = "wasm-bindgen"\nversion = "(.*)"$', (SOURCE / "Cargo.lock").read_text(), re.M)[1]
    if output([bindgen, "--version"]).split()[-1] != locked:
        raise Missing(f"wasm-bindgen {locked} (cargo install wasm-bindgen-cli --version {locked})")
    PAGE.mkdir(parents=True, exist_ok=True)
    env = tool.env | {"RUSTFLAGS": "-Ctarget-feature=+simd128"}
    # On a GPU this processor only plans: of the library what is not used is not looked at.
    plans = [word for package, level in (("fulmen", 0), ("fulmen-web", '"s"')) for word in ("--config", f"profile.module.package.{package}.opt-level={level}")]
    how = {"cpu": ["--profile", "module"], "gpu": ["--profile", "module", *plans]}
    if tested:
        how = {"cpu": MODULE, "gpu": [*MODULE, "--config", "profile.module.opt-level=0", *levels("module", 0, 0)]}
    for name, features in (("cpu", []), ("gpu", ["--features", "wgpu"])):
        command = tool.cargo("build", *how[name], *MANIFEST, *features)
        tally.step(f"module for the {name}", command, env=env)
        tally.step(f"bindings of the {name}", [bindgen, "--target", "web", "--no-typescript", "--out-dir", PAGE, "--out-name", name,
                                              tool.out("module") / "fulmen_web.wasm"])
    for file in ("index.html", "style.css", "page.js", "worker.js"):
        shutil.copy(SOURCE / file, PAGE)
    shutil.copy(ROOT / "README.md", PAGE / "sample.txt")


class Quiet(http.server.SimpleHTTPRequestHandler):
    extensions_map = http.server.SimpleHTTPRequestHandler.extensions_map | {".wasm": "application/wasm", ".js": "text/javascript"}

    def end_headers(self) -> None:
        # What was built anew is loaded anew.
        self.send_header("Cache-Control", "no-store")
        super().end_headers()

    def log_message(self, *_) -> None:
        pass


def server(port: int) -> http.server.ThreadingHTTPServer:
    return http.server.ThreadingHTTPServer(("127.0.0.1", port), functools.partial(Quiet, directory=PAGE))


def losses(page: Browser) -> list[float]:
    return page.js("machines[0].losses")


def falls(tally: Tally, of: list[float]) -> None:
    first, last = statistics.mean(of[:3]), statistics.mean(of[-3:])
    if not (len(of) == SETTING["steps"] and last < 0.5 * first):
        tally.fail(f"the loss does not fall to half: {of}")
    tally.check(f"{len(of)} steps, the loss falls from {first:.3f} to {last:.3f} nats per byte")


def hits(page: Browser, machine: str) -> list[tuple[float, str]]:
    rows = page.js(f"[...document.querySelectorAll('#{machine}-hits li')].map((e) => [+e.firstChild.textContent, e.lastChild.textContent])")
    return [(score, text) for score, text in rows]


def both(tally: Tally, page: Browser) -> None:
    """On both machines. Chromium's software adapter takes minutes to compile the kernels that train; those that search are short."""
    for machine, name in (("cpu", "lanes: simd128"), ("gpu", "adapter: ")):
        if not page.text(f"{machine}-name").lower().startswith(name):
            tally.fail(f"the page does not name its {name}: {page.texts()}")
    tally.check(f"{page.text('cpu-name')}; {page.text('gpu-name')}")
    page.submit("search", text=(ROOT / "LICENSE-APACHE").read_text(), query="patent licence terminated")
    found = [hits(page, m) for m in ("cpu", "gpu")]
    lines = [[text for _, text in rows] for rows in found]
    if len(lines[0]) != 5 or lines[0] != lines[1] or max(abs(a - b) for (a, _), (b, _) in zip(*found)) > CLOSE:
        tally.fail(f"the searches differ: {found}")
    if not all("“license” for “licence”" in page.text(f"{m}-search") for m in ("cpu", "gpu")):
        tally.fail(f"which word was taken instead is not said: {page.texts()}")
    tally.check(f"both find the same 5 lines: {page.text('cpu-search')}; {page.text('gpu-search')}")


def alone(tally: Tally, page: Browser, picture: str | None) -> None:
    """Without WebGPU: trains, writes, stops."""
    said = page.text("gpu-name")
    if not (said.startswith("Not available: this browser has") and "on the CPU alone, as WebAssembly" in said):
        tally.fail(f"without WebGPU the page says {said!r}")
    tally.check(f"without WebGPU the page says: {said}")
    page.submit("train", text=TEXT, **SETTING)
    of = losses(page)
    falls(tally, of)
    points = page.js("document.querySelector('#chart .cpu').getAttribute('d').split('L').length")
    bar = page.js("[document.getElementById('cpu-progress').value, document.getElementById('cpu-progress').max]")
    if points != SETTING["steps"] or bar != [SETTING["steps"]] * 2:
        tally.fail(f"the chart has {points} points, the bar stands at {bar}")
    tally.check(f"the chart has every step, the bar is full; {page.text('cpu-train')}")
    page.submit("write", prompt=PROMPT, tokens=TOKENS, temperature=0)
    wrote = page.text("cpu-text")
    if wrote not in TEXT or not wrote.startswith(PROMPT) or len(wrote) < len(PROMPT) + TOKENS:
        tally.fail(f"it does not write what it learnt: {wrote!r}")
    tally.check(f"it writes what it learnt: {wrote!r}; {page.text('cpu-write')}")
    if page.text("gpu-text") or page.js("machines[1].losses.length"):
        tally.fail(f"something ran on WebGPU: {page.texts()}")
    stops(tally, page)
    page.submit("train", text="no", **SETTING)
    if "the text has" not in page.text("cpu-train") or not page.js("document.getElementById('cpu-train').classList.contains('wrong')"):
        tally.fail(f"a text that is too short: {page.texts()}")
    tally.check(f"a text that is too short is refused: {page.text('cpu-train')}")
    if picture:
        page.set(text=(ROOT / "README.md").read_text())
        page.submit("train", steps=600, dim=64, layers=2)
        page.submit("write", prompt="The ", tokens=60)
        page.submit("search", query="kernels without allocation")
        shoot(page, picture)


def shoot(page: Browser, picture: str) -> None:
    shot = page.call("Page.captureScreenshot", format="png", captureBeyondViewport=True)
    Path(picture).write_bytes(base64.b64decode(shot["data"]))


def stops(tally: Tally, page: Browser) -> None:
    """Ends a training of very many steps, after which everything goes on, with the model as it is."""
    page.begin("train", steps=100000)
    page.until("machines[0].losses.length > 2", "steps are done")
    page.js("document.getElementById('stop').click()")
    page.until("document.getElementById('stop').disabled", "the stop button stops")
    done = len(losses(page))
    if f"stopped at step {done} of 100000" not in page.text("cpu-train"):
        tally.fail(f"stopped after {done} steps: {page.texts()}")
    time.sleep(0.3)
    if done != len(losses(page)):
        tally.fail("it trains on after the stop")
    page.submit("write", tokens=3)
    if "3 tokens" not in page.text("cpu-write"):
        tally.fail(f"nothing is written after a stop: {page.texts()}")
    tally.check(f"the stop button stops, after {done} steps of 100000; the page goes on")


def test(tally: Tally, picture: str | None) -> None:
    chromium = need("chromium", "apt-get install chromium")
    build(tally, tested=True)
    drive(tally, chromium, picture)


def drive(tally: Tally, chromium: str, picture: str | None) -> None:
    with server(0) as here:
        threading.Thread(target=here.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{here.server_port}/index.html"
        for flags, run in (([WEBGPU], lambda page: both(tally, page)), ([], lambda page: alone(tally, page, picture))):
            page = Browser(chromium, *flags)
            try:
                page.open(url)
                run(page)
            finally:
                page.close()
        here.shutdown()


def main() -> int:
    args = [a for a in sys.argv[1:] if a != "--strict"]
    tally = Tally()
    picture = args.pop() if args[-2:-1] == ["--picture"] else None
    if picture:
        args.pop()
    match args:
        case ["serve", *port] if len(port) < 2 and all(p.isdecimal() for p in port):
            try:
                build(tally, tested=False)
            except (Failure, Missing) as why:
                print(why, file=sys.stderr)
                return 1
            with server(int(port[0]) if port else 8000) as here:
                print(f"http://127.0.0.1:{here.server_port}/")
                try:
                    here.serve_forever()
                except KeyboardInterrupt:
                    return 0
        case ["test"]:
            try:
                test(tally, picture)
            except Missing as what:
                tally.skip(f"missing for the web page: {what}")
            except Failure as why:
                if not tally.failures:
                    tally.wrong(str(why))
            return tally.finish("--strict" in sys.argv or os.environ.get("FULMEN_STRICT") == "1")
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
