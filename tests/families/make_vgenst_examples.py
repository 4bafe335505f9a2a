"""Write the examples that agents of VGenST-Bench see anew, after the graphs or scenarios of code have changed.

usage: PYTHONPATH=src python tests/families/make_vgenst_examples.py

Each task keeps its themes, as long as they are drawn; others are replaced by themes of the same pool.
"""

import json
from pathlib import Path

from chronotope.families.vgenst.agents import examples
from chronotope.families.vgenst.agents.items import Item
from chronotope.families.vgenst.agents.scene_graphs import drawn_graph
from chronotope.families.vgenst.agents.storylines import drawn_scenario
from chronotope.families.vgenst.agents.translators import drawn_image_prompt, drawn_video_prompt
from chronotope.world.kinds.stage.graph import POOLS, TASKS

FOLDER = Path(examples.__file__).parent / "examples" / examples.VERSION
SEED = 7


def main() -> None:
    """Write one file for each task."""
    for task, of in TASKS.items():
        place = FOLDER / f"{task}.json"
        old = [entry["theme"] for entry in json.loads(place.read_text("utf-8"))]
        drawn = POOLS[of.theme_pool].drawn
        kept = [theme for theme in drawn if theme.name in old]
        themes = [*kept, *(theme for theme in drawn[:: max(1, len(drawn) // 7)] if theme not in kept)][: len(old)]
        entries = []
        for index, theme in enumerate(themes):
            graph = drawn_graph(Item(task, theme, index), "paper", SEED)
            scenario = drawn_scenario(graph)
            entries.append(
                {
                    "theme": theme.name,
                    "graph": graph.model_dump(mode="json"),
                    "scenario": scenario.model_dump(mode="json"),
                    "image_prompt": drawn_image_prompt(graph),
                    "video_prompt": drawn_video_prompt(graph, scenario),
                }
            )
        place.write_text(json.dumps(entries, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
