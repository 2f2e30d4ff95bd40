import { command } from '../../flags/command.ts'
import { commonFlags, jsonFlag, lakeFlag, nodeFlags } from '../../flags/options.ts'

const { 'node-url': _, 'max-wait': __, ...askingFlags } = nodeFlags

export const verifyCommand = command({
  name: 'verify',
  usage: 'verify',
  comment: 'Prove files, catalog and rows of the lake; names what is wrong and ends with 6 then',
  options: {
    ...lakeFlag,
    fast: { type: 'boolean', describe: 'Sizes, metadata and statistics of files only: no hashes, no rows' },
    node: {
      type: 'string',
      requiresArg: true,
      describe: 'Also compare a sample of the blocks with what this node says of them, by every method that it has',
    },
    rpc: {
      type: 'string',
      requiresArg: true,
      describe: 'Also compare a sample of the blocks of an EVM chain with what the JSON-RPC at this URL says of them',
    },
    sample: { type: 'string', requiresArg: true, describe: 'Records of each stream that are asked for [1000]' },
    ...askingFlags,
    certificate: {
      type: 'string',
      requiresArg: true,
      describe:
        'Write what the lake holds to this file, when nothing is wrong: ids of blocks, rows and hashes of tables',
    },
    against: {
      type: 'string',
      requiresArg: true,
      describe: 'Only compare the rows of the lake with such a file, of another lake or of this one before',
    },
    networks: { type: 'string', requiresArg: true, describe: 'Only these networks, with commas' },
    tables: { type: 'string', requiresArg: true, describe: 'Only these tables, with commas' },
    ...jsonFlag,
    ...commonFlags,
  },
  run: async ({ flags }) => (await import('./run-verify.ts')).runVerify(flags),
})
