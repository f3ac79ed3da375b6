"""An archive in memory."""

import io
import tarfile


def tar(*members, form=tarfile.GNU_FORMAT):
    """An archive of files, given as (name, content), and of other members."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=form) as archive:
        for member in members:
            info = member if isinstance(member, tarfile.TarInfo) else tarfile.TarInfo(member[0])
            info.size = 0 if isinstance(member, tarfile.TarInfo) else len(member[1])
            archive.addfile(info, None if isinstance(member, tarfile.TarInfo) else io.BytesIO(member[1]))
    return buffer.getvalue()
