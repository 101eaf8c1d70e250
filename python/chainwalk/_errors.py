# SPDX-License-Identifier: Apache-2.0
"""Errors that the package raises."""

from __future__ import annotations


class ChainwalkInputError(ValueError):
    """Malformed input: a problem, a file or an array that breaks a rule.

    rule      id of the rule, such as "REC-5"; "CAP-n" for capture files
    chunk     index of the chunk, or None
    position  position (or index of a tile bound) in the chunk, or None
    """

    def __init__(self, message: str, rule: str, chunk: int | None = None, position: int | None = None):
        super().__init__(message)
        self.rule = rule
        self.chunk = chunk
        self.position = position

    def __reduce__(self):
        return type(self), (str(self), self.rule, self.chunk, self.position)
