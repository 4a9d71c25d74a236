"""Styles, scripts and icons, cached by browsers under a versioned path."""

from __future__ import annotations

import os

from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from docyard.web.view.templates import STATIC_FOLDER, static_version


class VersionedFiles(StaticFiles):
    """Static files at /static/<version>/<file>.

    All files share one version, because scripts import each other by relative path.
    """

    def __init__(self) -> None:
        super().__init__(directory=STATIC_FOLDER)

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Return the file; browsers must revalidate it on each use unless the URL has the current version."""
        version, _, name = path.replace(os.sep, "/").partition("/")
        response = await super().get_response(name, scope)
        current = version == static_version()
        response.headers["Cache-Control"] = "public, max-age=31536000, immutable" if current else "no-cache"
        return response
