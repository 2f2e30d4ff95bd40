import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { startDevnet } from '../../devnet/serve.ts'
import { verifyLake } from '../../src/verify/verify-lake.ts'
import { command, newLake } from '../run/lake-run.ts'
import { otherValue } from './alter-columns.ts'
import { filesOf, type Row, rewriteFile } from './rewrite-file.ts'
import { copyOf } from './sound-lake.ts'

let sound = ''
beforeAll(async () => {
  sound = newLake()
  const node = await startDevnet({ seed: 31, blocks: 300 })
  try {
    for (const args of [['p-blocks', '--to', '300'], ['validators'], ['health'], ['rewards-utxos']]) {
      const { code, stderr } = await command(['run', ...args, '--lake', sound, '--node-url', node.url])
      expect(code, stderr.slice(-2000)).toBe(0)
    }
  } finally {
    await node.close()
  }
}, 600_000)

async function firstFile(lake: string, table: string): Promise<string> {
  const [file] = await filesOf(lake, table)
  return file ?? ''
}

type Change = (rows: Row[]) => Row[]

const altered =
  (column: string): Change =>
  (rows) => {
    const at = rows.findIndex((row) => row[column]?.length !== 0)
    return rows.map((row, position) => (position === at ? { ...row, [column]: otherValue(row[column]) } : row))
  }

describe('the observations of a node', () => {
  test('are sound as they were read', async () => {
    expect((await verifyLake({ lake: { folder: sound } })).findings).toEqual([])
  })

  test.each<[what: string, table: string, change: Change, expected: object]>([
    [
      'a report with another number of checks',
      'node_health_reports',
      altered('check_count'),
      { kind: 'rows.count', table: 'node_health', otherTable: 'node_health_reports' },
    ],
    [
      'a check of another endpoint',
      'node_health',
      altered('endpoint'),
      { kind: 'rows.orphan', table: 'node_health', otherTable: 'node_health_reports' },
    ],
    [
      'a subject that was not observed',
      'observations',
      altered('subject'),
      { kind: 'rows.orphan', otherTable: 'observations' },
    ],
    [
      'rows of another subject',
      'node_validators',
      altered('subject'),
      { kind: 'rows.orphan', table: 'node_validators', otherTable: 'observations' },
    ],
    [
      'a reward in a UTXO of another transaction',
      'node_reward_utxos',
      altered('utxo_ids'),
      { kind: 'rows.value', table: 'node_reward_utxos', columns: ['tx_id', 'utxo_ids'] },
    ],
  ])('with %s have a finding', async (_, table, change, expected) => {
    const lake = copyOf(sound)
    await rewriteFile(lake, await firstFile(lake, table), change)
    const { findings } = await verifyLake({ lake: { folder: lake } })
    expect(findings).toContainEqual(expect.objectContaining(expected))
  })

  test('are not compared with rows that a repair removed for good, and verify reports this', async () => {
    const lake = copyOf(sound)
    rmSync(join(lake, await firstFile(lake, 'node_health')))
    const { code, stdout } = await command(['repair', '--accept-loss', '--lake', lake])
    expect(code, stdout).toBe(0)
    const { findings, unverifiable } = await verifyLake({ lake: { folder: lake } })
    expect(findings).toEqual([])
    expect(unverifiable.map(({ table, reason }) => `${table}: ${reason}`)).toContainEqual(
      expect.stringMatching(/^node_health: a repair removed rows/),
    )
  })
})
