import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { usualUnit } from '../../pipelines/shared/parameters.ts'
import { ConfigError, StorageError } from '../errors.ts'
import { packageRoot } from '../lib/package.ts'

/** Writes the commented configuration file. Refuses to overwrite a file. */
export async function writeTemplate(path: string): Promise<void> {
  const text = configTemplate.replace('SCHEMA_PATH', join(packageRoot(), 'chainlake.schema.json'))
  try {
    await writeFile(path, text, { flag: 'wx' })
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST')
      throw new ConfigError(`${path} already exists; it is unchanged.`, {
        code: 'config.exists',
        hint: 'Remove it first, or give another path with --config FILE.',
      })
    throw new StorageError(`${path} cannot be written.`, {
      details: { reason: (cause as Error).message },
      hint: 'Give a path in a folder that exists and can be written to.',
      cause,
    })
  }
}

/** The file that `chainlake init` writes: every key with its meaning and its default. */
export const configTemplate = `# yaml-language-server: $schema=SCHEMA_PATH
# chainlake.yaml: read from the working directory, or from --config FILE.
# Flags override the environment (CHAINLAKE_…), which overrides this file.

# Base URL of the Avalanche node. It must run with --index-enabled=true.
node-url: http://127.0.0.1:9650

# Folder of the lake, relative to this file.
lake: ./output
# With data files in S3 (give credentials as for AWS tools, never here):
# lake: { catalog: ./lake, data: s3://bucket/prefix, endpoint: https://s3.example, region: us-east-1, path-style: true,
#         cache: ./cache, cache-size: 2GB, max-download: 10GB }

# Number of concurrent requests.
# concurrency: 4

# Worker threads for a range of containers or blocks. Default: one per 65,536 of them, at most 4.
# threads: 2

# Timeout of one request: 500ms, 30s, 2m.
# timeout: 30s

# Network id of the node (1 is mainnet), for a node without info API; a node of another network is refused.
# network-id: 1

# Attempts per request before the run fails. Committed data stays.
# tries: 8

# The longest wait that a service may demand (such as 429 with Retry-After: 3600). For a longer wait the run commits finished work and
# ends with exit code 7: run it again later. With --follow the job pauses instead.
# max-wait: 15m

# With --follow: commit at least this often.
# max-lag: 60s

# At the end of a run, and regularly with --follow: merge small files when there are many. Each row is rewritten at most three times.
# compact: true

# Expire snapshots that are older than this, and remove files that only they use 24 hours later. Without this setting, replaced files stay
# until chainlake expire: no rows are lost, but disk and catalog fill up.
# expire: 30d

# Lowest level of log lines: debug, info, warn, error or silent.
# log-level: info

# The REST service and its metrics host, for pipelines such as rest-transactions, rewards or tps.
# service:
#   # devnet (a simulated network), neutral (the names of the specification), public, or a YAML file.
#   profile: public
#   # Overrides of the profile, such as its URL. \${NAME} and \${NAME:-default} are replaced from the environment.
#   data-url: https://data.example
#   metrics-url: https://metrics.example
#   # Never write the API key here: set CHAINLAKE_API_KEY, or name another variable or a file.
#   key-env: MY_API_KEY
#   key-file: ./api-key.txt

# A job is a pipeline with parameters. \`chainlake run p-chain\` runs one job, \`chainlake run --all\` runs all jobs.
jobs:
  p-chain:
    pipeline: p-blocks
    # First height (inclusive) and last one (exclusive).
    # from: 1
    # to: 100000
    # Blocks per commit.
    # unit: ${usualUnit}
    # Also write the raw containers to the table containers.
    # raw: true

  # Jobs that read the REST service; \`chainlake describe PIPELINE\` lists the parameters of a pipeline.
  # transactions:
  #   pipeline: rest-transactions
  #   network: mainnet
  #   blockchain: p-chain
  # my-rewards:
  #   pipeline: rewards
  #   network: mainnet
  #   # A list is written inline, or comes from a file with one value per line, or from a query on the lake.
  #   addresses: [P-avax1…, P-avax1…]
  #   addresses: { file: ./addresses.txt }
  #   addresses: { query: select distinct address from p_output_addresses }
`
