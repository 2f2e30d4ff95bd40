import { DuckDBInstance } from '@duckdb/node-api'
import { expect, test } from 'vitest'
import { cBlocks } from '../../../schemas/c-blocks.ts'
import { evmBlocks } from '../../../schemas/evm-blocks.ts'
import type { LakeRows } from '../../../src/verify/lake/lake-rows.ts'
import { seconds } from '../../../src/verify/lake/pair-values.ts'
import { sourcePairs } from '../../../src/verify/rows/source-pairs.ts'
import { verifyPair } from '../../../src/verify/rows/verify-pair.ts'

const slice = { from: 0, to: 10 }
const pair = sourcePairs.find(({ own, other }) => own.table === cBlocks && other.table === evmBlocks)!

/** The queries on a lake that covers the C-Chain by its index and an EVM chain by RPC. */
async function askedOf(network: string, networkId: number, evmChain: string): Promise<string> {
  const requested: string[] = []
  const rows = {
    engine: {
      async rows(sql: string) {
        requested.push(sql)
        return []
      },
    },
    inventory: {
      networks: [{ network, networkId, chains: [] }],
      coverage: [
        { network, stream: `${network}/C/block`, table: 'c_blocks', slice },
        { network, stream: `${network}/evm-blocks/${evmChain}`, table: 'evm_blocks', slice },
      ],
    },
    filesOf: () => [],
    boundedFiles: async () => [],
    filesBetween: async () => [],
    relation: () => '(SELECT 1)',
  } as unknown as LakeRows
  await verifyPair(rows, pair)
  return requested.join('\n')
}

test('C-Chain rows count as missing only in blocks of the C-Chain by RPC, not of another EVM chain of the node', async () => {
  const isMissing = 'WHEN other.k0 IS NULL AND (false) THEN'
  expect(await askedOf('local', 12345, '43112')).not.toContain(isMissing)
  expect(await askedOf('local', 12345, '777')).toContain(isMissing)
  expect(await askedOf('network-88003', 88003, '43112')).toContain(isMissing)
})

test('times that a service cuts off to seconds are equal to those with milliseconds, also after half a second', async () => {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  const secondsIn = async (block_time: string) => {
    const reader = await connection.runAndReadAll(
      `SELECT ${seconds['block_time']![0]} AS s FROM (SELECT '${block_time}'::TIMESTAMPTZ AS block_time)`,
    )
    return reader.getRows()[0]![0]
  }
  expect(await secondsIn('2025-11-01 14:00:00.999+00')).toBe(await secondsIn('2025-11-01 14:00:00+00'))
  expect(await secondsIn('2025-11-01 14:00:01+00')).not.toBe(await secondsIn('2025-11-01 14:00:00.999+00'))
  connection.closeSync()
})

test('no pair rounds a time up to the next second', () => {
  const values = sourcePairs.flatMap((each) => Object.values(each.values).flat())
  expect(values.filter((sql) => /\bepoch\(/.test(sql))).toEqual([])
  expect(values.some((sql) => /\bepoch_us\(source_time\)/.test(sql))).toBe(true)
})
