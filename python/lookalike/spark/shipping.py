"""The package of the driver, sent to executors that do not have it.

The package is packed into an archive, which Spark unpacks beside the files of the session, and that folder is where Python workers look
for modules first. The native module is built for every Python from 3.9 on, so only the system must be the same: Linux of the same
processor, with a C library at least as new as the one that the wheel asks for.
"""

from __future__ import annotations

import atexit
import os
import pathlib
import shutil
import tempfile
import zipfile
from typing import TYPE_CHECKING

import pyspark

from ..errors import SettingError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["ship"]

_PACKAGE = "lookalike"
_SHIPPED = "spark.lookalike.shipped"
"""A setting of the session: which archive it has."""


def ship(spark: "SparkSession") -> None:
    """Sends the package that the driver has to all executors of a session. They need Python, PyArrow and NumPy only.

    Call it once, before the first job. (In a session that it was called for already, it does nothing.)
    """
    if spark.conf.get(_SHIPPED, None) is not None:
        return
    archive = _packed()
    named = f"{archive}#{_PACKAGE}"
    try:
        if _takes_artifacts(spark):
            spark.addArtifact(named, archive=True)
        else:
            spark.sparkContext.addArchive(named)
    except Exception as error:
        raise SettingError(f"the package cannot be sent to the executors: {error}") from error
    spark.conf.set(_SHIPPED, archive)


def _takes_artifacts(spark: "SparkSession") -> bool:
    """True if the session takes archives itself. In Spark 3.5 only one of Spark Connect does, though others have the method too."""
    return int(pyspark.__version__.split(".")[0]) >= 4 or ".connect." in type(spark).__module__


def _packed() -> str:
    """The path of an archive of the installed package. It lives as long as this process."""
    package = pathlib.Path(__file__).resolve().parents[1]
    folder = tempfile.mkdtemp(prefix="lookalike-ship-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    path = os.path.join(folder, f"{_PACKAGE}.zip")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(package.rglob("*")):
            if file.is_file() and "__pycache__" not in file.parts:
                archive.write(file, file.relative_to(package))
    return path
