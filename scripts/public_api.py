#!/usr/bin/env python3
"""The public API, as rustdoc sees it after macros and re-exports, against the contracts and the rules.

  scripts/public_api.py [FULMEN.json]    reads rustdoc's JSON, or has it made

Fails where a public function that writes data, or runs on lanes, is no form of an op with a contract, and where a
public function is `unsafe` that is not in the list below.
"""

import json
import os
import re
import subprocess
import sys

from toolchain import EVERYTHING, ROOT

# Forms of an op: its name and any of these.
FORMS = re.compile(r"(_in_place|_with|_fixed|_packed|_batched|_strided_batched)?(_workspace|_on)?$")
# What writes data and is no op, and why.
OTHERS = {
    "fulmen::map": "applies any body",
    "fulmen::map_on": "applies any body",
    "fulmen::map_in_place": "applies any body",
    "fulmen::map_in_place_on": "applies any body",
    "fulmen::parallel::map": "applies any body",
    "fulmen::parallel::map_on": "applies any body",
    "fulmen::parallel::map_in_place": "applies any body",
    "fulmen::parallel::map_in_place_on": "applies any body",
    "fulmen::zip_in_place": "applies any body",
    "fulmen::zip_in_place_on": "applies any body",
    "fulmen::parallel::zip_in_place": "applies any body",
    "fulmen::parallel::zip_in_place_on": "applies any body",
    "fulmen::map_with_row": "applies any body",
    "fulmen::map_with_row_on": "applies any body",
    "fulmen::map_with_column": "applies any body",
    "fulmen::map_with_column_on": "applies any body",
    "fulmen::map_reduce_on": "joins what any bodies make",
    "fulmen::map_reduce_rows": "joins what any bodies make",
    "fulmen::map_reduce_rows_on": "joins what any bodies make",
    "fulmen::parallel::map_reduce_on": "joins what any bodies make",
    "fulmen::parallel::map_reduce_rows": "joins what any bodies make",
    "fulmen::parallel::map_reduce_rows_on": "joins what any bodies make",
    "fulmen::rope_table_on": "a step of rope, whose contract holds rope_table",
    "fulmen::pack_b": "a step of gemm, whose contract holds gemm_packed",
    "fulmen::pack_b_on": "a step of gemm, whose contract holds gemm_packed",
    "fulmen::quant::blocks_in": "looks at memory as blocks",
    "fulmen::quant::NF4::join": "puts bytes beside each other",
    "fulmen::quant::NF4::split": "takes them apart",
    "fulmen::quant::NF4_LOW::join": "puts bytes beside each other",
    "fulmen::quant::NF4_LOW::split": "takes them apart",
}
# The only `unsafe` functions that a user can call: each states what it asks for.
UNSAFE = re.compile(r"fulmen::(lanes::\w+::assume|(Mat|Vec)(Ref|Mut)::from_raw_parts|gpu::device::Device::(launch|amend))$")


def document() -> dict:
    """What rustdoc says of the library with all features."""
    folder = ROOT / "target/rustup"
    # JSON is not stable: rustdoc alone is let have it, as what the library depends on would be built again for that.
    unstable = folder / "rustdoc"
    folder.mkdir(parents=True, exist_ok=True)
    unstable.write_text('#!/bin/sh\nRUSTC_BOOTSTRAP=1 exec rustdoc "$@"\n')
    unstable.chmod(0o755)
    env = os.environ | {"RUSTDOC": str(unstable), "RUSTDOCFLAGS": "-Zunstable-options --output-format json"}
    command = ["cargo", "doc", "-q", "--no-deps", "-p", "fulmen", *EVERYTHING, "--lib", "--target-dir", folder]
    subprocess.run(command, cwd=ROOT, env=env, check=True)
    return json.loads((folder / "doc/fulmen.json").read_text())


def public(doc: dict) -> dict[str, dict]:
    """Every public function and method by its shortest path."""
    index, found = doc["index"], {}

    def item(number):
        return index.get(str(number))

    def kind(it):
        return next(iter(it["inner"].items()))

    def keep(path, it):
        name = "::".join(path)
        old = next((p for p, o in found.items() if o["id"] == it["id"]), None)
        if old is None or len(name) < len(old):
            found.pop(old, None)
            found[name] = it

    def walk(number, path, inside):
        it = item(number)
        if it is None or number in inside:
            return
        what, inner = kind(it)
        inside = inside | {number}
        if what == "module":
            for child in inner["items"]:
                walk(child, [*path, it["name"]] if number != doc["root"] else ["fulmen"], inside)
        elif what == "use":
            target = item(inner["id"]) if inner["id"] is not None else None
            if target is None:
                return
            if inner["is_glob"] and kind(target)[0] == "module":
                for child in kind(target)[1]["items"]:
                    walk(child, path, inside | {inner["id"]})
            elif not inner["is_glob"]:
                renamed(target, [*path, inner["name"]], inside)
        else:
            renamed(it, [*path, it["name"] or ""], inside)

    def renamed(it, path, inside):
        what, inner = kind(it)
        if what == "function":
            keep(path, it)
        elif what == "module":
            for child in inner["items"]:
                walk(child, path, inside | {it["id"]})
        elif what in ("struct", "enum", "union", "trait"):
            impls = [] if what == "trait" else [kind(item(i))[1] for i in inner["impls"] if item(i)]
            methods = inner["items"] if what == "trait" else [m for i in impls if i["trait"] is None for m in i["items"]]
            for method in methods:
                m = item(method)
                if m and kind(m)[0] == "function" and (what == "trait" or m["visibility"] == "public"):
                    keep([*path, m["name"]], m)

    walk(doc["root"], [], frozenset())
    return found


def writes(function: dict) -> bool:
    """Whether it takes memory that it may write, or lanes to run on."""
    text = json.dumps([t for _, t in function["sig"]["inputs"]])
    lanes = '"name": "S"' in json.dumps(function["generics"]) and '"Simd"' in json.dumps(function["generics"])
    mutable = re.search(r'"is_mutable": true, "type": \{"slice"', text) or re.search(r'"path": "(MatMut|VecMut)"', text)
    return bool(mutable) or lanes


def main() -> int:
    doc = json.loads(open(sys.argv[1]).read()) if len(sys.argv) > 1 else document()
    functions = public(doc)
    ops = set(re.findall(r"^  - op: (\w+)$", (ROOT / "contracts/binding.yaml").read_text(), re.M))
    bound = set(re.findall(r'path: "([\w:]+)"', (ROOT / "contracts/binding.yaml").read_text()))
    wrong, kernels, free = [], 0, 0
    for path, it in sorted(functions.items()):
        function = it["inner"]["function"]
        if function["header"]["is_unsafe"] and not UNSAFE.fullmatch(path):
            wrong.append(f"{path} is unsafe and public")
        # Methods belong to types; what computes is a function of the crate, of `parallel` or of a family's module.
        if not re.fullmatch(r"fulmen(::[a-z_]\w*)*", path) or re.match(r"fulmen::(contract|gpu|hardware|cuda|capi|thresholds)::", path):
            continue
        free += 1
        if not writes(function):
            continue
        kernels += 1
        name = path.rsplit("::", 1)[1]
        if path not in bound and path not in OTHERS and name not in ops and FORMS.sub("", name) not in ops:
            wrong.append(f"{path} computes and has no contract")
    for path in OTHERS:
        if path not in functions:
            wrong.append(f"{path} stands in the list of others and is not public")
    for line in wrong:
        print(f"FAILED {line}")
    # A walk that sees nothing proves nothing.
    if kernels < 2 * len(ops) or len(functions) < 1000:
        wrong.append("too few functions")
        print(f"FAILED only {len(functions)} public functions and {kernels} kernels were seen for {len(ops)} ops")
    print(f"public API: {len(functions)} functions and methods, {kernels} of them compute")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
