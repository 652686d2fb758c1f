"""Reads what the size table needs of an ELF file: sections and symbol names."""

import struct
from dataclasses import dataclass

PROGBITS, SYMTAB, NOBITS = 1, 2, 8
WRITE, ALLOC = 1, 2


@dataclass
class Section:
    name: str
    kind: int
    flags: int
    size: int
    data: bytes
    link: int


class Elf:
    """A little-endian ELF file of 32 or 64 bits."""

    def __init__(self, raw: bytes):
        if raw[:4] != b"\x7fELF" or raw[5] != 1:
            raise ValueError("no little-endian ELF file")
        self.wide = raw[4] == 2
        table, entry, count, names = (
            struct.unpack_from("<Q", raw, 0x28) + struct.unpack_from("<HHH", raw, 0x3A)
            if self.wide
            else struct.unpack_from("<I", raw, 0x20) + struct.unpack_from("<HHH", raw, 0x2E)
        )
        heads = [struct.unpack_from("<IIQQQQI" if self.wide else "<IIIIIII", raw, table + entry * i) for i in range(count)]
        text = heads[names][4]

        def name(at: int) -> str:
            start = text + at
            return raw[start : raw.index(b"\0", start)].decode()

        self.sections = [
            Section(name(h[0]), h[1], h[2], h[5], b"" if h[1] == NOBITS else raw[h[4] : h[4] + h[5]], h[6]) for h in heads
        ]

    def loaded(self) -> list[Section]:
        """What occupies memory on the device."""
        return [s for s in self.sections if s.flags & ALLOC]

    def flash(self) -> int:
        """Bytes of code, constants and initial values."""
        return sum(s.size for s in self.loaded() if s.kind != NOBITS)

    def ram(self) -> int:
        """Bytes of variables; the stack is counted apart."""
        return sum(s.size for s in self.loaded() if s.flags & WRITE and s.name != ".stack")

    def symbols(self) -> list[str]:
        """The names of all symbols, mangled."""
        found = []
        for table in (s for s in self.sections if s.kind == SYMTAB):
            names = self.sections[table.link].data
            step = 24 if self.wide else 16
            for at in range(0, table.size, step):
                start = struct.unpack_from("<I", table.data, at)[0]
                found.append(names[start : names.index(b"\0", start)].decode())
        return found
