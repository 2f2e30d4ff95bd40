import { pipelines } from '../../../pipelines/index.ts'
import { environment } from '../../../src/cli/settings/environment.ts'
import { configJsonSchema } from '../../../src/config/schema.ts'
import { shippedLists } from '../../../src/config/shipped-lists.ts'
import { codeBlock, type Document, documentText, markdownTable, paragraph } from '../text/markdown.ts'
import { type JsonSchema, type KeyRow, keyRows } from './schema-rows.ts'

/** The reference of all keys of `chainlake.yaml`, from the schema that `chainlake validate` checks. */
export function configurationPage(): Document {
  const { properties = {} } = configJsonSchema([...pipelines, ...shippedLists()]) as JsonSchema
  const sections = Object.keys(intros)
  const simple = Object.entries(properties).filter(([key]) => !sections.includes(key))
  const missing = sections.filter((key) => properties[key] === undefined)
  if (missing.length > 0) throw new RangeError(`The schema of chainlake.yaml does not have ${missing.join(', ')}.`)
  const text = documentText('Configuration: chainlake.yaml', [
    paragraph(
      'A command reads `chainlake.yaml` in the working folder, or the file of `--config`. Paths in it are relative to the file. [Flags](cli.md) override [environment variables](environment.md), which override this file. `chainlake init` writes a commented file, and `chainlake validate` checks one and names each mistake with its line. For completion in editors, the first line names the JSON Schema `chainlake.schema.json`.',
    ),
    codeBlock('yaml', example),
    '## Keys',
    markdownTable(
      ['key', 'value', 'flag', 'variable', 'meaning'],
      simple.flatMap(([key, schema]) => keyRows({ properties: { [key]: schema } }, '').map(settingRow)),
    ),
    paragraph('A duration without a unit is in seconds, an age without one in days.'),
    ...sections.flatMap((key) => [
      `## ${key}`,
      ...intros[key as Section].map((each) => (each.startsWith('```') ? each : paragraph(each))),
      ...(key === 'jobs' ? [] : [keyTable(keyRows({ properties: { [key]: properties[key]! } }, ''))]),
    ]),
  ])
  return { path: 'docs/reference/configuration.md', text }
}

type Section = keyof typeof intros

/** What to know about the keys that have keys below them. */
const intros = {
  lake: [
    'The location of the lake. A text is the same as `lake.catalog`.',
    codeBlock(
      'yaml',
      'lake: { catalog: ./lake, data: s3://bucket/prefix, endpoint: https://s3.example, path-style: true }',
    ),
  ],
  service: [
    'The REST service and its metrics host. The keys other than `profile`, `key-env` and `key-file` are those of a profile too: here they override it. An API key never stands here: set `CHAINLAKE_API_KEY`, or name another variable or a file.',
    codeBlock('yaml', 'service: { profile: public, key-env: MY_API_KEY, units-per-day: { data: 10000 } }'),
  ],
  services: ['Other JSON services, which `lists` read.'],
  lists: [
    'Lists of JSON services that become pipelines, each with a table of its own. [Lists in YAML](../how-to/lists-in-yaml.md) shows how to write one.',
  ],
  jobs: [
    'Jobs by name. `chainlake run NAME` runs one, `chainlake run --all` runs all. The key `pipeline` names the pipeline; the other keys are [its parameters](pipelines.md), under the names of their flags.',
    codeBlock(
      'yaml',
      `jobs:
  p-chain: { pipeline: p-blocks, raw: true }
  stakers:
    pipeline: rewards
    network: fuji
    addresses:
      query: select distinct address from p_output_addresses where network = 'fuji'`,
    ),
  ],
} as const

const example = `node-url: http://127.0.0.1:9650
lake: ./output
concurrency: 8
compact: true
expire: 30d
jobs:
  p-chain: { pipeline: p-blocks }
  c-chain: { pipeline: evm-blocks }`

function settingRow([key, value, meaning]: KeyRow): string[] {
  const variable = environment.find(({ flag }) => flag === key)?.name
  const hasFlag = variable !== undefined || withoutVariable.includes(key)
  return [`\`${key}\``, value, hasFlag ? `\`--${key}\`` : '', variable === undefined ? '' : `\`${variable}\``, meaning]
}

/** Keys that are flags, and no environment variables. */
const withoutVariable = ['compact', 'expire', 'pipelines']

function keyTable(rows: readonly KeyRow[]): string {
  return markdownTable(
    ['key', 'value', 'meaning'],
    rows.map(([key, value, meaning]) => [`\`${key}\``, value, meaning]),
  )
}
