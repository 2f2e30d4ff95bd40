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
  examples: [
    {
      line: 'chainlake plan p-blocks --node-url http://127.0.0.1:9650',
      says: 'how much a run would fetch, and how long it would take',
    },
    { line: 'chainlake plan --all', says: 'all jobs of chainlake.yaml' },
  ],
  options: { ...nodeFlags, ...serviceFlags, ...lakeFlag, ...jobFlags, ...jsonFlag, ...modulesFlag, ...commonFlags },
  loadOptions: loadParameterFlags,
  run: async ({ flags, positionals }) => (await import('./plan-jobs.ts')).planJobs(positionals, flags),
})
