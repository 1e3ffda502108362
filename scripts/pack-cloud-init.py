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

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGET = ROOT / "provider/boot/gen/cloud-init-sources.ts"
SILENT = (tokenize.COMMENT, tokenize.NL, tokenize.ENDMARKER)
WORDS = (tokenize.NAME, tokenize.NUMBER, tokenize.STRING)

# what only one role runs; the other's machines do not get it
CONTROL_PLANE_ONLY = ("birth", "control_plane", "disk", "etcd", "peer")
WORKER_ONLY = ("worker",)


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


def short_names(tree):
    """{(line, column): new name} for the variables of functions.

    A name is shortened in the whole of an outermost function, and only when nothing outside of it can mean it: it is no
    parameter, no import, no global, no builtin.
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
        kept = shared.union(*(bound(n) for n in inner))
        used = kept | {n.id for n in inner if isinstance(n, ast.Name)}
        fresh = (letter for letter in string.ascii_lowercase if letter not in used)
        renamed = {}
        for name in stored(function):
            if len(name) > 1 and name not in kept and name not in renamed:
                renamed[name] = next(fresh, name)
        for n in inner:
            if isinstance(n, ast.Name) and n.id in renamed:
                places[(n.lineno, n.col_offset)] = renamed[n.id]
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


def logical_lines(source):
    """(depth, text, is only a string) of each statement line."""
    places = short_names(ast.parse(source))
    depth, line = 0, []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.INDENT:
            depth += 1
        elif token.type == tokenize.DEDENT:
            depth -= 1
        elif token.type == tokenize.NEWLINE:
            text, before = "", None
            for kind, word in without_last_commas(line):
                text += (" " if before in WORDS and kind in WORDS else "") + word
                before = kind
            yield depth, text, [kind for kind, _ in line] == [tokenize.STRING]
            line = []
        elif token.type not in SILENT:
            if tokenize.tok_name[token.type].startswith("FSTRING") or token.string[:2].lower() in ('f"', "f'"):
                raise SyntaxError("line %d: format with %%, the packer does not read f-strings" % token.start[0])
            line.append((token.type, places.get(token.start, token.string)))


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


def boot_sources():
    base = ROOT / "cloud-init"
    boot = {"part_handler.py": strip((base / "part_handler.py").read_text(), keep_first=True)}
    boot["cc_honest.py"] = strip((base / "cc_honest.py").read_text())
    for path in sorted((base / "honest").glob("*.py")):
        boot["honest/" + path.name] = strip(path.read_text())
    return boot


def for_role(sources, role):
    foreign = WORKER_ONLY if role == "control-plane" else CONTROL_PLANE_ONLY
    return {name: text for name, text in sources.items() if name not in ["honest/%s.py" % f for f in foreign]}


def typescript():
    boot = boot_sources()
    roles = {role: sorted(for_role(boot, role)) for role in ("control-plane", "worker")}
    agent = {p.name: strip(p.read_text()) for p in sorted((ROOT / "cloud-init/honest_agent").glob("*.py"))}
    version = hashlib.sha256(json.dumps(agent, sort_keys=True).encode()).hexdigest()[:12]
    record = "Readonly<Record<string, string>>"

    def data(value):
        return json.dumps(value, indent=2, sort_keys=True)

    return "".join(
        [
            "// Generated by scripts/pack-cloud-init.py from cloud-init/. Run: npm run generate\n",
            "/** Part handler, module and boot stage by file name, stripped. */\n",
            "export const bootSources: %s = %s;\n" % (record, data(boot)),
            "/** The files of bootSources that machines of a role are sent. */\n",
            'export const bootFiles: Readonly<Record<"control-plane" | "worker", readonly string[]>> = %s;\n' % data(roles),
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
