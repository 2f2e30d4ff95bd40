import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { tables } from '../schemas/index.ts'
import { derivedViews } from '../schemas/views/index.ts'
import { packageRoot } from '../src/lib/package.ts'
import { builtInScripts, listedScripts } from '../src/views/lake-scripts.ts'
import { writeEmptyLake } from '../src/views/publish.ts'

const folder = join(packageRoot(), 'dist/views')
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
const declared = { tables, derived: derivedViews }
await writeEmptyLake(listedScripts(await builtInScripts(declared), declared))
