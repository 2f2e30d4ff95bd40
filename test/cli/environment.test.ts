import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commands } from '../../src/cli/commands/index.ts'
import { environmentValue, flagsWithVariable, otherVariables, variableOf } from '../../src/cli/settings.ts'
import { packageRoot } from '../../src/lib/package.ts'

test('an empty variable counts as not set', () => {
  expect(environmentValue('lake', { CHAINLAKE_LAKE: '/x' })).toBe('/x')
  expect(environmentValue('lake', { CHAINLAKE_LAKE: '' })).toBeUndefined()
})

test('every variable for a flag names an existing flag', () => {
  const flags = new Set(commands.flatMap((command) => Object.keys(command.options)))
  for (const flag of flagsWithVariable) expect(flags).toContain(flag)
})

test('every CHAINLAKE_ variable that the sources read is declared', () => {
  const source = join(packageRoot(), 'src')
  const names = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .flatMap((path) => readFileSync(join(source, path), 'utf8').match(/\bCHAINLAKE_[A-Z0-9_]*[A-Z]/g) ?? [])
  const declared = [...flagsWithVariable.map(variableOf), ...Object.keys(otherVariables)]
  for (const name of new Set(names)) expect(declared).toContain(name)
})
