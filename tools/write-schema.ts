import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pipelines } from '../pipelines/index.ts'
import { configJsonSchema } from '../src/config/schema.ts'
import { shippedLists } from '../src/config/shipped-lists.ts'
import { packageRoot } from '../src/lib/files/package-root.ts'

const schema = configJsonSchema([...pipelines, ...shippedLists()])
writeFileSync(join(packageRoot(), 'chainlake.schema.json'), `${JSON.stringify(schema, null, 2)}\n`)
