#!/usr/bin/env python3
"""What Jinja of Python makes of conversations by templates of the forms in use (pip install jinja2).

  tests/golden/chat.py    writes tests/golden/chat/NAME.txt for each NAME.jinja there

A text holds what each conversation of `TALKS` becomes, after a line with its number; `refused: ` and a reason stand where the
template refuses one.
"""

import json
from pathlib import Path

from jinja2.exceptions import TemplateError
from jinja2.ext import Extension
from jinja2.sandbox import ImmutableSandboxedEnvironment

HERE = Path(__file__).parent / "chat"
say = lambda *turns: [{"role": role, "content": text} for role, text in turns]
TALKS = [
    say(("user", "Hello!")),
    say(("system", "  Be brief.\n"), ("user", "<b>1 & 2</b> 'ä'"), ("assistant", "<think>hm</think>\n Yes. "), ("user", "Why?")),
    say(("user", "a"), ("user", "b")),
]


class Generation(Extension):
    """The block of `transformers` that marks what a model learns from: what is in it."""

    tags = {"generation"}

    def parse(self, parser):
        next(parser.stream)
        return parser.parse_statements(["name:endgeneration"], drop_needle=True)


def refuse(why):
    raise TemplateError(why)


def main():
    env = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols", Generation])
    env.filters["tojson"] = lambda x, indent=None: json.dumps(x, ensure_ascii=False, indent=indent)
    env.globals["raise_exception"] = refuse
    for source in sorted(HERE.glob("*.jinja")):
        template = env.from_string(source.read_text())
        out = ""
        for i, messages in enumerate(TALKS):
            try:
                text = template.render(messages=messages, bos_token="<s>", eos_token="</s>", add_generation_prompt=True, tools=None, documents=None)
            except TemplateError as why:
                text = f"refused: {why}"
            out += f"=== {i}\n{text}\n"
        source.with_suffix(".txt").write_text(out)


main()
