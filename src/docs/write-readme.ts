import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tables } from '../../schemas/index.ts'
import { derivedViews } from '../../schemas/views/index.ts'
import { packageRoot } from '../lib/package-root.ts'
import { dataDictionary } from './data-dictionary.ts'
import { withDataDictionary } from './readme-tables.ts'

const path = join(packageRoot(), 'README.md')
writeFileSync(path, withDataDictionary(readFileSync(path, 'utf8'), dataDictionary(tables, derivedViews)))
