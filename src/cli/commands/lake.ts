import {
  asOfFlag,
  command,
  jsonFlag,
  lakeFlag,
  modulesFlag,
  nodeFlags,
  ownLakeFlag,
  serviceFlags,
  text,
  yes,
} from '../flags/command.ts'

export const sqlCommand = command({
  usage: 'sql [query]',
  comment: 'Query the views of the lake with DuckDB; without a query, open a prompt',
  argument: 'SQL; of several statements the last answer is printed',
  examples: [
    { line: 'chainlake sql "from p_daily order by day desc limit 10"', says: 'transactions of the P-Chain by day' },
    { line: 'chainlake sql --format csv --file query.sql > result.csv', says: 'the query of a file, as CSV' },
    { line: 'chainlake sql "from p_stakers" --output stakers.parquet', says: 'an answer as a Parquet file' },
    { line: 'chainlake sql', says: 'a prompt' },
  ],
  options: {
    ...lakeFlag,
    format: text(
      'Output format: table, line (one value per line), csv, json or parquet [table, or by the name of --output]',
    ),
    output: { ...text('Write the answer to this file'), alias: 'o' },
    file: { ...text('Read the query from a file'), alias: 'f' },
    examples: yes('List questions that the views answer'),
    example: text('Print and run the SQL of a question'),
    verify: yes('Check the files that the query reads by checksum, not only by size (slower)'),
    ...asOfFlag,
  },
})

export const tablesCommand = command({
  usage: 'tables',
  comment: 'List all tables and views with their descriptions',
  examples: [
    { line: 'chainlake tables', says: 'all tables and views' },
    { line: 'chainlake tables --lake output', says: 'rows, newest time and coverage of each table of a lake' },
  ],
  options: { ...ownLakeFlag, ...jsonFlag, ...modulesFlag },
})

export const describeCommand = command({
  usage: 'describe <name>',
  comment: 'Show the columns of a table or view, or the parameters of a pipeline',
  argument: 'Name of a table, view or pipeline',
  examples: [
    { line: 'chainlake describe p_outputs', says: 'the columns of a table' },
    { line: 'chainlake describe rewards', says: 'the parameters of a pipeline' },
  ],
  options: { ...ownLakeFlag, ...jsonFlag, ...modulesFlag },
})

export const statusCommand = command({
  usage: 'status [stream..]',
  comment: 'Show totals, problems and streams of a lake, or the tables of some streams',
  argument: 'Streams, such as mainnet/P/block, or networks [all]',
  examples: [
    { line: 'chainlake status --lake ./output', says: 'what the lake has' },
    { line: 'chainlake status mainnet/P/block', says: 'coverage, gaps, rows and bytes of the tables of a stream' },
    { line: 'chainlake status --watch', says: 'follow the commits of runs from another terminal, until Ctrl-C' },
    { line: 'chainlake status --max-age 10m', says: 'exit code 9 if a stream did not reach its head in ten minutes' },
    { line: 'chainlake status --max-block-age 1h', says: 'exit code 9 if the newest block of a stream is older' },
  ],
  options: {
    ...lakeFlag,
    watch: yes('Show committed progress until Ctrl-C; without a terminal, a line per change'),
    interval: text('With --watch: time between two readings of the catalog, at least 5s [5s]', 'TIME'),
    'max-age': text(
      'Exit with code 9 when a run last looked at the head of a stream longer ago than this, such as 10m',
    ),
    'max-block-age': text(
      'Exit with code 9 when the newest block of a stream is older than this, such as 1h: its node may stand still',
      'AGE',
    ),
    streams: yes('Show the tables of all streams'),
    except: text('Streams or networks to leave out, separated by commas, such as streams that are not run any more'),
    ...jsonFlag,
  },
})

export const gapsCommand = command({
  usage: 'gaps',
  comment:
    'Show or accept missing ranges below the end of the coverage, per table, and lists with parts that were not read',
  examples: [
    { line: 'chainlake gaps --lake ./output', says: 'what is missing in the lake' },
    { line: 'chainlake gaps --check', says: 'exit code 9 if something is missing, for scripts' },
    { line: 'chainlake gaps --accept --stream mainnet/P/block', says: 'accept what is missing of a stream' },
    { line: 'chainlake gaps --revoke --stream mainnet/P/block', says: 'take the acceptance back' },
  ],
  options: {
    ...lakeFlag,
    check: yes('Exit with code 9 when something is missing that was not accepted'),
    accept: yes('Accept the gaps that exist now: they no longer count as missing'),
    revoke: yes('Take the acceptance of gaps back'),
    stream: text('Only this stream, as status lists it; several separated by commas'),
    table: text('Only this table. A gap of a list is one for all tables of the list'),
    ...jsonFlag,
  },
})

const { 'node-url': _, ...requestFlags } = nodeFlags
const { 'data-url': __, ...profileFlags } = serviceFlags

export const verifyCommand = command({
  usage: 'verify',
  comment: 'Verify files, catalog and rows of the lake; lists all errors and exits with code 6 if there are any',
  examples: [
    { line: 'chainlake verify --lake ./output', says: 'files, catalog and rows' },
    { line: 'chainlake verify --certificate lake.json', says: 'the same, and what was verified' },
    { line: 'chainlake verify --since lake.json', says: 'only what is new since then' },
  ],
  options: {
    ...lakeFlag,
    fast: yes('Check only sizes, metadata and statistics of files: no hashes, no rows'),
    node: text(
      'Also compare a sample of the records with this node, by every API that it offers, and its lists in the columns that never change',
    ),
    rpc: text(
      'Also compare a sample of the blocks, logs, traces and state of an EVM chain with the JSON-RPC API at this URL',
    ),
    service: text(
      'Also compare some pages of each list of the REST service with the service at this URL, or at the one of the configuration (configured): at most 10 requests per list and 500 in all',
      'URL',
    ),
    sample: text('With --node, --rpc or --service: records to compare per stream [1000]'),
    ...profileFlags,
    ...requestFlags,
    certificate: text(
      'If the lake has no errors, write a certificate of its contents to this file: block ids, row counts and table hashes',
    ),
    since: text(
      'Read only the files that are newer than this certificate of the lake, and lists; of the other files check sizes, metadata and statistics',
    ),
    against: text(
      'Only compare the rows of the lake with a certificate, of another lake or of an earlier state of this one',
    ),
    networks: text('Only these networks, separated by commas'),
    tables: text('Only these tables, separated by commas'),
    ...jsonFlag,
  },
})

export const repairCommand = command({
  usage: 'repair',
  comment: 'Remove damaged files from the lake, so that the next run fetches their rows again',
  examples: [
    { line: 'chainlake repair --dry-run', says: 'what is damaged, and what a repair would remove' },
    { line: 'chainlake repair --stream P/block --from 1 --to 1000', says: 'fetch a range again that is not damaged' },
  ],
  options: {
    ...lakeFlag,
    'dry-run': yes('Show what would be removed, and change nothing'),
    'accept-loss': yes('Also remove damaged files with rows that cannot be fetched again: observations and versions'),
    stream: text(
      'Instead remove the coverage of this stream, such as P/block, so that it is fetched again: whole files, which may reach beyond the range',
    ),
    chain: text(
      'Instead remove all rows of this EVM chain of a network, such as evm-43112/43112: another chain may then have its name',
    ),
    from: text('With --stream: first coordinate, inclusive'),
    to: text('With --stream: end of the range, exclusive'),
    tables: text('With --stream: only these tables, separated by commas'),
    ...jsonFlag,
  },
})

export const compactCommand = command({
  usage: 'compact',
  comment: 'Merge small files of each partition into sorted files of up to 200 MB; safe while runs are active',
  examples: [{ line: 'chainlake compact --lake ./output', says: 'merge what many short runs wrote' }],
  options: { ...lakeFlag, ...jsonFlag },
})

export const expireCommand = command({
  usage: 'expire',
  comment: 'Expire old snapshots, and remove files without a snapshot 24 hours after they were last published',
  examples: [{ line: 'chainlake expire --older-than 30d', says: 'keep the snapshots of a month' }],
  options: {
    ...lakeFlag,
    'older-than': text('Age of the snapshots to expire, such as 7d [30d]'),
    ...jsonFlag,
  },
})

export const backupCommand = command({
  usage: 'backup <dir>',
  comment: 'Back up the catalog of the lake, without the data files; safe while runs are active',
  argument: 'Folder for the backup; replaces an earlier backup there',
  examples: [{ line: 'chainlake backup /backups/lake --lake ./output', says: 'copy the catalog' }],
  options: { ...lakeFlag, ...jsonFlag },
})

export const restoreCommand = command({
  usage: 'restore <dir>',
  comment: 'Restore the catalog from a backup and rewrite the views; the present catalog is kept next to it',
  argument: 'Folder of a backup, or a catalog file such as lake.ducklake',
  examples: [
    { line: 'chainlake restore /backups/lake --lake ./output', says: 'replace the catalog with that of a backup' },
  ],
  options: {
    ...lakeFlag,
    'with-losses': yes('Restore although data files are missing; chainlake repair then removes them from the catalog'),
    ...jsonFlag,
  },
})

export const viewsCommand = command({
  usage: 'views',
  comment: 'Rewrite lake.duckdb, views.sql and lake.ducklake, for example after the lake was moved',
  examples: [
    { line: 'chainlake views --lake ./output', says: 'after the lake was moved' },
    { line: 'chainlake views --location https://host/lake', says: 'for readers who find the lake at another place' },
  ],
  options: {
    ...lakeFlag,
    ...asOfFlag,
    location: text(
      "Where readers find the lake: a folder of their machine, or a URL such as https://host/lake; remembered for later publications [the lake's folder]",
    ),
    ...jsonFlag,
  },
})

export const publishCommand = command({
  usage: 'publish [format]',
  comment:
    'Publish the lake after tasks of other schedulers; with a format also for other programs: iceberg adds Apache Iceberg metadata next to the data files; parquet makes one folder of Parquet files per table',
  argument: 'iceberg or parquet [the views of the lake]',
  examples: [
    { line: 'chainlake publish', says: 'show what the tasks of chainlake run --task have committed' },
    { line: 'chainlake publish parquet --to ./tables', says: 'one folder of Parquet files per table, for any program' },
    { line: 'chainlake publish iceberg', says: 'Iceberg metadata next to the data files' },
  ],
  options: {
    ...lakeFlag,
    table: text('Only these tables, separated by commas [all tables]'),
    to: text("parquet: folder of the tables [the folder parquet in the lake's folder]"),
    location: text(
      "iceberg: location where readers find the lake, such as s3://bucket/lake; remembered for later publications [the lake's folder]",
    ),
    ...jsonFlag,
  },
})

export const reportCommand = command({
  usage: 'report',
  comment: 'Write a self-contained HTML report about the lake (works offline)',
  examples: [{ line: 'chainlake report --lake ./output', says: 'report.html in the folder of the lake' }],
  options: {
    ...lakeFlag,
    out: text('File to write [report.html in the folder of the lake]'),
  },
})

/** The questions that the demo answers with SQL: one for each kind of source. */
export const demoQuestions: readonly { readonly ask: string; readonly sql: string }[] = [
  {
    ask: 'How many P-Chain transactions of each type are there?',
    sql: `select tx_type, count(*) as transactions, sum(burned) / 1e9 as burned_avax
from p_transactions where network = 'local'
group by tx_type order by transactions desc limit 6`,
  },
  {
    ask: 'Which validators of the Primary Network have the most delegated stake?',
    sql: `select node_id, weight / 1e9 as stake, delegator_count as delegators, delegator_weight / 1e9 as delegated
from node_validators_latest where network = 'local'
order by delegated desc nulls last limit 3`,
  },
  {
    ask: 'How many staking rewards were paid, by type, and how much AVAX?',
    sql: `select reward_type, count(*) as rewards, count(distinct node_id) as nodes, sum(amount) / 1e9 as avax
from rest_rewards where network = 'local'
group by reward_type order by rewards desc`,
  },
  {
    ask: 'Which tokens have the most transfers?',
    sql: `select token_symbol, count(*) as transfers, count(distinct to_address) as receivers, max(block_time) as last_one
from rest_erc20_transfers where network = 'local'
group by token_symbol order by transfers desc`,
  },
  {
    ask: 'Which address is the largest holder of each token now?',
    sql: `select token_address, count(*) as holders, max_by(address, balance) as largest_holder
from metrics_token_holders_latest where network = 'local'
group by token_address order by holders desc limit 5`,
  },
  {
    ask: 'How many transactions per second does the C-Chain process, by day?',
    sql: `select point_time, round(metric_value, 4) as tps
from metrics_chain_tps_latest where network = 'local' order by point_time desc limit 3`,
  },
]

export const demoCommand = command({
  usage: 'demo',
  comment: `Export a simulated Avalanche network, answer ${demoQuestions.length} questions about it with SQL and write a report`,
  examples: [{ line: 'chainlake demo --lake ./demo-lake', says: 'a network to look at, in half a minute' }],
  options: { ...lakeFlag },
})

export const devnetCommand = command({
  usage: 'devnet',
  comment: 'Serve a simulated Avalanche network, or a recording, on loopback',
  examples: [{ line: 'chainlake devnet --port 9650', says: 'a node and a service to try chainlake with' }],
  options: {
    port: text('Port on 127.0.0.1; 0 picks a free port [9650]'),
    seed: text('Seed of the simulated chain [1]'),
    blocks: text('Accepted containers per chain at the start [5000]'),
    legacy: yes('X-Chain with history from before Cortina: X/vtx and X/tx are not empty'),
    'asset-chains': yes('Add three more chains of the asset VM (see platform.getBlockchains for their ids)'),
    'block-time': text('Time between new containers, such as 2s [no new containers]'),
    replay: text('Instead serve the recording of a node from this folder'),
    faults: text('Inject faults, such as 5:reset,slow (every fifth request)'),
    dialect: text('Format of the answers: node, or spec as in the specification [node]'),
    'units-per-minute': text('REST: compute units per minute without a key [unlimited]'),
    'units-per-day': text('REST: compute units per day for each caller, with or without a key [unlimited]'),
    'api-key': text(
      'REST: API keys with compute units per minute, such as KEY=9000,OTHER (OTHER: unlimited) [every key is refused]',
    ),
    'token-life': text('REST: lifetime of page tokens, such as 30s [24h]'),
    'token-end': text(
      'REST: answer to an expired page token: refuse (400) or restart (the first page) [data refuse, metrics restart]',
    ),
    bounds: text('REST: whether startTimestamp and endTimestamp are inclusive or exclusive [inclusive]'),
    ...jsonFlag,
  },
})

/** zsh runs it through its emulation of bash completion. */
export const completionScript = `# Completion of chainlake for bash and zsh: source <(chainlake completion)
if [ -n "\${ZSH_VERSION-}" ]; then
  autoload -U +X compinit bashcompinit && compinit && bashcompinit
fi
_chainlake() {
  local word
  COMPREPLY=()
  while IFS= read -r word; do
    [ -n "$word" ] && COMPREPLY+=("$word")
  done < <(chainlake --complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _chainlake chainlake
`

export const completionCommand = command({
  usage: 'completion',
  comment: 'Print a completion script for bash and zsh',
  examples: [{ line: 'source <(chainlake completion)', says: 'complete commands, flags and names with Tab' }],
  options: {},
})
