"""Correlation, agreement, intervals, exact and approximate DTW: arrays in, numbers out."""

from aptone.stats.accuracy import tolerance_accuracy
from aptone.stats.agreement import krippendorff_alpha, majority_agreement, mean_pairwise_cosine
from aptone.stats.correlation import average_ranks, concordance, kendall, pearson, samplewise_tau, spearman
from aptone.stats.dtw import dtw, dtw_path
from aptone.stats.fast_dtw import fast_dtw
from aptone.stats.icc import icc_2_1
from aptone.stats.intervals import bootstrap
from aptone.stats.paired import PairedComparison, holm, paired_difference, paired_statistic_difference
from aptone.stats.regression import isotonic

__all__ = [
    "PairedComparison",
    "average_ranks",
    "bootstrap",
    "concordance",
    "dtw",
    "dtw_path",
    "fast_dtw",
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
