"""What the provider sends is what stands here: stripped, still valid, and the generated file is up to date."""

import ast
import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
spec = importlib.util.spec_from_file_location("pack", ROOT / "scripts/pack-cloud-init.py")
pack = importlib.util.module_from_spec(spec)
spec.loader.exec_module(pack)


FILES = sorted((ROOT / "cloud-init").glob("honest*/*.py")) + [ROOT / "cloud-init/cc_honest.py", ROOT / "cloud-init/part_handler.py"]


def without_docstrings(text):
    tree = ast.parse(text)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
            body[:1] = [] if len(body) > 1 or isinstance(node, ast.Module) else [ast.Pass()]
    return tree


def variables(tree):
    """Every use of a variable in order, with the outermost function that it stands in."""
    for number, top in enumerate(tree.body):
        for node in ast.walk(top):
            if isinstance(node, ast.Name):
                yield number if isinstance(top, ast.FunctionDef) else None, node


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.name)
def test_stripping_keeps_the_program(path):
    """The same syntax tree but for docstrings and for variables of functions, each renamed to one name of its own."""
    before = without_docstrings(path.read_text())
    after = without_docstrings(pack.strip(path.read_text(), keep_first=path.name == "part_handler.py"))
    names, taken = {}, {}
    for (function, old), (_, new) in zip(variables(before), variables(after)):
        assert names.setdefault((function, old.id), new.id) == new.id
        assert taken.setdefault((function, new.id), old.id) == old.id
        if function is None:
            assert old.id == new.id
        new.id = old.id
    assert ast.dump(after) == ast.dump(before)


@pytest.mark.parametrize(
    "source, packed",
    [
        ("def f(value):\n    total = value + 1\n    return total\n", "def f(value):\n a=value+1\n return a\n"),
        # what others can see keeps its name: parameters, globals, attributes, imports, names of exceptions
        ("LIMIT = 1\ndef f():\n    global LIMIT\n    LIMIT = 2\n", "LIMIT=1\ndef f():\n global LIMIT\n LIMIT=2\n"),
        ("def f():\n    class A:\n        field = 1\n    return A\n", "def f():\n class A:field=1\n return A\n"),
        ("def f():\n    import json\n    return json\n", "def f():\n import json\n return json\n"),
        ("def f(x):\n    data = x.data\n    return g(data=data)\n", "def f(x):\n a=x.data\n return g(data=a)\n"),
        # also where an inner function sees it
        (
            "def f():\n    seen = 1\n    def g():\n        return seen\n    return g\n",
            "def f():\n a=1\n def g():return a\n return g\n",
        ),
        ("def f(a):\n    other = a\n    return other\n", "def f(a):\n b=a\n return b\n"),
        ("x = {\n    1: 2,  # two\n    'k': (3,\n          4),\n}\n", "x={1:2,'k':(3,4)}\n"),
        # a tuple of one element needs its comma
        ("x = (1,)\ny = f((1,), [2,], a,)\n", "x=(1,)\ny=f((1,),[2],a)\n"),
        ("def f():\n    'only a docstring'\n", "def f():pass\n"),
        # a body of one plain statement stands behind its head, a compound one below it
        (
            "for x in y:\n    if x:\n        f(x)\n    else:\n        g()\n        break\n",
            "for x in y:\n if x:f(x)\n else:\n  g()\n  break\n",
        ),
        ("while a:\n    try:\n        b()\n    except C:\n        pass\n", "while a:\n try:b()\n except C:pass\n"),
        ("if a:\n    if b:\n        c()\n", "if a:\n if b:c()\n"),
    ],
)
def test_strip(source, packed):
    assert pack.strip(source) == packed


def test_a_format_that_the_packer_cannot_read_is_refused():
    with pytest.raises(SyntaxError, match="f-strings"):
        pack.strip('x = 1\ny = f"{x}"\n')  # noqa: B005


def test_every_role_has_what_it_imports():
    """Nothing that a role runs imports a file that its machines do not get."""
    sources = pack.boot_sources()
    for role, entry in (("control-plane", ("boot", "peer", "loader", "etcd")), ("worker", ("boot", "loader"))):
        sent, seen, queue = pack.for_role(sources, role), set(), list(entry)
        while queue:
            name = queue.pop()
            if name in seen:
                continue
            seen.add(name)
            tree = ast.parse(sent["honest/%s.py" % name])
            for node in ast.walk(tree):
                if isinstance(node, ast.ImportFrom) and node.module == "honest":
                    queue += [a.name for a in node.names if not (name == "boot" and foreign(a.name, role))]
                elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("honest."):
                    queue.append(node.module.split(".")[1])


def foreign(name, role):
    """boot imports the stages of either role inside the branch of that role."""
    return name in (pack.WORKER_ONLY if role == "control-plane" else pack.CONTROL_PLANE_ONLY)


def test_text_in_strings_is_not_touched():
    source = 'X = """first\n    # no comment\n\n    kept\n"""\n# gone\nY = 1  # gone too\n'
    assert pack.strip(source) == 'X="""first\n    # no comment\n\n    kept\n"""\nY=1\n'


def test_generated_file_is_up_to_date():
    assert (ROOT / "provider/boot/gen/cloud-init-sources.ts").read_text() == pack.typescript(), "run npm run generate"


def test_part_handler_keeps_its_first_line():
    assert pack.strip((ROOT / "cloud-init/part_handler.py").read_text(), keep_first=True).startswith("#part-handler\n")
