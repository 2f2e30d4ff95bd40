import { DuckDBInstance } from '@duckdb/node-api'
import { expect, test } from 'vitest'
import { cBlocks } from '../../../schemas/c-chain.ts'
import { evmBlocks, evmTokenTransfers } from '../../../schemas/evm-blocks.ts'
import { restErc20Transfers } from '../../../schemas/rest-tokens.ts'
import type { Table } from '../../../src/define/index.ts'
import { serviceStream } from '../../../src/define/index.ts'
import { runCheck } from '../../../src/verify/checks.ts'
import type { LakeRows } from '../../../src/verify/lake.ts'
import { pairCheck, seconds, sourcePairs } from '../../../src/verify/source-pairs.ts'

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
        { network, origin: { kind: 'block', chain: 'C', parameters: {} }, table: 'c_blocks', slice },
        { network, origin: serviceStream(network, 'evm-blocks', {}, evmChain), table: 'evm_blocks', slice },
      ],
    },
    filesOf: () => [],
    boundedFiles: async () => [],
    filesBetween: async () => [],
    relation: () => '(SELECT 1)',
  } as unknown as LakeRows
  await runCheck(rows, pairCheck(rows, pair))
  return requested.join('\n')
}

test('C-Chain rows count as missing only in blocks of the C-Chain by RPC, not of another EVM chain of the node', async () => {
  const isMissing = 'WHEN other.k0 IS NULL AND (false) THEN'
  expect(await askedOf('local', 12345, '43112')).not.toContain(isMissing)
  expect(await askedOf('local', 12345, '777')).toContain(isMissing)
  expect(await askedOf('network-88003', 88003, '43112')).toContain(isMissing)
})

/** Compares transfers of one block from logs and from the service, of a chain that counts logs within the transaction. */
async function transfersCompared(fromLogs: readonly Transfer[], fromService: readonly Transfer[]) {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  const side = (transfers: readonly Transfer[]) =>
    `(SELECT 'local' AS network, '43112' AS chain_id, 5::BIGINT AS block_number, 0::BIGINT AS log_index, hash AS transaction_hash,
        'erc20' AS standard, '0x01' AS from_address, '0x02' AS to_address, '0x03' AS token_address, amount AS amount_raw,
        '2025-11-01 14:00:00+00'::TIMESTAMPTZ AS block_time
      FROM (VALUES ${transfers.map(({ hash, amount }) => `('${hash}', '${amount}')`).join(', ')}) t(hash, amount))`
  const rows = {
    engine: { rows: async (sql: string) => (await connection.runAndReadAll(sql)).getRowObjectsJS() },
    inventory: { networks: [{ network: 'local', networkId: 12345, chains: [] }], coverage: [] },
    filesOf: () => [],
    boundedFiles: async () => [],
    filesBetween: async () => [],
    relation: (table: Table) => side(table === evmTokenTransfers ? fromLogs : fromService),
  } as unknown as LakeRows
  const transfers = sourcePairs.find(
    ({ own, other }) => own.table === evmTokenTransfers && other.table === restErc20Transfers,
  )!
  const checked = await runCheck(rows, pairCheck(rows, transfers))
  connection.closeSync()
  return checked
}
type Transfer = { readonly hash: string; readonly amount: string }

test('transfers of the service are paired with those of logs by block, log index and transaction, which the index alone does not name', async () => {
  const [one, two] = [
    { hash: '0xaa', amount: '7' },
    { hash: '0xbb', amount: '8' },
  ]
  const equal = await transfersCompared([one, two], [two, one])
  expect(equal.findings).toEqual([])
  expect(equal.remarks).toMatchObject([{ rows: { alike: 2, only: { evm_token_transfers: 0 } } }])
  const { findings } = await transfersCompared([one, two], [one, { ...two, amount: '9' }])
  expect(findings).toMatchObject([
    { kind: 'source.different', columns: ['amount_raw'], expected: '8', found: '9 in rest_erc20_transfers', height: 5 },
  ])
  expect(findings[0]!.key).toMatchObject({ transaction_hash: '0xbb', block_number: '5', log_index: '0' })
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
