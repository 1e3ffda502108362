"""Makes one file of the modules of the boot stage, for scripts/pack-cloud-init.py.

Each module imports from the others and says their names; in one file nothing has to be imported and each name of a module is
one or two letters long: 1 300 of the 16 384 bytes that a cloud takes. What stands in cloud-init/honest stays as it is.

A name of a module is replaced where it surely means that: as a variable that the function around it does not bind, and behind
the name of its module. Strings, attributes, parameters and keywords are never touched.
"""

import ast
import builtins
import itertools
import keyword
import string


def top_names(tree):
    """Names that a module gives itself: functions, classes, constants."""
    names = []
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.append(node.name)
        elif isinstance(node, ast.Assign):
            names += [n.id for target in node.targets for n in ast.walk(target) if isinstance(n, ast.Name)]
    return names


def bound_in(node):
    """Names that a function binds somewhere inside of it: there they are not the module's."""
    bound = set()
    for n in ast.walk(node):
        if isinstance(n, ast.arg):
            bound.add(n.arg)
        elif isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store):
            bound.add(n.id)
        elif isinstance(n, ast.ExceptHandler) and n.name:
            bound.add(n.name)
        elif isinstance(n, (ast.Global, ast.Nonlocal)):
            raise SyntaxError("line %d: a global is written to, which the bundle does not know" % n.lineno)
        elif isinstance(n, (ast.FunctionDef, ast.ClassDef)) and n is not node:
            bound.add(n.name)
    return bound


def ours(node):
    """An import of the boot stage's own: [(module, its name or None, name here)]; None when it is another's."""
    if not isinstance(node, ast.ImportFrom) or not node.module or node.module.split(".")[0] != "honest":
        return None
    if node.module == "honest":
        return [(alias.name, None, alias.asname or alias.name) for alias in node.names]
    return [(node.module.split(".")[1], alias.name, alias.asname or alias.name) for alias in node.names]


def in_order(trees):
    """Modules, each after those that it imports at its top."""
    ordered = []

    def visit(name):
        if name in ordered:
            return
        for node in trees[name].body:
            for module, _, _ in ours(node) or []:
                if module in trees:
                    visit(module)
        ordered.append(name)

    for name in sorted(trees, key=lambda name: (name == "__main__", name)):
        visit(name)
    return ordered


def short_for(trees):
    """{(module, name): short}: no letter that a variable of a function has, no name that stands in the sources."""
    taken = set(dir(builtins)) | set(keyword.kwlist)
    for tree in trees.values():
        for n in ast.walk(tree):
            taken |= {getattr(n, "id", None), getattr(n, "arg", None), getattr(n, "asname", None)}
            taken |= {n.name.split(".")[0]} if isinstance(n, ast.alias) else set()
    letters = string.ascii_uppercase
    fresh = itertools.chain(letters, ("".join(pair) for pair in itertools.product(letters, string.ascii_lowercase + string.digits)))
    free = (name for name in fresh if name not in taken)
    return {(module, name): next(free) for module in sorted(trees) for name in top_names(trees[module])}


def is_main(node):
    return isinstance(node, ast.If) and isinstance(node.test, ast.Compare) and getattr(node.test.left, "id", "") == "__name__"


def edits(tree, own, short):
    """(replacements, dropped, imports): {(line, column): text, "" for nothing}, first lines of statements that go, imports of
    the standard library that go to the top. own: {name of this module: short}; short: {(module, name): short} of all."""
    places, dropped, imports = {}, set(), set()
    here, modules = dict(own), {}
    known = {m for m, _ in short}
    for node in ast.walk(tree):
        for of, name, alias in ours(node) or []:
            if of not in known:
                continue
            dropped.add(node.lineno)
            if name is None:
                modules[alias] = of
            else:
                here[alias] = short[of, name]
    for node in tree.body:
        if isinstance(node, (ast.Import, ast.ImportFrom)) and not ours(node):
            dropped.add(node.lineno)
            imports.add(node)
        elif is_main(node):
            dropped.update(range(node.lineno, node.end_lineno + 1))
    for top in tree.body:
        local = bound_in(top) if isinstance(top, (ast.FunctionDef, ast.ClassDef)) else set()
        if isinstance(top, (ast.FunctionDef, ast.ClassDef)):
            # the name stands behind "def " or "class "
            places[(top.lineno, top.col_offset + (4 if isinstance(top, ast.FunctionDef) else 6))] = here[top.name]
        for n in ast.walk(top):
            if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name) and n.value.id in modules and n.value.id not in local:
                at = (n.value.lineno, n.value.col_offset)
                places[at] = short[modules[n.value.id], n.attr]
                # the dot and the attribute stand on the same line
                places[(at[0], n.value.end_col_offset)] = places[(at[0], n.end_col_offset - len(n.attr))] = ""
            elif isinstance(n, ast.Name) and n.id in here and n.id not in local:
                places[(n.lineno, n.col_offset)] = here[n.id]
    return places, dropped, imports


def merged(nodes):
    """Import lines, each module once."""
    plain, froms = set(), {}
    for node in nodes:
        if isinstance(node, ast.Import):
            plain |= {a.name for a in node.names}
        else:
            froms.setdefault(node.module, set()).update(a.name for a in node.names)
    lines = ["import " + ",".join(sorted(plain))] if plain else []
    return lines + ["from %s import %s" % (module, ",".join(sorted(names))) for module, names in sorted(froms.items())]


def resolved(text):
    """Fails when the program names something that nobody defines: a replacement that was missed."""
    tree = ast.parse(text)
    known = set(dir(builtins)) | {"__name__"}
    for n in ast.walk(tree):
        if isinstance(n, (ast.FunctionDef, ast.ClassDef)):
            known.add(n.name)
        elif isinstance(n, ast.alias):
            known.add((n.asname or n.name).split(".")[0])
        elif isinstance(n, ast.arg):
            known.add(n.arg)
        elif isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store):
            known.add(n.id)
        elif isinstance(n, ast.ExceptHandler) and n.name:
            known.add(n.name)
    missing = sorted({n.id for n in ast.walk(tree) if isinstance(n, ast.Name)} - known)
    if missing:
        raise SyntaxError("the bundle of the boot stage names what it does not define: %s" % ", ".join(missing))
