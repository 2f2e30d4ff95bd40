import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { repairLake } from '../../src/repair/repair-lake.ts'
import { verifyLake } from '../../src/verify/verify-lake.ts'
import { copyOf, legacyLake, soundLake } from '../verify/sound-lake.ts'
import { damage, dataFiles, tableOf } from './damage.ts'

let lakes: Record<string, string> = {}
beforeAll(async () => {
  lakes = { linear: await soundLake({ blocks: 30 }), legacy: await legacyLake({ blocks: 45 }) }
})

/** Tables to damage a file of: every table that other tables refer to, and one that only refers to others. */
const tried = [
  'p_blocks',
  'p_transactions',
  'p_outputs',
  'x_blocks',
  'x_transactions',
  'x_outputs',
  'c_transactions',
  'evm_blocks',
  'evm_logs',
  'containers',
  'x_vertices',
]

/** Tables that are optional or the only table of their stream. */
const unsaid = ['containers', 'c_senders', 'x_vertices']

/** Tables of the same chain and tables without a chain. The damage does not affect the others. */
const isBeside = (table: string) => (other: string) =>
  other.split('_')[0] === table.split('_')[0] || !other.includes('_')

test.each(['linear', 'legacy'])(
  'verify has no findings between a repair and the next run (%s), and reports the missing rows as awaited',
  async (which) => {
    const sound = lakes[which]!
    const paths = dataFiles(sound)
    const tables = [...new Set(paths.map(tableOf))].filter((table) => tried.includes(table))
    expect(tables.length).toBe(which === 'linear' ? 10 : 4)
    for (const table of tables) {
      const lake = copyOf(sound)
      damage(lake, paths.find((path) => path.startsWith(`${table}/`))!, 'gone', { random: () => 0, other: '' })
      const { plan } = await repairLake({ lake: { folder: lake }, requested: null, stop: new AbortController().signal })
      expect(plan.files.length, table).toBeGreaterThan(0)
      const { findings, remarks } = await verifyLake({
        lake: { folder: lake },
        tables: paths.map(tableOf).filter(isBeside(table)),
      })
      expect(findings, table).toEqual([])
      const said = remarks.map(({ message }) => message).join('\n')
      if (!unsaid.includes(table))
        expect(said, table).toMatch(
          new RegExp(`for ${table}: other tables of the stream cover them, ${table} does not`),
        )
      rmSync(dirname(lake), { recursive: true, force: true })
    }
  },
)
