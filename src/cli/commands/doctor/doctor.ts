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

export const doctorCommand = command({
  name: 'doctor',
  usage: 'doctor [job..]',
  comment: 'Pre-flight check of sources, API key, budget, clock, disk, memory and lake; writes nothing',
  positionals: [
    { name: 'job', comment: 'Pipelines, or jobs of chainlake.yaml [all jobs of chainlake.yaml]', many: true },
  ],
  examples: [{ line: 'chainlake doctor p-blocks --node-url http://127.0.0.1:9650', says: 'whether a run would work' }],
  options: { ...nodeFlags, ...serviceFlags, ...lakeFlag, ...jobFlags, ...jsonFlag, ...modulesFlag, ...commonFlags },
  loadOptions: loadParameterFlags,
  run: async ({ flags, positionals }) => (await import('./doctor-jobs.ts')).examineJobs(positionals, flags),
})
