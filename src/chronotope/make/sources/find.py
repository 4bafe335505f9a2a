"""Search for all recordings, simulated scenes or procedures in the source of a build."""

from pathlib import Path
from typing import Any

from pydantic import ValidationError

from chronotope.errors import InputError
from chronotope.families import Subject, family
from chronotope.io.fields import first_fault
from chronotope.make.jobs.assemble import Failure
from chronotope.make.jobs.request import BuildRequest
from chronotope.make.sources.given_scenes import Origins, given_origins
from chronotope.make.sources.manuals import FromManual
from chronotope.make.sources.origin import FromSource, FromWorld, Origin, WorldName
from chronotope.make.sources.products import FromProduct
from chronotope.make.sources.states import join_states
from chronotope.recording.procedures import read_procedures
from chronotope.recording.sources import Given, passed_over, resolve
from chronotope.world import NO_EMBREE, THOR_SCENES, QualityName, assets_hash, world_kinds


def find_origins(request: BuildRequest, subject: Subject, keep_going: bool, joins_states: bool = False) -> Origins:
    """Find all scenes or all procedures in the source of a request.

    ``subject`` selects scenes or procedures. With ``joins_states``, the saved recordings of one scene are one origin.

    Raises:
        InputError: If nothing is found, or if a flag of the request does not apply to the source.
    """
    source, world = str(request.source), request.world
    build = family(request.family).build
    if world is not None and not build.can_ask_about(world_kinds()[world.world]):
        able = " or ".join(f"world:{name}" for name, kind in world_kinds().items() if build.can_ask_about(kind))
        raise InputError(
            f"{source}: family {request.family} asks nothing about world:{world.world}: build from a folder, or from "
            f"{able}"
        )
    plain = request.given == Given() and request.source_name is None
    if world is None:
        given = given_origins(request, keep_going, plain=plain)
        if given is not None:
            return given
        _refuse_flags_of_worlds(request)
        if subject == "procedure":
            return _manuals(Path(source), request, plain, keep_going)
        single = [FromSource(one, request.given) for one in resolve(Path(source), request.source_name)]
        found: list[Origin] = join_states(single) if joins_states else [*single]
        notes = passed_over(Path(source), request.source_name)
        return Origins(found, notes={source: notes} if notes else {})
    if not plain:
        raise InputError(
            f"{source}: the flags --fps, --kind, --gravity and --source do not apply to a simulated world: leave them "
            "out"
        )
    if subject == "procedure":
        return _products(request, world, keep_going)
    quality, assets = request.drawn_quality or "full", request.drawn_assets
    offered = world_kinds()[world.world].qualities
    if quality not in offered:
        raise InputError(
            f"--quality {quality}: world:{world.world} has no such quality: choose one of {', '.join(offered)}"
        )
    if request.engine == "thor":
        return Origins(_thor_scenes(request, world, quality))
    if assets is not None:
        _require_assets(assets, world.world)
    if world.thor is not None:
        raise InputError(
            f"{source}: {world.thor} is a scene of AI2-THOR: add --engine thor, or give a number or a file"
        )
    options, is_rendered = world_options(request, world.world), bool(request.options.get("render", True))
    notes = []
    if is_rendered and request.quality is None and quality == "full" and "photo" in offered:
        notes.append(NO_EMBREE)
    if assets is not None and request.assets is None:
        notes.append(f"some furniture is from {assets}: for built-in shapes only, name a --quality")
    found_files: list[Origin] = [
        FromWorld(world.world, request.seed, index, quality, file, assets, options=options, is_rendered=is_rendered)
        for index, file in enumerate(world.files())
    ]
    return Origins(found_files, notes={source: tuple(notes)} if notes else {})


def _refuse_flags_of_worlds(request: BuildRequest) -> None:
    """Refuse flags that only simulated worlds have."""
    refused = f"{request.source} is not a simulated world"
    if request.quality is not None:
        raise InputError(
            f"--quality {request.quality}: only simulated worlds have a quality, and {refused}: "
            "leave out the flag, or build from world:table"
        )
    if request.assets is not None:
        raise InputError(
            f"--assets {request.assets}: only simulated homes take assets, and {refused}: leave out the flag"
        )
    for name, value in request.world_options.items():
        raise InputError(
            f"--{_dashed(name)} {value}: only simulated worlds have this flag, and {refused}: leave it out"
        )
    if request.engine != "own":
        raise InputError(
            f"--engine {request.engine}: only simulated homes have an engine, and {refused}: "
            "leave out the flag, or build from world:house"
        )


def _products(request: BuildRequest, world: WorldName, keep_going: bool) -> Origins:
    """Return the products of a workshop.

    Raises:
        InputError: If a flag does not apply, or if a product of a folder cannot be read and ``keep_going`` is False.
    """
    options, kind = world_options(request, world.world), world_kinds()[world.world]
    if world.path is not None and any(options.get(name) for name in ("takes", "mistakes")):
        raise InputError(
            f"{request.source}: products of a folder have manuals, but no videos: leave out --takes and --mistakes, or "
            f"build from world:{world.world}:N"
        )
    quality = request.drawn_quality if options else None
    if quality is None and request.quality is not None:
        raise InputError(
            f"--quality {request.quality}: {request.source} draws no clips and no photographs: leave out the flag"
            + (", or add --takes" if kind.options is not None else "")
        )
    if quality is not None and quality not in kind.qualities:
        raise InputError(
            f"--quality {quality}: world:{world.world} has no such quality: choose one of {', '.join(kind.qualities)}"
        )
    count, failed = (world.count, ()) if world.path is None or kind.count is None else kind.count(world.path)
    if failed and not keep_going:
        raise InputError(f"{failed[0][1]} (with --keep-going, products that cannot be read are left out)")
    return Origins(
        [FromProduct(world.world, request.seed, index, quality, options, world.path) for index in range(count)],
        tuple(Failure(name, reason) for name, reason in failed),
    )


def _dashed(name: str) -> str:
    return name.replace("_", "-")


def world_options(request: BuildRequest, world: str) -> dict[str, Any]:
    """Return the options of a kind of world that differ from their defaults.

    Raises:
        InputError: If the kind of world lacks an option of the request, or if a value is invalid.
    """
    model = world_kinds()[world].options
    for name, value in request.world_options.items():
        if model is None or name not in model.model_fields:
            able = [kind.name for kind in world_kinds().values() if kind.options and name in kind.options.model_fields]
            raise InputError(
                f"--{_dashed(name)} {value}: world:{world} has no such flag: leave out the flag, or build from "
                + ", ".join(f"world:{kind}" for kind in able)
            )
    if model is None:
        return {}
    usual = family(request.family).build.world_options.get(request.profile, {})
    given = {name: value for name, value in usual.items() if name in model.model_fields} | request.world_options
    try:
        return model(**given).model_dump(mode="json", exclude_defaults=True)
    except ValidationError as error:
        raise InputError(f"world:{world}: {first_fault(error)}") from error


def _thor_scenes(request: BuildRequest, world: WorldName, quality: QualityName) -> list[Origin]:
    """Return the scenes of AI2-THOR that a request names."""
    if not world_kinds()[world.world].takes_engine:
        able = ", ".join(f"world:{name}" for name, kind in world_kinds().items() if kind.takes_engine)
        raise InputError(
            f"--engine thor: AI2-THOR does not film world:{world.world}: leave out the flag, or build from {able}"
        )
    for name, value in request.world_options.items():
        raise InputError(f"--{_dashed(name)} {value}: belongs to our own homes: leave out the flag, or --engine thor")
    if request.assets is not None:
        raise InputError(f"--assets {request.assets}: AI2-THOR has its own furniture: leave out the flag")
    if world_kinds()[world.world].qualities[quality].baked:
        raise InputError(f"--quality {quality}: AI2-THOR has its own light: choose fast or full, or leave out the flag")
    if world.count > len(THOR_SCENES):
        raise InputError(f"{request.source}: AI2-THOR has {len(THOR_SCENES)} scenes: name at most so many")
    if world.path is None:
        scenes = THOR_SCENES[: world.count] if world.thor is None else (world.thor,)
        return [
            FromWorld(world.world, request.seed, index, quality, engine="thor", thor=scene)
            for index, scene in enumerate(scenes)
        ]
    return [
        FromWorld(world.world, request.seed, index, quality, file, engine="thor")
        for index, file in enumerate(world.files())
    ]


def _require_assets(folder: Path, world: str) -> None:
    """Check that a world takes assets, and that the folder has them."""
    if not world_kinds()[world].takes_assets:
        able = ", ".join(f"world:{name}" for name, kind in world_kinds().items() if kind.takes_assets)
        raise InputError(f"--assets {folder}: world:{world} takes no assets: leave out the flag, or build from {able}")
    assets_hash(folder)


def _manuals(path: Path, request: BuildRequest, plain: bool, keep_going: bool) -> Origins:
    if not plain and request.given != Given():
        raise InputError(f"{path}: the flags --fps, --kind and --gravity do not apply to procedures: leave them out")

    read = read_procedures(path, form=request.source_name, keep_going=keep_going)
    failures = tuple(Failure(name, reason) for name, reason in read.failures)
    found: list[Origin] = [FromManual(procedure) for procedure in read.procedures]
    return Origins(found, failures, {str(path): read.notes} if read.notes else {})
