import type { ErrorFacts } from './error-fact.ts'

/** Failures of nodes and services, and what they answer. */
export const sourceErrors: ErrorFacts = {
  decode: [4, 'Bytes or fields violate their format.', 'Run again or use another source; report it if it comes back.'],
  'decode.block': [4, 'The answer for a block cannot be decoded.', 'Run again, or use another node.'],
  'decode.block-height': [
    4,
    'The node answered with another block than the requested one.',
    'Run again, or use another node.',
  ],
  'decode.block-parent': [
    4,
    'A block does not name the previous one as its parent.',
    'Compare with another node: the bytes of one of the two are damaged.',
  ],
  'decode.container': [
    4,
    'A container (a block or vertex as the index API returns it) cannot be decoded.',
    'Use another node: the answer or the index is damaged.',
  ],
  'decode.container-id': [4, 'The bytes of a container do not give its id.', 'Run again, or use another node.'],
  'decode.contradiction': [
    4,
    'Fields of an answer contradict each other, or one key has two contents.',
    'Run again later, or contact the operator of the source.',
  ],
  'decode.field': [
    4,
    'A field of an answer is not what its format says.',
    'Use another source, or update chainlake: the service may have changed its answers.',
  ],
  'decode.known-row': [
    4,
    'The source returned another row than the lake has under the same key.',
    'Use the source that the lake was filled from, or another lake.',
  ],
  'decode.missing-field': [
    4,
    'An answer has no field that it must have.',
    'Compare with the documentation of the service, or update chainlake.',
  ],
  'decode.not-asked': [
    4,
    'An answer has an item that the request did not ask for.',
    'Check the URL, or use another source.',
  ],
  'decode.other-chain': [
    4,
    'An answer is about another chain.',
    'Check the base URL of the profile and the chain id of the job.',
  ],
  'decode.other-number': [
    4,
    'The source numbers rows, such as the logs of a block, differently than the source of the rows in the lake.',
    'Use the pipeline and the node that the lake was filled from, or another lake.',
  ],
  'decode.token-standard': [
    4,
    'A token has a standard that chainlake does not know there.',
    'Update chainlake, or leave the contract or wallet out.',
  ],
  'evm.logs': [
    3,
    'The logs in an answer do not belong to the request.',
    'Use another node: this one, or a gateway, does not follow the request.',
  ],
  'evm.missing-block': [
    3,
    'The node does not return a block below its head.',
    'Use the URL of one archive node, or run again later.',
  ],
  'evm.incomplete-logs': [
    3,
    'The node, or one behind a gateway, does not have all logs.',
    'Use the URL of one node with all logs, or run again later.',
  ],
  'evm.no-method': [
    3,
    'The node does not offer a method that the pipeline needs.',
    'Enable it in `eth-apis` of the configuration of the chain, or use another node.',
  ],
  'evm.no-state': [
    3,
    'The node no longer has the state of a block.',
    'Name a newer block, or use an archive node (`pruning-enabled: false`).',
  ],
  'evm.other-block': [
    3,
    'The node returned two different blocks of one number.',
    'Use the URL of one node, or run again later.',
  ],
  'evm.own-header': [
    4,
    'The transactions or receipts of a block contradict the header that its hash derives from: some are missing, or their gas or logs are others.',
    'Use another node: this one lost data of the block, or lags behind.',
  ],
  'evm.traces': [
    3,
    'The traces in an answer do not fit the block.',
    'Use another node: this one, or a gateway, does not follow the request.',
  ],
  'index.ends-early': [3, 'The index has no container below its head.', 'Use the URL of one node, or run again later.'],
  'index.incomplete': [
    3,
    'The index of the node begins late or has gaps.',
    'Use a node with a complete index, or `--source rpc` for the P- and X-Chain.',
  ],
  postponed: [
    7,
    'The rest of the work must wait. Everything complete is committed.',
    'Run again at the time that the error states.',
  ],
  'postponed.budget': [
    7,
    'The units that the service grants per day are spent.',
    'Run again at that time, or set `units-per-day` in the profile to the quota of your key.',
  ],
  'postponed.wait': [
    7,
    'The service demands a longer wait than `--max-wait`.',
    'Run again at that time, use a key with a higher limit, or raise `--max-wait`.',
  ],
  schema: [4, 'Rows do not fit the schema of their table.', 'Report it; for an own pipeline, correct the decoder.'],
  'schema.changed': [
    4,
    'The lake has a table with columns that do not fit the declaration.',
    'Export into a new lake, or undo the change of the declaration; see the hint.',
  ],
  'schema.keys': [4, 'A row does not have the declared columns.', 'Fill each declared column in the decoder.'],
  'schema.value': [4, 'A value does not fit its column.', 'Correct the decoder, or the type of the column.'],
  transport: [3, 'A source failed to answer.', 'Check the URL and the source, and run again.'],
  'transport.blocked': [
    3,
    'A firewall in front of the service refuses this client.',
    'Wait, lower the rate (`--concurrency 1`), or ask the provider to allow chainlake.',
  ],
  'transport.bootstrapping': [3, 'The node is still bootstrapping.', 'Wait until it is done, then run again.'],
  'transport.closed': [
    3,
    'The connection was closed.',
    'Run again; check proxies between this machine and the source.',
  ],
  'transport.connection': [
    3,
    'The source cannot be reached.',
    'Check that it is running, and that the URL names its host and port.',
  ],
  'transport.encoding': [
    3,
    'An answer has a content encoding that the request did not accept.',
    'Use the URL of the service itself, or configure the proxy to pass answers on unchanged.',
  ],
  'transport.early-end': [
    3,
    'A list ended twice before the rows that the lake has of it. New rows are stored, and the part between is a gap.',
    'Run again. If the service no longer has the items between, accept the gap with `gaps --accept`, or set the retention of the list.',
  ],
  'transport.endless-list': [
    3,
    'A list of the service has no end.',
    'Run again later with another `--page-size` or a smaller range, and report it to the provider.',
  ],
  'transport.forbidden': [
    3,
    'The source refuses the request (403).',
    'Check the permissions of the key; a node answers only host names in its `--http-allowed-hosts`.',
  ],
  'transport.head': [
    3,
    'The service reports an impossible newest block, or a newest time that is more than a day ahead of the clock.',
    'Check the URL and the clock of this machine, and run again later.',
  ],
  'transport.http': [
    3,
    'The source answered with an error status.',
    'See the status in the message; run again for 5xx.',
  ],
  'transport.link': [
    3,
    'The link to the next page leads to another origin.',
    'Compare the URL of the service with its documentation.',
  ],
  'transport.no-block': [
    3,
    'The node does not have a block yet that it should have.',
    'Use the URL of one node, or run again later.',
  ],
  'transport.no-index': [
    3,
    'The node has no index for this path (404).',
    'Start the node with `--index-enabled`, or use `--source rpc`.',
  ],
  'transport.not-found': [3, 'The URL is not found (404).', 'Check the URL; the service may not offer this interface.'],
  'transport.rate-limit': [
    3,
    'The source refuses requests because they are too many: 429, or an error of JSON-RPC that says so.',
    'Lower `--concurrency`, or use a key with a higher limit.',
  ],
  'transport.redirect': [3, 'The URL redirects to another one.', 'Give the final URL.'],
  'transport.rpc': [
    3,
    'The node answered with a JSON-RPC error.',
    'See its message; the method or the block may not be available.',
  ],
  'transport.timeout': [
    3,
    'The source did not answer in time.',
    'Run again, raise `--timeout`, or lower `--concurrency`.',
  ],
  'transport.proxy': [
    3,
    'The proxy of `HTTP_PROXY` or `HTTPS_PROXY` cannot be reached, or refuses the connection.',
    'Check the proxy, or except the host of the service with `NO_PROXY`.',
  ],
  'transport.tls': [
    3,
    'The TLS connection failed.',
    'Check whether the URL begins with http:// or https://, and check the certificate.',
  ],
  'transport.token': [
    3,
    'The service invalidates its page tokens too early to reach the end of a list.',
    'Run again later with a larger `--page-size` or a smaller range.',
  ],
  'transport.too-large': [3, 'An answer is larger than the limit.', 'Request less at once, such as smaller pages.'],
  'transport.unauthorized': [
    3,
    'The source demands credentials (401), or refuses the API key.',
    'Set CHAINLAKE_API_KEY, or give user and password in the URL.',
  ],
  'transport.unreadable': [
    3,
    'An answer is damaged, truncated or no JSON.',
    'Run again; check the URL and proxies in between.',
  ],
  'transport.window': [
    3,
    'A node refuses a range of blocks as too large. The run cuts the range and requests again.',
    'Nothing, unless it ends a run: then use another node.',
  ],
}
