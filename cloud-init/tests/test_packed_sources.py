"""What the provider sends is what stands here: stripped, still valid, and the generated file is up to date."""

import ast
import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
spec = importlib.util.spec_from_file_location("pack", ROOT / "scripts/pack-cloud-init.py")
pack = importlib.util.module_from_spec(spec)
spec.loader.exec_module(pack)


@pytest.mark.parametrize("path", sorted((ROOT / "cloud-init").glob("honest*/*.py")), ids=lambda p: p.name)
def test_stripping_keeps_the_program(path):
    """The same syntax tree but for docstrings."""
    source = path.read_text()

    def bare(text):
        tree = ast.parse(text)
        for node in ast.walk(tree):
            body = getattr(node, "body", None)
            if isinstance(body, list) and body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
                body[:1] = [] if len(body) > 1 or isinstance(node, ast.Module) else [ast.Pass()]
        return ast.dump(tree)

    assert bare(pack.strip(source)) == bare(source)


def test_text_in_strings_is_not_touched():
    source = 'X = """first\n    # no comment\n\n    kept\n"""\n# gone\nY = 1  # gone too\n'
    assert pack.strip(source) == 'X = """first\n    # no comment\n\n    kept\n"""\nY = 1\n'


def test_generated_file_is_up_to_date():
    assert (ROOT / "provider/boot/gen/cloud-init-sources.ts").read_text() == pack.typescript(), "run npm run generate"


def test_part_handler_keeps_its_first_line():
    assert pack.strip((ROOT / "cloud-init/part_handler.py").read_text(), keep_first=True).startswith("#part-handler\n")
