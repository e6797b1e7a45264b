"""Other packages, which only some parts of this one need: each is an extra of weir-sim."""

import importlib
from types import ModuleType
from typing import Any

from weir.errors import MissingPackage

#: By package: the extra that brings it. Plotly is none: the wheel has its script.
EXTRAS = {
    "matplotlib": "pictures",
    "networkx": "networkx",
    "numpy": "python",
    "pandas": "pandas",
    "polars": "polars",
    "pyarrow": "tables",
    "xarray": "xarray",
}


def needed(module: str, what: str) -> Any:
    """A module of another package, for `what` is to be done.

    Raises `MissingPackage`, whose hint is how to install it, if it is not installed.
    """
    package = module.partition(".")[0]
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name != package:
            raise
        extra = EXTRAS.get(package)
        hint = f"python3 -m pip install 'weir-sim[{extra}]'" if extra else f"python3 -m pip install {package}"
        problem = f"{what} needs the package {package}, which is not installed"
        raise MissingPackage(f"{problem}\n\nhint: {hint}", name=package) from error


class Later(ModuleType):
    """A module that is imported when something of it is asked for."""

    def __init__(self, module: str, what: str) -> None:
        """For `needed`."""
        super().__init__(module)
        self._what = what

    def __getattr__(self, name: str) -> Any:
        """Something of it."""
        return getattr(needed(self.__name__, self._what), name)
