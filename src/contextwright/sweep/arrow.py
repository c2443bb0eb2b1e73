"""pyarrow, which the extra `sweep` brings."""

from contextwright.optional_imports import optional_imports

with optional_imports("sweep", "pyarrow", "pyarrow"):
    import pyarrow as pa
    import pyarrow.parquet as pq

__all__ = ["pa", "pq"]
