import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pipelines } from '../../pipelines/index.ts'
import { packageRoot } from '../lib/files/package-root.ts'
import { configJsonSchema } from './schema.ts'
import { shippedLists } from './shipped-lists.ts'

const schema = configJsonSchema([...pipelines, ...shippedLists()])
writeFileSync(join(packageRoot(), 'chainlake.schema.json'), `${JSON.stringify(schema, null, 2)}\n`)
