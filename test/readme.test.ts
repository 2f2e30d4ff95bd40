import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { pipelines } from '../pipelines/index.ts'
import { commands } from '../src/cli/commands/index.ts'
import { readmeParts, withPart } from '../src/cli/readme-parts.ts'
import { environment } from '../src/cli/settings/environment.ts'
import { packageRoot } from '../src/lib/files/package-root.ts'

const readme = readFileSync(join(packageRoot(), 'README.md'), 'utf8')

describe('the README', () => {
  test.each(commands.map(({ usage }) => usage))('has the command %s', (usage) => {
    expect(readme).toContain(`| \`${usage}\` |`)
  })
  test('has every environment variable and every pipeline', () => {
    for (const { name } of environment) expect(readme).toContain(`| \`${name}\` |`)
    for (const { name } of pipelines) expect(readme).toContain(`\`${name}\``)
  })
  test('names only existing scripts of package.json', () => {
    const { scripts } = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8'))
    for (const [, script] of readme.matchAll(/npm run ([a-z:-]+)/g)) expect(Object.keys(scripts)).toContain(script)
  })
})

test.each(readmeParts())(
  '$document contains the current text of $name (`npm run docs` updates it)',
  ({ document, name, text }) => {
    const whole = readFileSync(join(packageRoot(), document), 'utf8')
    expect(withPart(whole, name, text)).toBe(whole)
  },
)
