# SPDX-License-Identifier: Apache-2.0
"""The package itself: names, documentation, stubs that say what is there, rules."""

import ast
from pathlib import Path

import pytest

import chainwalk
from chainwalk import _core


def test_everything_public_is_there_and_documented():
    for name in chainwalk.__all__:
        assert getattr(chainwalk, name).__doc__, name


def test_the_stubs_name_what_the_module_has():
    stub = ast.parse((Path(chainwalk.__file__).parent / "_core.pyi").read_text())
    named = {node.name: node for node in stub.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    there = {name for name in vars(_core) if not name.startswith("_")}
    assert set(named) == there
    for name, node in named.items():
        if isinstance(node, ast.ClassDef):
            members = {item.target.id if isinstance(item, ast.AnnAssign) else item.name for item in node.body}
            assert members == {member for member in vars(getattr(_core, name)) if not member.startswith("_")}, name


def test_rules():
    every = chainwalk.rules()
    ids = [rule.id for rule in every]
    assert len(ids) == len(set(ids)) and {"REC-1", "ARI-1", "NUM-1", "SNP-1", "QNT-1", "TIL-1", "BIG-1"} <= set(ids)
    rule = chainwalk.rule("ari-4")
    assert rule.id == "ARI-4" and rule.chapter == "ARI" and rule.title and rule.text
    assert rule.title in str(rule)
    assert chainwalk.specification_version()[0].isdigit()
    with pytest.raises(KeyError, match="XYZ-1"):
        chainwalk.rule("XYZ-1")
