import type { ErrorFacts } from './error-fact.ts'

/** Mistakes in flags and in `chainlake.yaml`. */
export const configErrors: ErrorFacts = {
  'config.proxy': [
    2,
    '`HTTP_PROXY` or `HTTPS_PROXY` does not name an HTTP proxy.',
    'Set it to a URL such as http://proxy.example:3128, or unset it.',
  ],
  config: [2, 'A setting is wrong, and no other code describes it better.', 'Follow the hint of the error.'],
  'config.abi': [
    2,
    'The file of an ABI cannot be used, or it has no such event or function.',
    'Give the JSON list of an ABI or the artifact of a compiler; for a proxy, the ABI of its implementation.',
  ],
  'config.address': [
    2,
    'An address is malformed, has a wrong checksum, or belongs to another chain or network.',
    'Copy the address again; the hint names its form.',
  ],
  'config.arguments': [
    2,
    'The arguments of a contract call do not fit its function.',
    'Give a JSON list such as `["0x…", 5]`, or the only argument as its text.',
  ],
  'config.as-of': [
    2,
    '`--as-of` is neither a snapshot nor a time.',
    'Write a snapshot number, or a time such as 2026-11-21T10:35 (UTC).',
  ],
  'config.blockchain': [
    2,
    'The profile of the service does not know the blockchain.',
    'Name p-chain, x-chain, c-chain or an id, or add the id to the profile under `chains`.',
  ],
  'config.catalog': [
    2,
    'The URL of the catalog is not one of PostgreSQL.',
    'Write `postgres://user@host:port/database`, with the password in PGPASSWORD or ~/.pgpass.',
  ],
  'config.certificate': [
    2,
    'The file of `verify --against` is not a certificate that this version can read.',
    'Give a file that `verify --certificate` of this version wrote.',
  ],
  'config.chain': [
    2,
    'The pipeline cannot read this chain.',
    'Omit `--chain`, or give the id of a chain that runs the same virtual machine.',
  ],
  'config.chain-fxs': [
    2,
    'The feature extensions of the chain could not be read from its CreateChainTx.',
    'Give the id of a chain of the asset VM, and a node that serves the P-Chain up to the block that created it.',
  ],
  'config.chain-unknown': [
    2,
    'The id of a chain of this network is not known.',
    'Name the chain by its blockchain id.',
  ],
  'config.data': [
    2,
    'The location of the data files is not s3://bucket/prefix.',
    'Correct the names of the bucket and the prefix.',
  ],
  'config.data-url': [
    2,
    'The profile has no URL of the service.',
    'Give `--data-url`, or `service: { data-url: … }` in `chainlake.yaml`.',
  ],
  'config.devnet': [
    2,
    'An option of the simulated network is wrong.',
    'Follow the message; `chainlake devnet --help` lists the options.',
  ],
  'config.devnet-port': [
    2,
    'The simulated network cannot listen on the port.',
    'Name another port, or 0 for a free one.',
  ],
  'config.duration': [
    2,
    'A duration or an age cannot be read, or is out of range.',
    'Write 500ms, 30s, 2m or 1h; an age such as 30d.',
  ],
  'config.empty-list': [2, 'The file of a list contains no values.', 'Write one value per line; `#` begins a comment.'],
  'config.environment': [
    2,
    'A variable that `chainlake.yaml` or a profile names is not set.',
    `Set it, or write a default as \`\${NAME:-default}\`.`,
  ],
  'config.event': [
    2,
    'The declaration of an event cannot be read.',
    'Write it as Solidity does, or give the ABI of the contract.',
  ],
  'config.event-table': [
    2,
    'The name of an event cannot be the name of a table.',
    'Give the event a job of its own, with a name as `table`.',
  ],
  'config.example': [2, 'There is no example query of that name.', 'See `chainlake sql --examples`.'],
  'config.exists': [2, '`init` would overwrite a file.', 'Remove the file first, or name another with `--config`.'],
  'config.fault': [
    2,
    'The faults of the simulated network cannot be read.',
    'Write 5, `5:reset,slow` or `reset,slow`.',
  ],
  'config.file': [
    2,
    'A flag does not name a file that can be written.',
    'Give the path of a file in a folder that exists.',
  ],
  'config.folder': [
    2,
    '`--folder` is set for a lake that does not need it.',
    'Omit it: it is for a catalog in PostgreSQL with files in S3.',
  ],
  'config.format': [
    2,
    'The output format is not known, or it needs a file.',
    'Choose table, line, csv, json or parquet; add `--output` for parquet.',
  ],
  'config.function': [
    2,
    'The declaration of a function cannot be read.',
    'Write it as Solidity does, such as `function balanceOf(address) view returns (uint256)`.',
  ],
  'config.jobs': [2, 'Names of jobs and `--all` are combined.', 'Give one or the other.'],
  'config.key': [
    2,
    'The API key is missing, empty or cannot be sent in a header.',
    'Check the variable or file that holds it for line breaks and other characters.',
  ],
  'config.key-in-file': [
    2,
    'A configuration file contains an API key.',
    'Remove it. Set CHAINLAKE_API_KEY, or write `key-env` or `key-file`.',
  ],
  'config.lease': [
    2,
    '`--lease` is too short, or given without `--workers`.',
    'Add `--workers`, or choose a longer time.',
  ],
  'config.location': [
    2,
    '`--location` is neither a URI nor an absolute path, or it has parts that a location cannot have.',
    'Give s3://bucket/lake, https://host/lake or /srv/lake.',
  ],
  'config.log-level': [2, 'The log level is not known.', 'Choose debug, info, warn, error or silent.'],
  'config.metrics-port': [
    2,
    'Metrics cannot be served on the port.',
    'Give `--metrics-port` a free port, or HOST:PORT with an address of this machine.',
  ],
  'config.missing-parameter': [
    2,
    'A job has no value for a required parameter.',
    'Give the flag, or the key in `chainlake.yaml`; `chainlake describe PIPELINE` lists the parameters.',
  ],
  'config.table': [2, 'The lake has no table of that name.', 'Name one that the error lists.'],
  'config.network': [
    2,
    'The profile does not know the network.',
    'Use one of those that the error lists, or add it to the profile under `networks`.',
  ],
  'config.network-unknown': [
    2,
    'The node does not report its network.',
    'Give `--network-id`, or start the node with `--api-info-enabled=true`.',
  ],
  'config.no-block': [
    2,
    'A block that a job needs does not exist, or is not final yet.',
    'Name a final block, or wait.',
  ],
  'config.no-jobs': [
    2,
    'The command has no job.',
    'Name a pipeline or job, or declare jobs in `chainlake.yaml` and give `--all`.',
  ],
  'config.number': [
    2,
    'A number cannot be read or is out of range.',
    'Write digits only, within the range that the error states.',
  ],
  'config.option': [
    2,
    'A flag does not apply to the command or jobs as they are given.',
    'Omit it, or give the flag that it depends on.',
  ],
  'config.options': [2, 'A program called the library with wrong options.', 'Follow the message.'],
  'config.other-network': [
    2,
    'The node belongs to another network than the one that is set.',
    'Remove the network id, or use a node of that network.',
  ],
  'config.package': [
    2,
    'A package that chainlake needs is not installed, such as after `npm install --omit=optional`.',
    'Install again with `npm install --include=optional`.',
  ],
  'config.parameter': [
    2,
    'Values of parameters do not fit each other.',
    'Follow the message; `chainlake describe PIPELINE` has the rules.',
  ],
  'config.publish': [
    2,
    'The format of `publish` is not known, or a flag belongs to another format.',
    'Publish as iceberg or parquet, with the flags of that format.',
  ],
  'config.range': [
    2,
    'A range is empty, or one of its bounds cannot be read.',
    'The start is inclusive, the end exclusive; write 1000000, 12M, -1000, a date or a time.',
  ],
  'config.region': [2, 'The region of the bucket is not a name.', 'Give a name such as us-east-1.'],
  'config.replay': [
    2,
    'The folder of `devnet --replay` holds no complete recording.',
    'Name a folder with a recording from index 0 on.',
  ],
  'config.service': [
    2,
    'A job reads a service that is not configured.',
    'Give `--service-profile`, or declare the service in `chainlake.yaml`.',
  ],
  'config.size': [2, 'A size cannot be read.', 'Write 500MB, 2GB or 1.5TB.'],
  'config.stream': [
    2,
    'The lake has no stream of that name, or several networks have it.',
    'Give the name that `chainlake status` shows, such as mainnet/P/block.',
  ],
  'config.units-per-day': [
    2,
    'One request costs more units than the budget of a day.',
    'Set `units-per-day` of the profile to the budget of your key, or to null.',
  ],
  'config.unknown-command': [2, 'There is no such command.', 'See `chainlake help`.'],
  'config.unknown-flag': [
    2,
    'The command has no such flag.',
    'See its `--help`. An API key is never a flag: set CHAINLAKE_API_KEY.',
  ],
  'config.unknown-key': [
    2,
    '`chainlake.yaml`, a profile or a job has a key that chainlake does not know.',
    'Correct it; see the [configuration](configuration.md).',
  ],
  'config.unknown-pipeline': [
    2,
    'There is no pipeline or job of that name.',
    'See `chainlake pipelines`, and the jobs of `chainlake.yaml`.',
  ],
  'config.unknown-table': [
    2,
    'There is no table, view or pipeline of that name.',
    'See `chainlake tables` and `chainlake pipelines`.',
  ],
  'config.unreadable': [2, 'A file that a flag or key names cannot be read.', 'Check its path and permissions.'],
  'config.url': [2, 'A URL is malformed.', 'Give a complete URL such as http://127.0.0.1:9650.'],
  'config.usage': [2, 'The command line is wrong.', 'See the `--help` of the command.'],
  'config.value': [
    2,
    'A value breaks the rule of its parameter or key.',
    'The error states the rule; `chainlake validate` checks all values at once.',
  ],
  'config.watch': [2, 'Flags of `status --watch` do not fit each other.', 'Add or remove `--watch`.'],
  'config.workers': [2, 'A flag cannot be combined with `--workers`.', 'Remove it; the hint names what to do instead.'],
  'config.yaml': [
    2,
    'The file is not valid YAML.',
    'Fix it at the line that the error names; `chainlake validate` runs nothing.',
  ],
}
