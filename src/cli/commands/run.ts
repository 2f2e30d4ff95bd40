import { command } from '../command.ts'
import {
  commonFlags,
  jobFlags,
  jsonFlag,
  lakeFlag,
  loadParameterFlags,
  nodeFlags,
  serviceFlags,
} from '../settings/options.ts'

export const runCommand = command({
  name: 'run',
  usage: 'run [job..]',
  comment: 'Fetch what the lake lacks and commit it',
  positionals: [{ name: 'job', comment: 'Pipelines, or jobs of chainlake.yaml', many: true }],
  options: {
    ...nodeFlags,
    ...serviceFlags,
    ...lakeFlag,
    ...jobFlags,
    follow: { type: 'boolean', describe: 'Keep going as the chain grows, until a signal' },
    'max-lag': { type: 'string', requiresArg: true, describe: 'With --follow: commit at least this often [60s]' },
    compact: { type: 'boolean', describe: 'Merge small files as they pile up' },
    ...jsonFlag,
    ...commonFlags,
  },
  loadOptions: loadParameterFlags,
  run: async (args) => (await import('../jobs/run-jobs.ts')).runJobs(args.positionals, args.flags),
})
