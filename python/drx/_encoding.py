"""Translates the compression settings of NetCDF, h5netcdf and Zarr to codecs of DRX.

Settings with an exact equivalent are accepted. All others are refused with an error that suggests a
codec, so that nothing is compressed differently than requested. The arguments of hdf5plugin are
numbers of HDF5's filters.
"""

from __future__ import annotations

from typing import Any, Mapping

import numpy as np

from ._errors import InvalidError

ZARR = ("compressor", "compressors", "filters")
NETCDF = ("zlib", "compression", "compression_opts", "complevel", "shuffle", "blosc_shuffle", "fletcher32", "contiguous")
DROPPED = ("source", "original_shape", "unlimited_dims")  # of files that were read
KEYS = (*ZARR, *NETCDF, *DROPPED)
WORDS = (*ZARR, *NETCDF)

SHUFFLES = ("noshuffle", "shuffle", "bitshuffle")
INNER = ("blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd")  # of Blosc, by their numbers in HDF5's filter
PLUGINS = {32001: "blosc", 32004: "lz4", 32015: "zstd"}


def codec_of(what: str, codec: Any, given: Mapping[str, Any], itemsize: int) -> str | None:
    """The codec that arguments name: a text of DRX, an object of Zarr, or the keywords of other
    formats."""
    chosen = {**given, "codec": codec}
    resolve_codec(what, chosen, itemsize)
    return chosen["codec"]


def _text(what: str, codec: Any, itemsize: int) -> str | None:
    if codec is None or isinstance(codec, str):
        return codec
    if isinstance(codec, Mapping) and "compression" in codec:  # as hdf5plugin's
        return _of_netcdf(what, codec)
    return _of_object(what + "codec ", codec, itemsize)


def resolve_codec(what: str, chosen: dict[str, Any], itemsize: int) -> None:
    """Replaces the settings of other formats by the codec. itemsize is the size of the stored
    elements."""
    if "codec" in chosen:
        chosen["codec"] = _text(what, chosen["codec"], itemsize)
    found = [given for given in (_of_zarr(what, chosen, itemsize), _of_netcdf(what, chosen)) if given is not None]
    for key in KEYS:
        chosen.pop(key, None)
    if "codec" in chosen and chosen["codec"] is not None:
        found.append(chosen["codec"])
    if len(set(found)) > 1:
        raise InvalidError(f"{what}{' and '.join(map(repr, found))}: want one codec")
    if found:
        chosen["codec"] = found[0]


def _of_zarr(what: str, chosen: Mapping[str, Any], itemsize: int) -> str | None:
    if not _nothing(chosen.get("filters")):
        raise InvalidError(f"{what}filters {chosen['filters']!r}: DRX has none: leave them out, or give codec='blosc:zstd:5:shuffle', "
                           "which shuffles bytes")
    codec = None
    for key in ZARR[:2]:
        if key not in chosen:
            continue
        given = chosen[key]
        if isinstance(given, (list, tuple)) and len(given) > 1:
            raise InvalidError(f"{what}{key} {given!r}: DRX has one codec: give one")
        one = given[0] if isinstance(given, (list, tuple)) and given else given
        codec = "none" if _nothing(one) else _of_object(f"{what}{key} ", one, itemsize)
    return codec


def _nothing(x: Any) -> bool:
    return x is None or x is False or isinstance(x, (list, tuple, str)) and len(x) == 0


def _of_object(what: str, given: Any, itemsize: int) -> str:
    """The codec for an object of numcodecs or of Zarr 3, or for a description of one."""
    config = given
    for method in "get_config", "to_dict":
        if hasattr(given, method):
            config = getattr(given, method)()
    if not isinstance(config, Mapping) or not isinstance(config.get("id", config.get("name")), str):
        raise InvalidError(f"{what}{given!r}: want a codec of Zarr, as numcodecs.Zstd(3), or give codec='zstd:3'")
    kind = config.get("id", config.get("name")).removeprefix("numcodecs.")
    options = {**config, **config.get("configuration", {})}
    if kind == "zstd":
        return _zstd(what, options.get("level", 0))
    if kind == "lz4" and options.get("acceleration", 1) == 1:
        return "lz4"
    if kind == "blosc":
        shuffle = options.get("shuffle", 1)
        if shuffle == -1:
            shuffle = 2 if itemsize == 1 else 1
        return _blosc(what, options.get("cname", "lz4"), options.get("clevel", 5), shuffle, options.get("blocksize", 0))
    raise InvalidError(f"{what}{_shown(kind, options)}: {_ways(options.get('level'))}")


def _of_netcdf(what: str, chosen: Mapping[str, Any]) -> str | None:
    kind, options = chosen.get("compression"), chosen.get("compression_opts")
    level = chosen.get("complevel", options if isinstance(options, (int, np.integer)) else None)
    if chosen.get("contiguous") and any(chosen.get(key) is not None for key in ("chunks", "chunksizes")):
        raise InvalidError(f"{what}contiguous and extents of chunks: want one of them")
    if chosen.get("zlib") or kind in ("zlib", "gzip"):
        raise InvalidError(f"{what}{'zlib' if chosen.get('zlib') else kind}: {_ways(level, chosen.get('shuffle'))}")
    if _nothing(kind):
        if level or chosen.get("shuffle"):
            key = "complevel" if level else "shuffle"
            raise InvalidError(f"{what}{key} {chosen.get(key, level)!r} without a compression, which compresses nothing: {_ways(level, chosen.get('shuffle'))}")
        return "none" if "compression" in chosen or "zlib" in chosen else None
    if not isinstance(kind, str):
        return _of_plugin(what, kind, options)
    if kind == "zstd" and not chosen.get("shuffle"):
        return _zstd(what + "compression ", 4 if level is None else level)
    if kind.startswith("blosc_") and not chosen.get("shuffle"):
        return _blosc(what + "compression ", kind.removeprefix("blosc_"), 4 if level is None else level, chosen.get("blosc_shuffle", 1))
    raise InvalidError(f"{what}compression {kind!r}{' with shuffle' if chosen.get('shuffle') else ''}: {_ways(level, chosen.get('shuffle'))}")


def _of_plugin(what: str, number: Any, options: Any) -> str:
    """The codec for an HDF5 filter, as hdf5plugin names it."""
    what += "compression "
    kind, options = PLUGINS.get(number), tuple(options or ())
    if kind == "zstd":
        return _zstd(what, options[0] if options else 3)
    if kind == "lz4" and not any(options):  # in blocks of the size that it chooses
        return "lz4"
    if kind == "blosc" and len(options) == 7 and options[6] in range(len(INNER)):
        return _blosc(what, INNER[options[6]], options[4], options[5])
    raise InvalidError(f"{what}{number!r} with compression_opts {options!r}: {_ways(None)}")


def _zstd(what: str, level: Any) -> str:
    if level == 0:
        level = 3  # the meaning of 0 in the library
    if not _is_level(level, 22):
        raise InvalidError(f"{what}zstd of level {level!r}: levels are from 1 to 22: give codec='zstd:3'")
    return f"zstd:{level}"


def _blosc(what: str, inner: Any, level: Any, shuffle: Any, blocksize: Any = 0) -> str:
    shuffle = SHUFFLES[shuffle] if shuffle in (0, 1, 2) else shuffle
    if inner not in ("lz4", "lz4hc", "zstd") or not _is_level(level, 9) or shuffle not in SHUFFLES or blocksize:
        asked = f"blosc with {inner!r}, level {level!r}, {shuffle!r}" + (f", blocks of {blocksize}" if blocksize else "")
        raise InvalidError(f"{what}{asked}: DRX has blosc with lz4, lz4hc and zstd, levels from 1 to 9, {', '.join(SHUFFLES)}, and chooses the blocks: "
                           "give codec='blosc:zstd:5:shuffle'")
    return f"blosc:{inner}:{level}:{shuffle}"


def _is_level(level: Any, most: int) -> bool:
    return isinstance(level, (int, np.integer)) and not isinstance(level, bool) and 1 <= level <= most


def _shown(kind: str, options: Mapping[str, Any]) -> str:
    kept = {k: x for k, x in options.items() if k not in ("id", "name", "configuration")}
    return kind + (f" with {', '.join(f'{k} {x!r}' for k, x in kept.items())}" if kept else "")


def _ways(level: Any, shuffle: Any = True) -> str:
    """A suggestion that replaces a compression that DRX lacks."""
    level = int(level) if _is_level(level, 9) else 5
    return f"DRX has zstd, lz4 and blosc: give codec='{f'blosc:zstd:{level}:shuffle' if shuffle else f'zstd:{level}'}'"
