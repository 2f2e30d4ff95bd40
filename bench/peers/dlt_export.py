"""Exports the P-Chain transactions of a REST service with dlt: dlt_export.py BLOCKS URL FOLDER"""
import sys

import dlt
from dlt.sources.rest_api import rest_api_source

_, url, folder = sys.argv[1:]

source = rest_api_source(
    {
        "client": {
            "base_url": url,
            "paginator": {"type": "cursor", "cursor_path": "nextPageToken", "cursor_param": "pageToken"},
        },
        "resources": [
            {
                "name": "transactions",
                "endpoint": {
                    "path": "v1/networks/fuji/blockchains/p-chain/transactions",
                    "params": {"pageSize": 100, "sortOrder": "desc"},
                    "data_selector": "transactions",
                },
            }
        ],
    }
)
destination = dlt.destinations.filesystem(bucket_url=f"{folder}/rows")
pipeline = dlt.pipeline("peer", destination=destination, dataset_name="rows", pipelines_dir=f"{folder}/state")
pipeline.run(source, loader_file_format="parquet")
