import { command } from '../../flags/command.ts'
import { commonFlags, jsonFlag, lakeFlag, nodeFlags, serviceFlags } from '../../flags/options.ts'

const { 'node-url': _, ...requestFlags } = nodeFlags
const { 'data-url': __, ...profileFlags } = serviceFlags

export const verifyCommand = command({
  name: 'verify',
  usage: 'verify',
  comment: 'Verify files, catalog and rows of the lake; lists all errors and exits with code 6 if there are any',
  examples: [
    { line: 'chainlake verify --lake ./output', says: 'files, catalog and rows' },
    { line: 'chainlake verify --certificate lake.json', says: 'the same, and what was verified' },
    { line: 'chainlake verify --since lake.json', says: 'only what is new since then' },
  ],
  options: {
    ...lakeFlag,
    fast: { type: 'boolean', describe: 'Check only sizes, metadata and statistics of files: no hashes, no rows' },
    node: {
      type: 'string',
      requiresArg: true,
      describe:
        'Also compare a sample of the records with this node, by every API that it offers, and its lists in the columns that never change',
    },
    rpc: {
      type: 'string',
      requiresArg: true,
      describe:
        'Also compare a sample of the blocks, logs, traces and state of an EVM chain with the JSON-RPC API at this URL',
    },
    service: {
      type: 'string',
      requiresArg: true,
      value: 'URL',
      describe:
        'Also compare some pages of each list of the REST service with the service at this URL, or at the one of the configuration (configured): at most 10 requests per list and 500 in all',
    },
    sample: {
      type: 'string',
      requiresArg: true,
      describe: 'With --node, --rpc or --service: records to compare per stream [1000]',
    },
    ...profileFlags,
    ...requestFlags,
    certificate: {
      type: 'string',
      requiresArg: true,
      describe:
        'If the lake has no errors, write a certificate of its contents to this file: block ids, row counts and table hashes',
    },
    since: {
      type: 'string',
      requiresArg: true,
      describe:
        'Read only the files that are newer than this certificate of the lake, and lists; of the other files check sizes, metadata and statistics',
    },
    against: {
      type: 'string',
      requiresArg: true,
      describe:
        'Only compare the rows of the lake with a certificate, of another lake or of an earlier state of this one',
    },
    networks: { type: 'string', requiresArg: true, describe: 'Only these networks, separated by commas' },
    tables: { type: 'string', requiresArg: true, describe: 'Only these tables, separated by commas' },
    ...jsonFlag,
    ...commonFlags,
  },
  run: async ({ flags }) => (await import('./run-verify.ts')).runVerify(flags),
})
