"""Manifests kept as artifacts, beside the evidence that their packs name
(context-packs.md#manifest)."""

from contextwright.argument_types import expect_types
from contextwright.compiler.manifest import Manifest, manifest_from_json
from contextwright.compiler.pack import Pack
from contextwright.errors import MalformedRecord, StoreError
from contextwright.stores.store import ArtifactStore
from contextwright.tasks.plan_step import folder_of, segment

NAME = "manifest.json"


def store_manifest(pack: Pack, artifacts: ArtifactStore) -> str:
    """Store a pack's manifest; the ref, such as
    `artifact://tasks/42/3/pack_task_42_step_3_0f3c.../manifest.json`."""
    where = "store_manifest(pack, artifacts)"
    expect_types(where, StoreError, pack=(pack, Pack))
    if not callable(getattr(artifacts, "put", None)):
        raise StoreError(
            f"expected a store of artifacts, got {type(artifacts).__name__}",
            where=where,
            fix='such as FileArtifacts("artifacts")',
        )
    manifest = pack.manifest
    folder = f"sessions/{segment(manifest.session_id)}"
    if manifest.step_id:
        folder = folder_of(manifest.task_id, manifest.step_id)
    return artifacts.put(manifest.to_json(), name=f"{folder}/{manifest.pack_id}/{NAME}")


def read_manifest(ref: str, artifacts: ArtifactStore) -> Manifest:
    """A manifest that was kept.

    Raises:
        RefError: the ref does not resolve. StoreError: what it names is no manifest.
    """
    try:
        return manifest_from_json(artifacts.get(ref))
    except MalformedRecord as error:
        raise StoreError(
            error.what, where=ref, fix="give a ref that store_manifest() gave"
        ) from error
