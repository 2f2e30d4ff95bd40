import { command } from '../../flags/command.ts'
import { commonFlags, jsonFlag, lakeFlag } from '../../flags/options.ts'

export const statusCommand = command({
  name: 'status',
  usage: 'status [stream..]',
  comment: 'Show totals, problems and streams of a lake, or the tables of some streams',
  positionals: [{ name: 'stream', comment: 'Streams, such as mainnet/P/block, or networks [all]', many: true }],
  examples: [
    { line: 'chainlake status --lake ./output', says: 'what the lake has' },
    { line: 'chainlake status mainnet/P/block', says: 'coverage, gaps, rows and bytes of the tables of a stream' },
    { line: 'chainlake status --watch', says: 'follow the commits of runs from another terminal, until Ctrl-C' },
    { line: 'chainlake status --max-age 10m', says: 'exit code 9 if a stream did not reach its head in ten minutes' },
    { line: 'chainlake status --max-block-age 1h', says: 'exit code 9 if the newest block of a stream is older' },
  ],
  options: {
    ...lakeFlag,
    watch: { type: 'boolean', describe: 'Show committed progress until Ctrl-C; without a terminal, a line per change' },
    interval: {
      type: 'string',
      value: 'TIME',
      requiresArg: true,
      describe: 'With --watch: time between two readings of the catalog, at least 5s [5s]',
    },
    'max-age': {
      type: 'string',
      requiresArg: true,
      describe: 'Exit with code 9 when a run last looked at the head of a stream longer ago than this, such as 10m',
    },
    'max-block-age': {
      type: 'string',
      value: 'AGE',
      requiresArg: true,
      describe:
        'Exit with code 9 when the newest block of a stream is older than this, such as 1h: its node may stand still',
    },
    streams: { type: 'boolean', describe: 'Show the tables of all streams' },
    except: {
      type: 'string',
      requiresArg: true,
      describe: 'Streams or networks to leave out, separated by commas, such as streams that are not run any more',
    },
    ...jsonFlag,
    ...commonFlags,
  },
  run: async ({ positionals, flags }) =>
    flags.watch === true
      ? (await import('./watch-status.ts')).watchStatus(positionals, flags)
      : (await import('./show-status.ts')).showStatus(positionals, flags),
})
