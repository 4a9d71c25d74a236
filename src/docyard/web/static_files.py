"""Styles, scripts and icons, kept by browsers for as long as they do not change."""

from __future__ import annotations

import os

from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from docyard.web.view.rendering import STATIC_FOLDER, static_version


class VersionedFiles(StaticFiles):
    """Serves /static/<version>/<file>; scripts import each other relatively, so all share the version."""

    def __init__(self) -> None:
        super().__init__(directory=STATIC_FOLDER)

    async def get_response(self, path: str, scope: Scope) -> Response:
        """One file; under another version, as during an upgrade, the newest there is, not to be kept."""
        version, _, name = path.replace(os.sep, "/").partition("/")
        response = await super().get_response(name, scope)
        lasting = version == static_version()
        response.headers["Cache-Control"] = "public, max-age=31536000, immutable" if lasting else "no-cache"
        return response
