import { command } from '../../flags/command.ts'
import { commonFlags, jsonFlag, lakeFlag } from '../../flags/options.ts'

export const statusCommand = command({
  name: 'status',
  usage: 'status [stream..]',
  comment: 'Show coverage, gaps, rows and bytes of every stream, and the last run',
  positionals: [
    { name: 'stream', comment: 'Streams, such as mainnet/P/block, or networks; all when absent', many: true },
  ],
  options: {
    ...lakeFlag,
    'max-age': {
      type: 'string',
      requiresArg: true,
      describe: 'Exit code 9 when the head of a stream was last reached longer ago than this, such as 10m',
    },
    except: {
      type: 'string',
      requiresArg: true,
      describe: 'Streams or networks to leave out, with commas, such as those that nobody runs any more',
    },
    ...jsonFlag,
    ...commonFlags,
  },
  run: async ({ positionals, flags }) => (await import('./show-status.ts')).showStatus(positionals, flags),
})
