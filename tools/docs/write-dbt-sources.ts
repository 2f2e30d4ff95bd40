import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tables } from '../../schemas/index.ts'
import { derivedViews } from '../../schemas/views/index.ts'
import { packageRoot } from '../../src/lib/files/package-root.ts'
import { counts } from '../../src/verify/rows/counts.ts'
import { dbtSources } from './dbt-sources.ts'

writeFileSync(join(packageRoot(), 'examples/dbt/models/lake.yml'), dbtSources(tables, derivedViews, counts))
