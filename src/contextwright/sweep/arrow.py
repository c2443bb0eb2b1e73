"""pyarrow, which the extra `sweep` brings."""

from contextwright.errors import MissingExtra

try:
    import pyarrow as pa
    import pyarrow.parquet as pq
except ImportError as error:
    raise MissingExtra("pyarrow", "sweep") from error

__all__ = ["pa", "pq"]
