"""The Python package can be imported and says which version it is."""

import os
import pathlib
import re

import tendril

SOURCE = pathlib.Path(os.environ["TENDRIL_SOURCE"])
version = re.search(r"project\(Tendril VERSION ([\d.]+)", (SOURCE / "CMakeLists.txt").read_text())[1]
assert tendril.__version__ == version, tendril.__version__
assert tendril.__commit__
