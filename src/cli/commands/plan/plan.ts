import { command } from '../../flags/command.ts'
import {
  commonFlags,
  jobFlags,
  jsonFlag,
  lakeFlag,
  loadParameterFlags,
  modulesFlag,
  nodeFlags,
  serviceFlags,
} from '../../flags/options.ts'

export const planCommand = command({
  name: 'plan',
  usage: 'plan [job..]',
  comment: 'Show what run would fetch; requests only the head of the node, and nothing of the REST service',
  positionals: [{ name: 'job', comment: 'Pipelines, or jobs of chainlake.yaml', many: true }],
  options: { ...nodeFlags, ...serviceFlags, ...lakeFlag, ...jobFlags, ...jsonFlag, ...modulesFlag, ...commonFlags },
  loadOptions: loadParameterFlags,
  run: async ({ flags, positionals }) => (await import('./plan-jobs.ts')).planJobs(positionals, flags),
})
