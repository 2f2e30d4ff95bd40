import { type OptionName, optionComments, optionNames } from '../../pipelines/shared/options.ts'
import { usualUnit } from '../define/walk.ts'
import { logLevels } from './logger-levels.ts'

/** Flags that several commands share. Values are read as text and checked in settings.ts, after all their sources. */
export const jsonFlag = { json: { type: 'boolean', describe: 'Print the result as JSON on stdout' } } as const

export const commonFlags = {
  config: { type: 'string', requiresArg: true, describe: 'Configuration file [./chainlake.yaml]' },
  'log-level': { type: 'string', requiresArg: true, describe: `What is logged: ${logLevels.join(', ')}` },
} as const

export const lakeFlag = {
  lake: { type: 'string', requiresArg: true, describe: 'Folder of the lake [./output]' },
} as const

export const nodeFlags = {
  'node-url': { type: 'string', requiresArg: true, describe: 'Base URL of the node [http://127.0.0.1:9650]' },
  concurrency: { type: 'string', requiresArg: true, describe: 'Requests under way at the same time [4]' },
  timeout: { type: 'string', requiresArg: true, describe: 'Time that one request may take, such as 30s' },
  'network-id': {
    type: 'string',
    requiresArg: true,
    describe: 'Network id, for a node that does not tell it; another one is refused',
  },
  tries: { type: 'string', requiresArg: true, describe: 'How often a request is tried before the run ends' },
} as const

type OptionFlags = { readonly [K in OptionName]: { readonly type: 'boolean'; readonly describe: string } }

/** A flag for each option of the pipelines. */
const optionFlags = Object.fromEntries(
  optionNames.map((name) => [name, { type: 'boolean', describe: optionComments[name].replace(/\.$/, '') }]),
) as OptionFlags

export const jobFlags = {
  from: { type: 'string', requiresArg: true, describe: 'First container index, inclusive [0]' },
  to: { type: 'string', requiresArg: true, describe: 'Last container index, exclusive [the last accepted one + 1]' },
  unit: { type: 'string', requiresArg: true, describe: `Containers per commit [${usualUnit}]` },
  chain: {
    type: 'string',
    requiresArg: true,
    describe: "Blockchain id of another chain of the same kind [the pipeline's own]",
  },
  ...optionFlags,
  all: { type: 'boolean', describe: 'All jobs of chainlake.yaml' },
} as const
