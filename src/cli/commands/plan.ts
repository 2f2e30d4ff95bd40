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

export const planCommand = command({
  name: 'plan',
  usage: 'plan [job..]',
  comment: 'Say what run would fetch; asks the node for its head only, services nothing',
  positionals: [{ name: 'job', comment: 'Pipelines, or jobs of chainlake.yaml', many: true }],
  options: { ...nodeFlags, ...serviceFlags, ...lakeFlag, ...jobFlags, ...jsonFlag, ...commonFlags },
  loadOptions: loadParameterFlags,
  run: async ({ flags, positionals }) => (await import('../jobs/plan-jobs.ts')).planJobs(positionals, flags),
})
