"""Correlation, agreement, intervals, exact DTW: arrays in, numbers out."""

from aptone.stats.accuracy import tolerance_accuracy
from aptone.stats.alpha import krippendorff_alpha
from aptone.stats.correlation import concordance, kendall, pearson, samplewise_tau, spearman
from aptone.stats.cosine import mean_pairwise_cosine
from aptone.stats.dtw import dtw, dtw_path
from aptone.stats.icc import icc_2_1
from aptone.stats.intervals import bootstrap
from aptone.stats.isotonic import isotonic
from aptone.stats.majority import majority_agreement
from aptone.stats.paired import PairedComparison, holm, paired_difference, paired_statistic_difference
from aptone.stats.ranks import average_ranks

__all__ = [
    "PairedComparison",
    "average_ranks",
    "bootstrap",
    "concordance",
    "dtw",
    "dtw_path",
    "holm",
    "icc_2_1",
    "isotonic",
    "kendall",
    "krippendorff_alpha",
    "majority_agreement",
    "mean_pairwise_cosine",
    "paired_difference",
    "paired_statistic_difference",
    "pearson",
    "samplewise_tau",
    "spearman",
    "tolerance_accuracy",
]
