import { cpSync } from 'node:fs'
import { afterAll, beforeAll } from 'vitest'
import { type Devnet, startDevnet } from '../../devnet/serve.ts'
import { tables } from '../../schemas/index.ts'
import { openCatalog } from '../../src/catalog/catalog.ts'
import { repairLake } from '../../src/repair/repair-lake.ts'
import { verifyLake } from '../../src/verify/verify-lake.ts'
import { exportLake } from '../run/export-lake.ts'
import { newLake, rowSets } from '../run/lake-run.ts'

/** A lake with four and a half units of p-blocks and raw containers, and the repairs on copies of it. */
export function rangeLake() {
  let node: Devnet
  let whole = ''
  let rows: Awaited<ReturnType<typeof rowSets>>

  beforeAll(async () => {
    node = await startDevnet({ seed: 11, blocks: 90 })
    whole = newLake()
    for (const to of [40, 91]) await exportLake({ node, lake: whole, raw: true, unit: 20, to })
    rows = await rowSets(whole)
  })
  afterAll(() => node.close())

  return {
    node: () => node,
    whole: () => whole,
    rows: () => rows,
    /** A copy of the lake, so that each test has its own. */
    copied(): string {
      const lake = newLake()
      cpSync(whole, lake, { recursive: true })
      return lake
    },
    goOn: (lake: string) => exportLake({ node, lake, raw: true, unit: 20 }),
    repair: (lake: string, options: object = {}) =>
      repairLake({ lake: { folder: lake }, requested: null, stop: new AbortController().signal, ...options }),
    coverageOf: async (lake: string, table: string) =>
      (await (await openCatalog({ folder: lake }, tables)).inventory()).coverage.filter((row) => row.table === table),
    findingsOf: async (lake: string, fast = false) => (await verifyLake({ lake: { folder: lake }, fast })).findings,
  }
}
