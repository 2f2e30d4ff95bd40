import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../lib/files/package-root.ts'
import { readmeParts, withPart } from './readme-parts.ts'

for (const { document, name, text } of readmeParts()) {
  const path = join(packageRoot(), document)
  writeFileSync(path, withPart(readFileSync(path, 'utf8'), name, text))
}
