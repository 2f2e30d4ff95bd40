import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { pipelines } from '../pipelines/index.ts'
import { commands } from '../src/cli/commands/index.ts'
import { environmentPart, pipelinesPart, withPart } from '../src/cli/readme-parts.ts'
import { environment } from '../src/cli/settings/environment.ts'
import { packageRoot } from '../src/lib/package-root.ts'

const readme = readFileSync(join(packageRoot(), 'README.md'), 'utf8')

describe('the README', () => {
  test.each(commands.map(({ usage }) => usage))('has the command %s', (usage) => {
    expect(readme).toContain(`| \`${usage}\` |`)
  })
  test('has every environment variable, as declared', () => {
    for (const { name } of environment) expect(readme).toContain(`| \`${name}\` |`)
    expect(withPart(readme, 'environment', environmentPart())).toBe(readme)
  })
  test('has every pipeline, as declared (write both anew with `npm run docs`)', () => {
    for (const { name } of pipelines) expect(readme).toContain(`| \`${name}\` |`)
    expect(withPart(readme, 'pipelines', pipelinesPart(pipelines))).toBe(readme)
  })
  test('names every script of package.json that it tells to run', () => {
    const { scripts } = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8'))
    for (const [, script] of readme.matchAll(/npm run ([a-z:-]+)/g)) expect(Object.keys(scripts)).toContain(script)
  })
})
