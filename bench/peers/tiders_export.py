"""Exports blocks with tiders: tiders_export.py BLOCKS URL FOLDER"""
import asyncio
import os
import sys
from dataclasses import fields

import pyarrow.parquet as parquet
from tiders_core.ingest import ProviderConfig, ProviderKind, Query, QueryKind, evm, start_stream

blocks, url, folder = sys.argv[1:]


def all_of(kind):
    return kind(**{field.name: True for field in fields(kind)})


async def write(**query):
    """Writes the tables of one stream, a file each."""
    rows = evm.Query(from_block=0, to_block=int(blocks) - 1, **query)
    provider = ProviderConfig(kind=ProviderKind.RPC, url=url, stop_on_head=True)
    stream = start_stream(provider, Query(kind=QueryKind.EVM, params=rows))
    writers = {}
    while (tables := await stream.next()) is not None:
        for name, batch in tables.items():
            if batch.num_rows == 0:
                continue
            if name not in writers:
                writers[name] = parquet.ParquetWriter(f"{folder}/{name}.parquet", batch.schema, compression="zstd")
            writers[name].write_batch(batch)
    for writer in writers.values():
        writer.close()


async def main():
    chosen = evm.Fields(block=all_of(evm.BlockFields), transaction=all_of(evm.TransactionFields))
    await write(include_all_blocks=True, transactions=[evm.TransactionRequest()], fields=chosen)
    await write(logs=[evm.LogRequest()], fields=evm.Fields(log=all_of(evm.LogFields)))


asyncio.run(main())
# One run of ten crashes in threads of tiders-core while Python ends, after all files are closed.
os._exit(0)
