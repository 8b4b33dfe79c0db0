"""Faults that the benchmark plants are of the code that there is."""

import ast
import shutil

import pytest
from helpers.documents import ROOT
from planted_faults import FAULTS, PlantedFault


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_changes_what_stands_there(tmp_path, name):
    fault = FAULTS[name]
    path = tmp_path / fault.file
    path.parent.mkdir(parents=True)
    shutil.copyfile(ROOT / fault.file, path)
    before = ast.dump(ast.parse(path.read_text()))
    fault.plant(tmp_path)
    assert ast.dump(ast.parse(path.read_text())) != before
    with pytest.raises(ValueError, match=f"{fault.file}: this stands there 0 times"):
        fault.plant(tmp_path)


def test_a_fault_is_planted_at_one_place(tmp_path):
    (tmp_path / "module.py").write_text("a = 1\nb = 1\n")
    with pytest.raises(ValueError, match="stands there 2 times: '= 1'"):
        PlantedFault("module.py", (("= 1", "= 2"),), ()).plant(tmp_path)
    assert (tmp_path / "module.py").read_text() == "a = 1\nb = 1\n"
