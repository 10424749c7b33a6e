"""The feature sync: one memory on several devices, where the home is in a group."""

from ...modules.plugins.feature import Feature, Listed

FEATURE = Feature(
    "sync",
    __package__,
    commands={"sync": Listed("commands.sync", "import")},
    jobs={"sync": Listed("job.JOB", "queue_worker")},
    at_home="wiring.with_sync",
    mounted="webdav_routes.mounted",
    settings=("sync_user", "sync_password", "http_sync_mib"),
)
