"""Declarations of the further kinds of studies, about the benchmark of people's pages."""

from typing import Any

import yaml

ROUNDS: dict[str, Any] = yaml.safe_load("""
study: rounds
kind: filter-rounds
reviewers: [ada, bob, cleo]
rounds: 2
inspected: 0.25
tolerated: 0.2
reasons: [bad description, the key is wrong]
""")
RANKING: dict[str, Any] = yaml.safe_load("""
study: quality
kind: ranking
reviewers: [dora, ed]
sets: 2
axes: [photorealism, temporal coherence]
sources:
  - {name: Made, truth: fake, clips: "clips/[01].mp4"}
  - {name: Filmed, truth: real, clips: "clips/[23].mp4"}
  - {name: Old, truth: real, clips: "clips/[45].mp4"}
disjoint_from: [rounds]
""")
PRACTICE: dict[str, Any] = yaml.safe_load("""
study: practice
kind: calibration
before: control
reviewers: [ada, bob, cleo]
intact: 1
planted: 1
reasons: [the key is wrong]
""")
LABELS: dict[str, Any] = yaml.safe_load("""
study: why
kind: error-labels
reviewers: [gil, hana]
raters: 2
labels:
  - {name: Inaccurate Spatial Quantification, meaning: a wrong size}
  - {name: Other}
""")
