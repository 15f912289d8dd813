"""The record of measurements in a strategy's folder."""

from collections.abc import Mapping
from math import isfinite

from msgspec.structs import replace

from limpet.configs.loading import load_yaml
from limpet.strategies.blueprint.model_card import HALF_WIDTH, MBB, model_card
from limpet.strategies.blueprint.strategy_file import CARD, MANIFEST, Manifest, StrategyFile, write_manifest
from limpet.strategies.blueprint.training_curve import CURVE, read_curve
from limpet.strategies.statistics.estimate import Estimate


def record(file: StrategyFile, what: str, command: str, found: Mapping[str, Estimate]) -> Manifest:
    """Put numbers into the manifest's `quality`, and write the model card again; the strategy itself stays as it is.

    Args:
        what: name of the measure.
        command: the whole command, so that the measurement can be repeated.
        found: chips a hand by name; NAME becomes ``NAME_mbb`` and, unless exact, ``NAME_half_width_mbb``, both in mbb/g.

    Returns the new manifest. Raises `ValueError` for numbers without an interval and for a folder that cannot be written.
    """
    unit = 1000 / file.game.big_blind
    made = load_yaml(file.folder / MANIFEST, Manifest)
    if made.sha256 != file.manifest.sha256:
        raise ValueError(f"{file.folder}: the strategy was replaced while it was measured; measure it again")
    quality = dict(made.quality)
    for name, estimate in found.items():
        if not isfinite(estimate.half_width):
            raise ValueError(f"{name}: from one board alone there is no interval to record; measure on more boards")
        quality[name + MBB] = round(estimate.mean * unit, 6)
        quality.pop(name + HALF_WIDTH, None)
        if estimate.half_width:
            quality[name + HALF_WIDTH] = round(estimate.half_width * unit, 6)
    measured_by = {**made.measured_by, what: command}
    manifest = replace(made, quality=quality, measured_by=measured_by)
    try:
        card = model_card(manifest, file.game, read_curve(file.folder / CURVE))
        (file.folder / CARD).write_text(card, encoding="utf-8")
        write_manifest(file.folder, manifest)
    except OSError as error:
        raise ValueError(
            f"{error.filename or file.folder}: {error.strerror}; copy the strategy to where you may write, and name the copy"
        ) from error
    return manifest
