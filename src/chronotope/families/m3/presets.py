"""How the authors ran each model: frames, rate, size, streams and reasoning (M3-Verse specification, section 10.1)."""

from chronotope.families import Preset

_FEW = 60  # frames of each video

PRESETS = {
    "gpt-5": Preset({"frames": 200, "size": "native"}, {"reasoning_effort": "low"}),
    "gemini-2.5-pro": Preset({"rate": 2.0, "size": "native"}, {"thinking": 128}),
    "qwen3-vl-235b": Preset({"rate": 1.0, "size": "448x448"}),
    "qwen3-vl": Preset({"frames": 200, "size": "448x448"}),
    "internvl3.5": Preset({"frames": _FEW, "size": "448x448"}),
    "videollama3": Preset({"frames": _FEW, "size": "336x448"}),
    "video-xl-2": Preset({"frames": 200, "size": "448x448", "videos": "joined"}),
}
