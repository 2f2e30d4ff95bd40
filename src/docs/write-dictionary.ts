import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tables } from '../../schemas/index.ts'
import { derivedViews } from '../../schemas/views/index.ts'
import { shippedTables } from '../config/shipped-lists.ts'
import { latestViews } from '../define/index.ts'
import { packageRoot } from '../lib/files/package-root.ts'
import { dataDictionary } from './data-dictionary.ts'

writeFileSync(
  join(packageRoot(), 'schemas/README.md'),
  dataDictionary([...tables, ...shippedTables()], [...derivedViews, ...latestViews(shippedTables())]),
)
