import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { packageRoot } from '../../src/lib/files/package-root.ts'
import { documents } from './documents.ts'

for (const { path, text } of documents()) {
  const file = join(packageRoot(), path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
