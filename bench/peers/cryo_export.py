"""Exports blocks with cryo: cryo_export.py BLOCKS URL FOLDER"""
import sys
import cryo

blocks, url, folder = sys.argv[1:]
cryo.freeze(
    ["blocks", "transactions", "logs"],
    include_columns=["all"],
    blocks=[f"0:{blocks}"],
    rpc=url,
    output_dir=folder,
    no_verbose=True,
)
