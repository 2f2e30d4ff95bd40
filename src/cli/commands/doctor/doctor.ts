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
  options: { ...nodeFlags, ...serviceFlags, ...lakeFlag, ...jobFlags, ...jsonFlag, ...modulesFlag, ...commonFlags },
  loadOptions: loadParameterFlags,
  run: async ({ flags, positionals }) => (await import('./doctor-jobs.ts')).examineJobs(positionals, flags),
})
