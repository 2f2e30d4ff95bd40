import { usualUnit } from '../../pipelines/shared/index-pipeline.ts'

/** What `chainlake init` writes: every key, with what it does and its default. */
export const configTemplate = `# yaml-language-server: $schema=SCHEMA_PATH
# chainlake.yaml: read from the folder in which chainlake runs, or with --config FILE.
# Flags override the environment (CHAINLAKE_…), which overrides this file.

# Base URL of the node. It must run with --index-enabled=true.
node-url: http://127.0.0.1:9650

# Folder of the lake, relative to this file.
lake: ./output
# With its files in S3; credentials as AWS tools take them, never here:
# lake: { catalog: ./lake, data: s3://bucket/prefix, endpoint: https://s3.example, region: us-east-1, path-style: true,
#         cache: ./cache, cache-size: 2GB, max-download: 10GB }

# Requests under way at the same time.
# concurrency: 4

# Threads that share a range of containers or blocks; as many as are worth it, at most 4, when absent.
# threads: 2

# Time that one request may take: 500ms, 30s, 2m.
# timeout: 30s

# Network id, for a node that does not tell it; a node of another network is refused.
# network-id: 1

# How often a request is tried before the run ends. What is committed stays.
# tries: 8

# The longest wait that a service may dictate (429 with Retry-After: 3600). For a longer one the run commits what is whole and ends with
# exit code 7, to be continued; with --follow the job pauses.
# max-wait: 15m

# With --follow: commit at least this often.
# max-lag: 60s

# While following, and at the end of a run: merge small files as they pile up; each row is written anew at most three times.
# compact: true

# Forget snapshots that are older, once a day or more often, and remove the files that only those named 24 hours later. Without this, merged
# files stay until chainlake expire: rows are never lost, but the disk and the catalog fill up.
# expire: 30d

# debug, info, warn, error or silent.
# log-level: info

# The REST service and its metrics host, which pipelines such as rest-transactions, rewards or tps read.
# service:
#   # devnet (a simulated network), neutral (the names of the specification), public, or a YAML file.
#   profile: public
#   # What differs from the profile, such as where it is; \${NAME} and \${NAME:-default} come from the environment.
#   data-url: https://data.example
#   metrics-url: https://metrics.example
#   # The API key is never written here: it comes from CHAINLAKE_API_KEY, another variable, or a file.
#   key-env: MY_API_KEY
#   key-file: ./api-key.txt

# A job is a pipeline with parameters. \`chainlake run p-chain\` runs one, \`chainlake run --all\` all of them.
jobs:
  p-chain:
    pipeline: p-blocks
    # First container index, inclusive, and last one, exclusive.
    # from: 0
    # to: 100000
    # Containers per commit.
    # unit: ${usualUnit}
    # Blockchain id of another chain of the same kind, for pipelines of the X chain.
    # chain: ID
    # Also write the raw containers to the table containers.
    # raw: true

  # Jobs that read the service; \`chainlake describe PIPELINE\` shows the parameters of a pipeline.
  # transactions:
  #   pipeline: rest-transactions
  #   network: mainnet
  #   blockchain: p-chain
  # my-rewards:
  #   pipeline: rewards
  #   network: mainnet
  #   # A list is inline, from a file with one value a line, or from a query on the lake.
  #   addresses: [P-avax1…, P-avax1…]
  #   addresses: { file: ./addresses.txt }
  #   addresses: { query: select distinct address from p_output_addresses }
`
