"""A second reader of .cwasm files and of a target's memory, for the tests only: what it says does
not come from aotscope, so that the two can be held against each other."""
import bisect
import json
import struct
from pathlib import Path

PAGE = 4096


class Core:
    """One .cwasm: where its text is, its functions and their names."""

    def __init__(self, path):
        self.path = Path(path)
        data = self.path.read_bytes()
        assert data[:4] == b"\0aot", path
        sections, at = {}, 8
        while at < len(data):
            kind, size = struct.unpack_from("<II", data, at)
            sections.setdefault(kind, (at + 8, size))
            at += 8 + size
        self.text_at, self.text_size = sections.get(2, (0, 0))
        self.text = data[self.text_at:self.text_at + self.text_size]
        self.offsets = self._functions(data, sections)
        self.imports = self._imported_functions(data, sections)
        self.names = self._names(data, sections)
        self._starts = sorted(set(self.offsets))

    @staticmethod
    def _functions(data, sections):
        if 3 not in sections:
            return []
        at = sections[3][0]
        (count,) = struct.unpack_from("<I", data, at)
        return [struct.unpack_from("<I", data, at + 4 + 8 * i)[0] for i in range(count)]

    @staticmethod
    def _text(data, at):
        (length,) = struct.unpack_from("<I", data, at)
        return data[at + 4:at + 4 + length].decode(errors="replace"), at + 4 + length

    def _imported_functions(self, data, sections):
        if 8 not in sections:
            return 0
        at = sections[8][0]
        (count,) = struct.unpack_from("<I", data, at)
        at, functions = at + 4, 0
        for _ in range(count):
            _, at = self._text(data, at)
            _, at = self._text(data, at)
            kind, at = data[at], at + 1
            functions += kind == 0
            # Behind the kind stands what that kind needs; an optional maximum behind its flag.
            if kind == 1:
                at += 6 + (4 if data[at + 5] else 0)
            elif kind == 2:
                at += 5 + (6 if data[at + 4] else 2)
            else:
                at += 2 if kind == 3 else 4
        return functions

    def _names(self, data, sections):
        """By local index; the name section's, else the first export's, else func[INDEX]."""
        names = {}
        if 4 in sections:
            at = sections[4][0]
            (count,) = struct.unpack_from("<I", data, at)
            at += 4
            for _ in range(count):
                name, at = self._text(data, at)
                kind, index = struct.unpack_from("<BI", data, at)
                at += 5
                if kind == 0:
                    names.setdefault(index, name)
        if 7 in sections:
            at = sections[7][0]
            (count,) = struct.unpack_from("<I", data, at)
            at += 4
            for _ in range(count):
                (index,) = struct.unpack_from("<I", data, at)
                name, at = self._text(data, at + 4)
                names[index] = name
        return [names.get(i + self.imports, f"func[{i + self.imports}]")
                for i in range(len(self.offsets))]

    def extent(self, local):
        """[start, end) of a function in the text."""
        start = self.offsets[local]
        at = bisect.bisect_right(self._starts, start)
        return start, self._starts[at] if at < len(self._starts) else self.text_size

    def name_at(self, offset):
        """The names of all functions that cover a text offset: several may share one body."""
        at = bisect.bisect_right(self._starts, offset) - 1
        if at < 0 or offset >= self.text_size:
            return set()
        return {self.names[i] for i, start in enumerate(self.offsets) if start == self._starts[at]}


def cores(image):
    """The cores of a .cwasm, or of a component .wasm with its manifest beside it."""
    image = Path(image)
    if image.suffix == ".cwasm":
        return [Core(image)]
    manifest = json.loads(image.with_suffix(".cwasm.json").read_text())
    return [Core(image.parent / module["path"]) for module in manifest["modules"]]


def executable_ranges(pid):
    """Anonymous executable ranges as /proc shows them: (start, end, writable)."""
    ranges = []
    with open(f"/proc/{pid}/maps") as maps:
        for line in maps:
            fields = line.split()
            if "x" in fields[1] and len(fields) == 5:
                start, end = (int(x, 16) for x in fields[0].split("-"))
                ranges.append((start, end, "w" in fields[1]))
    return ranges


def find_texts(pid, wanted):
    """Where each core's text is in a process: (base, number of the core), by all of its bytes."""
    found = []
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        for start, end, writable in executable_ranges(pid):
            if writable:
                continue
            memory.seek(start)
            data = memory.read(end - start)
            for page in range(0, len(data), PAGE):
                for number, core in enumerate(wanted):
                    if core.text_size and data.startswith(core.text[:PAGE], page) and \
                            data.startswith(core.text, page):
                        found.append((start + page, number))
    return found
