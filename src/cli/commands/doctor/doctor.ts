import { command } from '../../flags/command.ts'
import {
  commonFlags,
  jobFlags,
  jsonFlag,
  lakeFlag,
  loadParameterFlags,
  nodeFlags,
  serviceFlags,
} from '../../flags/options.ts'

export const doctorCommand = command({
  name: 'doctor',
  usage: 'doctor [job..]',
  comment: 'Say what a run would meet, and what to do; asks each source a little, writes nothing',
  positionals: [{ name: 'job', comment: 'Pipelines, or jobs of chainlake.yaml; all of those when absent', many: true }],
  options: { ...nodeFlags, ...serviceFlags, ...lakeFlag, ...jobFlags, ...jsonFlag, ...commonFlags },
  loadOptions: loadParameterFlags,
  run: async ({ flags, positionals }) => (await import('./doctor-jobs.ts')).examineJobs(positionals, flags),
})
