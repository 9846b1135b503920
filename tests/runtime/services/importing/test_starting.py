"""What reads imports starts apart, once for each: it loads nothing that it has no use for."""

import subprocess
import sys

READS = "import runtime.services.importing.reading, sys; print(*sys.modules)"


def test_what_reads_has_nothing_of_the_database() -> None:
    done = subprocess.run([sys.executable, "-c", READS], capture_output=True, text=True, check=True)
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert {"bs4", "mammoth"} <= loaded
    assert not loaded & {"sqlalchemy", "pydantic", "flask"}
