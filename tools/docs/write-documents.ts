import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pipelines } from '../../pipelines/index.ts'
import { tables } from '../../schemas/index.ts'
import { derivedViews } from '../../schemas/views/index.ts'
import { configJsonSchema } from '../../src/config/schema.ts'
import { shippedLists } from '../../src/config/shipped-lists.ts'
import { packageRoot } from '../../src/lib/package.ts'
import { counts } from '../../src/verify/same-facts.ts'
import { dbtSources } from './dbt-sources.ts'
import { documents } from './documents.ts'

const schema = configJsonSchema([...pipelines, ...shippedLists()])
const generated = [
  ...documents(),
  { path: 'examples/dbt/models/lake.yml', text: dbtSources(tables, derivedViews, counts) },
  { path: 'chainlake.schema.json', text: `${JSON.stringify(schema, null, 2)}\n` },
]
for (const { path, text } of generated) {
  const file = join(packageRoot(), path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
