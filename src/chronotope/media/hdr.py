"""Pictures of HDR clips (PQ and HLG) and of wide colours, as a screen with the usual range shows them.

The signal becomes light (ITU-R BT.2100), in units of the reference white (203 cd/m2, ITU-R BT.2408). The primaries of
BT.2020 become those of BT.709, the brightest light is compressed, and the result is encoded as sRGB.
"""

from functools import cache

import numpy as np
from av import VideoFrame

_PQ, _HLG = 16, 18  # transfer characteristics (ITU-T H.273)
_BT2020 = 9  # primaries
_WHITE = 203.0  # cd/m2, light of white paper in an HDR picture
_PEAK = 1000.0  # cd/m2, brightest light of an HLG screen
_KNEE = 0.9  # light above this part of the reference white is compressed
_LUMA = np.array([0.2627, 0.6780, 0.0593], np.float32)
_TO_BT709 = np.array(
    [[1.660491, -0.587641, -0.072850], [-0.124550, 1.132900, -0.008349], [-0.018151, -0.100579, 1.118730]], np.float32
)


def needs_mapping(frame: VideoFrame) -> bool:
    """Check whether a frame has an HDR signal or wide primaries."""
    return frame.color_trc in (_PQ, _HLG) or frame.color_primaries == _BT2020


def to_sdr(signal: np.ndarray, frame: VideoFrame) -> np.ndarray:
    """Map the colours of a picture to sRGB uint8 (height, width, 3).

    ``signal`` (height, width, 3) uint16 is RGB with the transfer characteristics and the primaries of ``frame``.
    """
    light = _light_of(int(frame.color_trc))[signal]
    if frame.color_trc == _HLG:  # an HLG screen brightens the whole pixel
        light *= np.maximum(light @ _LUMA, 1e-9)[..., None] ** np.float32(0.2) * np.float32(_PEAK / _WHITE)
    if frame.color_primaries == _BT2020:
        light = np.maximum(light @ _TO_BT709.T, 0)
    most = np.maximum(light.max(axis=2, keepdims=True), np.float32(1e-9))
    rest = 1 - _KNEE
    light *= np.where(most > _KNEE, (_KNEE + rest * (1 - np.exp((_KNEE - most) / rest))) / most, 1)
    low = light * np.float32(12.92)
    encoded = np.where(light <= 0.0031308, low, np.float32(1.055) * light ** np.float32(1 / 2.4) - np.float32(0.055))
    return np.round(np.clip(encoded, 0, 1) * 255).astype(np.uint8)


@cache
def _light_of(transfer: int) -> np.ndarray:
    """Return the light (65536,) float32 of each value of a signal.

    The unit is the reference white; for HLG, it is the brightest light of the scene.
    """
    signal = np.arange(65536) / 65535
    if transfer == _PQ:
        power = signal ** (32 / 2523)
        light = np.maximum(power - 3424 / 4096, 0) / (2413 / 128 - 2392 / 128 * power)
        found = 10_000 / _WHITE * light ** (16384 / 2610)
    elif transfer == _HLG:
        high = (np.exp((signal - 0.55991073) / 0.17883277) + 0.28466892) / 12
        found = np.where(signal <= 0.5, signal**2 / 3, high)
    else:
        found = np.where(signal <= 0.04045, signal / 12.92, ((signal + 0.055) / 1.055) ** 2.4)
    return found.astype(np.float32)
