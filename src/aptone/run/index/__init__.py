"""Index of a journal on disk: pages, filters and sums over runs of any length."""

from aptone.run.index.journal_index import JournalIndex, index_file
from aptone.run.index.pairs import PAIRED_ORDERS, PairedIndexes, PairedRow
from aptone.run.index.rows import IndexedRow, RowFilter, ScoreScale, ScoreSummary

__all__ = [
    "PAIRED_ORDERS",
    "IndexedRow",
    "JournalIndex",
    "PairedIndexes",
    "PairedRow",
    "RowFilter",
    "ScoreScale",
    "ScoreSummary",
    "index_file",
]
