import { cpSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../../src/devnet/serve.ts'
import { stepNames } from '../../src/lib/step.ts'
import { exportLake } from '../run/export-lake.ts'
import { command, newLake, query, rowSets, strayFiles } from '../run/lake-run.ts'
import { damage, dataFiles } from './damage.ts'

const unit = 20
/** Every step of a repair; the names come from the list of steps, so that none is forgotten. */
const points = [
  'run.registered#1',
  'repair.before-begin#1',
  'repair.after-files#1',
  'repair.after-coverage#1',
  'repair.after-commit#1',
  'repair.after-close#1',
  ...stepNames.filter((name) => name.startsWith('publish.')).map((name) => `${name}#1`),
  'run.before-end#1',
  'run.after-end#1',
]

describe('a killed repair', () => {
  let node: Devnet
  let damaged = ''
  let rows: Awaited<ReturnType<typeof rowSets>>

  beforeAll(async () => {
    node = await startDevnet({ seed: 17, blocks: 80 })
    damaged = newLake()
    for (const to of [40, 80]) await exportLake({ node, lake: damaged, unit, to })
    rows = await rowSets(damaged)
    for (const [at, path] of dataFiles(damaged).entries())
      if (at % 3 === 0) damage(damaged, path, at % 2 === 0 ? 'gone' : 'byte', { random: () => 0.4, other: '' })
  })
  afterAll(() => node.close())

  test.each(points)('at %s: the next repair and run restore every row', async (point) => {
    const lake = newLake()
    cpSync(damaged, lake, { recursive: true })
    const killed = await command(['repair', '--lake', lake], { CHAINLAKE_DIE_AT: point })
    expect(killed.signal, killed.stderr).toBe('SIGKILL')
    const again = await command(['repair', '--lake', lake])
    expect(again.code, again.stderr).toBe(0)
    // The views show the remaining rows, whichever repair published them.
    for (const name of ['p_blocks', 'p_outputs']) await query(lake, `from ${name}`)
    await exportLake({ node, lake, unit })
    expect(await rowSets(lake)).toEqual(rows)
    const verified = await command(['verify', '--lake', lake])
    expect(verified.code, verified.stdout).toBe(0)
    const left = (await strayFiles(lake)).filter((path) => !path.startsWith('data/'))
    expect(left).toEqual([])
  })
})
