"""Reading descriptions of a voice by anybody: what they state, deny, hedge and compare, and which words are left over.

One reader serves every room: `statements` puts the parts together. `vocabularies` finds the words, `senses` decides
what an ambiguous one means, `scope` finds denials and hedges, `persons` who is meant, `change` what changes over time,
and `coverage` what was not read.
"""

from aptone.ear.reading.coverage import Coverage, coverage
from aptone.ear.reading.statements import Reading, Remark, Statement, read_description

__all__ = ["Coverage", "Reading", "Remark", "Statement", "coverage", "read_description"]
