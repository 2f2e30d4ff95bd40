import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { tables } from '../schemas/index.ts'
import { derivedViews } from '../schemas/views/index.ts'
import { packageRoot } from '../src/lib/files/package-root.ts'
import { writeEmptyLake } from '../src/views/empty-lake.ts'
import { builtInScripts } from '../src/views/lake-scripts.ts'

const folder = join(packageRoot(), 'dist/views')
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
await writeEmptyLake(await builtInScripts({ tables, derived: derivedViews }))
