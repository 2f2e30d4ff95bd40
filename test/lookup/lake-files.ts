import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { identity, type Table, t, table } from '../../src/define/index.ts'
import { type Lookup, openLookup } from '../../src/lookup/lookup.ts'
import { createParquetThread, type ParquetThread } from '../../src/write/parquet-thread.ts'
import { writeRows } from '../write/write-rows.ts'

/** Versions with a text, a number, a time and a null in their key. */
export const coins = table({
  name: 'coins',
  comment: 'Coins.',
  key: ['network', 'coin', 'place', 'seen_at', 'observed_at'],
  sortBy: ['coin'],
  partitionBy: [identity('network')],
  rowGroup: 'nested',
  history: 'versions',
  columns: {
    network: t.text('Network.'),
    coin: t.text('Coin.'),
    place: t.int64('Place.', { nullable: true }),
    seen_at: t.timestamp('Seen.', { nullable: true }),
    observation_id: t.address('Observation.'),
    observed_at: t.timestamp('When.'),
    version_hash: t.hex('Hash.'),
    present: t.boolean('Present.'),
    amount: t.u64('Amount.'),
    owners: t.list(t.address('Owner.'), 'Owners.', { nullable: true }),
  },
})

export type Coin = {
  network: string
  coin: string
  place: number | bigint | null
  seen_at: bigint | null
  observation_id: string
  observed_at: bigint
  version_hash: string
  present: boolean
  amount: bigint
  owners: string[] | null
}

export function coin(name: string, observation: number, amount: bigint, more: Partial<Coin> = {}): Coin {
  return {
    network: 'local',
    coin: name,
    place: null,
    seen_at: null,
    observation_id: `o${observation}`,
    observed_at: BigInt(observation) * 1_000_000n,
    version_hash: `h${amount}`,
    present: true,
    amount,
    owners: [`owner of ${name}`],
    ...more,
  }
}

export type LakeFiles = {
  readonly lookup: Lookup
  readonly lakeDir: string
  /** Writes rows as a run does; returns the file's path in the lake. */
  write(table: Table, rows: readonly object[]): Promise<string>
}

/** A folder with a lookup for the tests of one file; it is removed at the end. */
export function lakeFiles(): LakeFiles {
  let thread: ParquetThread
  let count = 0
  const lakeDir = mkdtempSync(join(tmpdir(), "chainlake lookup's [a]-"))
  const lookup = openLookup(lakeDir, 'test')
  beforeAll(() => {
    thread = createParquetThread()
  })
  afterAll(async () => {
    await lookup.close()
    await thread.close()
    rmSync(lakeDir, { recursive: true, force: true })
  })
  return {
    lookup,
    lakeDir,
    async write(table, rows) {
      const path = `${String(count++).padStart(6, '0')}.parquet`
      await writeRows(thread, join(lakeDir, path), table, rows)
      return path
    },
  }
}

export async function allRows(chunks: AsyncIterable<object[]>): Promise<any[]> {
  const rows: object[] = []
  for await (const chunk of chunks) rows.push(...chunk)
  return rows
}
