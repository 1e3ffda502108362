"""What the provider sends is what stands here: stripped, still valid, and the generated file is up to date."""

import ast
import importlib.util
import subprocess
import sys
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


MACHINES = [("worker", False, mirror) for mirror in (False, True)]
MACHINES += [("control-plane", restored, mirror) for restored in (False, True) for mirror in (False, True)]


@pytest.mark.parametrize("role, restored, mirror", MACHINES)
def test_every_machine_has_what_it_runs(role, restored, mirror):
    """What a machine is not sent is named only where it is asked first whether the machine has it."""
    made = pack.pieces()
    short = pack.bundle.short_for({p.stem: ast.parse(p.read_text()) for p in FILES if p.parent.name == "honest" and p.stem != "__init__"})
    long = {value: key for key, value in short.items()}
    absent = set(pack.foreign(role, restored, mirror))
    asks = {("boot", "stages"), ("__main__", "main"), ("etcd", "settle"), ("etcd", "begin")}
    for module in set(made) - absent:
        for top in ast.parse(made[module]).body:
            used = {long[n.id][0] for n in ast.walk(top) if isinstance(n, ast.Name) and n.id in long} & absent
            assert not used or long[top.name] in asks, (module, ast.unparse(top))


@pytest.mark.world
def test_the_program_of_a_machine_runs(tmp_path):
    """The whole of it is read, and it says what is wrong here: there is no boot document on this computer."""
    (tmp_path / "honest").mkdir()
    (tmp_path / "honest/__main__.py").write_text(pack.boot_sources("control-plane", True, True)["honest/__main__.py"])
    done = subprocess.run([sys.executable, "-m", "honest", "etcd"], env={"PYTHONPATH": str(tmp_path)}, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (1, "")
    assert "etcd does not start: there is no boot document at /var/lib/honest-paas/boot.json" in done.stdout


def bundled(**sources):
    trees = {name: ast.parse(text) for name, text in sources.items()}
    short = pack.bundle.short_for(trees)
    out = ""
    for name in pack.bundle.in_order(trees):
        places, dropped, _ = pack.bundle.edits(trees[name], {n: s for (m, n), s in short.items() if m == name}, short)
        out += "".join("%s%s\n" % (" " * depth, text) for depth, text, _ in pack.logical_lines(sources[name], places, dropped))
    return out


def test_modules_become_one_program():
    disk = "LABEL = 'x'\ndef mounted():\n    return LABEL\n"
    etcd = "from honest import disk\nfrom honest.disk import LABEL\n"
    etcd += "def check(doc):\n    return disk.mounted(), LABEL, doc.LABEL, 'LABEL'\n"
    text = bundled(disk=disk, etcd=etcd)
    space = {}
    exec(text, space)
    assert "honest" not in text
    check = next(value for value in space.values() if hasattr(value, "__code__") and value.__code__.co_argcount == 1)
    assert check(type("Doc", (), {"LABEL": 1})) == ("x", "x", 1, "LABEL")


def test_a_variable_of_a_function_is_not_the_modules():
    disk = "from honest.host import read\ndef f(read):\n    return read\ndef g():\n    return read\n"
    space = {}
    exec(bundled(host="def read(path):\n    return path\n", disk=disk), space)
    functions = [value for value in space.values() if hasattr(value, "__code__")]
    assert functions[1](7) == 7
    assert functions[2]() is functions[0]


@pytest.mark.parametrize(
    "text, words",
    [("def f():\n    return missing\n", "missing"), ("X = 1\ndef f():\n    return x\n", "x")],
)
def test_a_name_that_was_missed_is_found(text, words):
    with pytest.raises(SyntaxError, match="does not define: " + words):
        pack.bundle.resolved(text)


def test_a_global_that_is_written_is_refused():
    with pytest.raises(SyntaxError, match="global"):
        bundled(a="X = 1\ndef f():\n    global X\n    X = 2\n")


def test_text_in_strings_is_not_touched():
    source = 'X = """first\n    # no comment\n\n    kept\n"""\n# gone\nY = 1  # gone too\n'
    assert pack.strip(source) == 'X="""first\n    # no comment\n\n    kept\n"""\nY=1\n'


def test_generated_file_is_up_to_date():
    assert (ROOT / "provider/boot/gen/cloud-init-sources.ts").read_text() == pack.typescript(), "run npm run generate"


def test_part_handler_keeps_its_first_line():
    assert pack.strip((ROOT / "cloud-init/part_handler.py").read_text(), keep_first=True).startswith("#part-handler\n")
