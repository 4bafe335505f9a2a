"""Recording of the states and the attention of a model during one forward pass.

The depth k means the states after k layers of the decoder. Depth 0 has the embeddings, in which vision features already
replace the placeholders. The last depth is before the final norm. The modules import PyTorch only inside functions.
"""

from chronotope.probe.capture.attention import attention_layers, attention_rows, spread
from chronotope.probe.capture.capture import Captured, Wanted, capture, run_captured
from chronotope.probe.capture.hooks import depth_hook, depths_of
from chronotope.probe.capture.selftest import check_attention
from chronotope.probe.capture.vision import VisionTaps

__all__ = [
    "Captured",
    "VisionTaps",
    "Wanted",
    "attention_layers",
    "attention_rows",
    "capture",
    "check_attention",
    "depth_hook",
    "depths_of",
    "run_captured",
    "spread",
]
