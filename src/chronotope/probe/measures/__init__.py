"""The measures of a probe: pure functions of arrays, without models and files."""

from chronotope.probe.measures.answered import Contrast, contrast
from chronotope.probe.measures.influence import Change, Mean, modality_influence, paired_change, summarize
from chronotope.probe.measures.pairs import PairSample, Population, sample_pairs, split_groups
from chronotope.probe.measures.retrieval import Retrieval, retrieval
from chronotope.probe.measures.separation import PairClassifier, Separation, fit_pairs, measure_pairs
from chronotope.probe.measures.shares import attention_shares
from chronotope.probe.measures.similarity import Similarity, similarity, similarity_change

__all__ = [
    "Change",
    "Contrast",
    "Mean",
    "PairClassifier",
    "PairSample",
    "Population",
    "Retrieval",
    "Separation",
    "Similarity",
    "attention_shares",
    "contrast",
    "fit_pairs",
    "measure_pairs",
    "modality_influence",
    "paired_change",
    "retrieval",
    "sample_pairs",
    "similarity",
    "similarity_change",
    "split_groups",
    "summarize",
]
