"""The layers of a probe: each module has one object ``LAYER``, and is found by listing this folder."""

import pkgutil
from importlib import import_module

from chronotope.errors import InputError
from chronotope.probe.layer import Layer


def _list_layers() -> dict[str, Layer]:
    layers = [import_module(f"{__name__}.{module.name}").LAYER for module in pkgutil.iter_modules(__path__)]
    return {layer.name: layer for layer in sorted(layers, key=lambda layer: layer.place)}


LAYERS = _list_layers()


def layer_of(name: str) -> Layer:
    """Return the layer with a name.

    Raises:
        InputError: If there is no such layer.
    """
    if name not in LAYERS:
        raise InputError(f"--layer {name}: expected one of {', '.join(LAYERS)}")
    return LAYERS[name]
