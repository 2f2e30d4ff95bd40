import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packageRoot } from '../src/lib/package.ts'

test('the README names only existing scripts of package.json', () => {
  const readme = readFileSync(join(packageRoot(), 'README.md'), 'utf8')
  const { scripts } = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8'))
  for (const [, script] of readme.matchAll(/npm run ([a-z:-]+)/g)) expect(Object.keys(scripts)).toContain(script)
})
