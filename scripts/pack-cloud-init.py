#!/usr/bin/env python3
"""Writes provider/boot/gen/cloud-init-sources.ts: the Python sources as the provider sends them to machines.

User-data has to fit into 16 384 bytes, so comments, docstrings and needless white space are taken out, indentation is one
space and names that only one function knows are one letter long. Works on tokens, not on a printed syntax tree, so that
every Python version gives the same bytes.
Usage: scripts/pack-cloud-init.py [--check]
"""

import ast
import builtins
import hashlib
import io
import json
import pathlib
import string
import sys
import tokenize

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import bundle_boot_stage as bundle  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGET = ROOT / "provider/boot/gen/cloud-init-sources.ts"
SILENT = (tokenize.COMMENT, tokenize.NL, tokenize.ENDMARKER)
WORDS = (tokenize.NAME, tokenize.NUMBER, tokenize.STRING)

# what only one role runs; the other's machines do not get it
CONTROL_PLANE_ONLY = ("birth", "control_plane", "disk", "etcd", "peer")
WORKER_ONLY = ("worker",)
# sent beside them when the cluster was restored
RESTORE_ONLY = ("restore",)
# sent where the spec names a mirror of binaries
MIRROR_ONLY = ("artefacts",)


def bound(node):
    """Names that a piece of syntax binds in ways that are not renamed here."""
    if isinstance(node, ast.alias):
        return {(node.asname or node.name).split(".")[0]}
    if isinstance(node, ast.arg):
        return {node.arg}
    if isinstance(node, (ast.Global, ast.Nonlocal)):
        return set(node.names)
    if isinstance(node, ast.ClassDef):
        # variables of a class are attributes
        return {node.name, *stored(node)}
    if isinstance(node, (ast.FunctionDef, ast.ExceptHandler)):
        return {node.name} if node.name else set()
    return set()


def stored(node):
    return [n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]


def parameters(function, keywords):
    """Parameters that no call anywhere names."""
    return [n.arg for n in ast.walk(function) if isinstance(n, ast.arg) and n.arg not in keywords]


def short_names(tree, keywords=None):
    """{(line, column): new name} for the variables of functions.

    A name is shortened in the whole of an outermost function, and only when nothing outside of it can mean it: it is no
    parameter, no import, no global, no builtin. keywords: the names that calls use for parameters, when all calls are known;
    then the other parameters are shortened too.
    """
    shared = set(dir(builtins))
    for node in tree.body:
        shared |= bound(node)
        if not isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            shared.update(stored(node))
            shared.update(name for n in ast.walk(node) for name in bound(n))
    places = {}
    for function in tree.body:
        if not isinstance(function, ast.FunctionDef):
            continue
        inner = list(ast.walk(function))
        free = [] if keywords is None else parameters(function, keywords)
        kept = shared.union(*(bound(n) for n in inner if not (isinstance(n, ast.arg) and n.arg in free)))
        used = kept | {n.id for n in inner if isinstance(n, ast.Name)}
        fresh = (letter for letter in string.ascii_lowercase if letter not in used)
        renamed = {}
        for name in free + stored(function):
            if len(name) > 1 and name not in kept and name not in renamed:
                renamed[name] = next(fresh, name)
        for n in inner:
            if isinstance(n, ast.Name) and n.id in renamed:
                places[(n.lineno, n.col_offset)] = renamed[n.id]
            elif isinstance(n, ast.arg) and n.arg in renamed:
                places[(n.lineno, n.col_offset)] = renamed[n.arg]
    return places


def without_last_commas(line):
    """The comma after the last of several elements; one that makes a tuple of one element stays."""
    opened, kept = [], []
    for kind, word in line:
        if word in (")", "]", "}") and kept and kept[-1][1] == "," and (word != ")" or opened[-1] > 1):
            kept.pop()
        if kind == tokenize.OP and word in ("(", "[", "{"):
            opened.append(0)
        elif kind == tokenize.OP and word in (")", "]", "}"):
            opened.pop()
        elif opened and word == ",":
            opened[-1] += 1
        kept.append((kind, word))
    return kept


def logical_lines(source, more=None, dropped=(), keywords=None):
    """(depth, text, is only a string) of each statement line. more: replacements by place; dropped: lines whose statement goes."""
    places = {**short_names(ast.parse(source), keywords), **(more or {})}
    depth, line, first = 0, [], None
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.INDENT:
            depth += 1
        elif token.type == tokenize.DEDENT:
            depth -= 1
        elif token.type == tokenize.NEWLINE and first in dropped:
            line, first = [], None
        elif token.type == tokenize.NEWLINE:
            text, before = "", None
            for kind, word in without_last_commas(line):
                text += (" " if before in WORDS and kind in WORDS else "") + word
                before = kind
            yield depth, text, [kind for kind, _ in line] == [tokenize.STRING]
            line, first = [], None
        elif token.type not in SILENT:
            if tokenize.tok_name[token.type].startswith("FSTRING") or token.string[:2].lower() in ('f"', "f'"):
                raise SyntaxError("line %d: format with %%, the packer does not read f-strings" % token.start[0])
            first = first or token.start[0]
            word = places.get(token.start, token.string)
            if word:
                line.append((token.type, word))


def without_docstrings(lines):
    """[(depth, text)]; a body that was only a docstring does nothing."""
    kept = []
    for number, (depth, text, docstring) in enumerate(lines):
        if docstring:
            last = number + 1 == len(lines) or lines[number + 1][0] < depth
            if not last or depth == 0:
                continue
            text = "pass"
        kept.append((depth, text))
    return kept


def joined(lines):
    """A body of one plain statement stands behind its head: `if x:return y`."""
    depths = [depth for depth, _ in lines] + [0, 0]
    skip = False
    for number, (depth, text) in enumerate(lines):
        if skip:
            skip = False
            continue
        if depths[number + 1] == depth + 1 and depths[number + 2] <= depth:
            text, skip = text + lines[number + 1][1], True
        yield depth, text


def strip(source, keep_first=False):
    out = source.splitlines()[:1] if keep_first else []
    out += [" " * depth + text for depth, text in joined(without_docstrings(list(logical_lines(source))))]
    text = "\n".join(out) + "\n"
    ast.parse(text)
    return text


def pieces():
    """{module: text} in the order in which they make one program, the imports of all first: python3 -m honest WHAT."""
    sources = {path.stem: path.read_text() for path in sorted((ROOT / "cloud-init/honest").glob("*.py")) if path.stem != "__init__"}
    trees = {name: ast.parse(text) for name, text in sources.items()}
    short = bundle.short_for(trees)
    keywords = {n.arg for tree in trees.values() for n in ast.walk(tree) if isinstance(n, ast.keyword)}
    imports, made = [], {"imports": ""}
    for name in bundle.in_order(trees):
        places, dropped, wanted = bundle.edits(trees[name], {n: s for (m, n), s in short.items() if m == name}, short)
        imports += wanted
        lines = joined(without_docstrings(list(logical_lines(sources[name], places, dropped, keywords))))
        made[name] = "".join("%s%s\n" % (" " * depth, text) for depth, text in lines)
    made["imports"] = "\n".join(bundle.merged(imports)) + "\n"
    bundle.resolved("".join(made.values()))
    return made


def foreign(role, restored, mirror):
    """Modules that a machine does not run, and is not sent."""
    other = WORKER_ONLY if role == "control-plane" else CONTROL_PLANE_ONLY
    return other + (() if restored else RESTORE_ONLY) + (() if mirror else MIRROR_ONLY)


def fixed():
    base = ROOT / "cloud-init"
    return {
        "part_handler.py": strip((base / "part_handler.py").read_text(), keep_first=True),
        "cc_honest.py": strip((base / "cc_honest.py").read_text()),
    }


def boot_sources(role, restored=False, mirror=False):
    """{file name: text} of what such a machine is sent."""
    program = "".join(text for name, text in pieces().items() if name not in foreign(role, restored, mirror))
    return {**fixed(), "honest/__main__.py": program}


def typescript():
    made = pieces()
    only = {"control-plane": CONTROL_PLANE_ONLY, "worker": WORKER_ONLY, "restored": RESTORE_ONLY, "mirror": MIRROR_ONLY}
    agent = {p.name: strip(p.read_text()) for p in sorted((ROOT / "cloud-init/honest_agent").glob("*.py"))}
    version = hashlib.sha256(json.dumps(agent, sort_keys=True).encode()).hexdigest()[:12]
    record = "Readonly<Record<string, string>>"

    def data(value):
        return json.dumps(value, indent=2, sort_keys=True)

    return "".join(
        [
            "// Generated by scripts/pack-cloud-init.py from cloud-init/. Run: npm run generate\n",
            "/** Part handler and module by file name, stripped. */\n",
            "export const bootSources: %s = %s;\n" % (record, data(fixed())),
            "/** The boot stage: names and texts that make one program in this order. */\n",
            "export const bootPieces: readonly (readonly [name: string, text: string])[] = %s;\n" % data(list(made.items())),
            "/** Pieces that are sent to some machines only. */\n",
            'export const sentTo: Readonly<Record<"control-plane" | "worker" | "restored" | "mirror", readonly string[]>> = %s;\n'
            % data(only),
            "/** The agent, delivered by the cluster. */\n",
            "export const agentSources: %s = %s;\n" % (record, data(agent)),
            "/** Digest of the agent's sources. */\n",
            "export const agentVersion = %s;\n" % json.dumps(version),
        ]
    )


def main():
    text = typescript()
    if "--check" in sys.argv:
        if not TARGET.exists() or TARGET.read_text() != text:
            sys.exit("%s is out of date: run npm run generate" % TARGET.relative_to(ROOT))
        return
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_text(text)


if __name__ == "__main__":
    main()
