"""Exports blocks with ethereum-etl: etl_export.py BLOCKS URL FOLDER"""
import csv
import inspect
import sys

# A package that it needs calls this function, which Python 3.11 does not have any more.
inspect.getargspec = inspect.getfullargspec
from ethereumetl.cli import cli

blocks, url, folder = sys.argv[1:]


def run(*args):
    cli(list(args), standalone_mode=False)


run(
    "export_blocks_and_transactions", "--start-block", "0", "--end-block", str(int(blocks) - 1), "--provider-uri", url,
    "--blocks-output", f"{folder}/blocks.csv", "--transactions-output", f"{folder}/transactions.csv",
)  # fmt: skip
with open(f"{folder}/transactions.csv") as rows, open(f"{folder}/hashes.txt", "w") as hashes:
    hashes.writelines(f"{row['hash']}\n" for row in csv.DictReader(rows))
run(
    "export_receipts_and_logs", "--transaction-hashes", f"{folder}/hashes.txt", "--provider-uri", url,
    "--receipts-output", f"{folder}/receipts.csv", "--logs-output", f"{folder}/logs.csv",
)  # fmt: skip
