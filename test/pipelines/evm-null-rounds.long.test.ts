import { afterEach, expect, test } from 'vitest'
import { evmBalancesPipeline } from '../../pipelines/evm-balances.ts'
import type { Pipeline } from '../../src/define/index.ts'
import { gapsOf, lakeStatus } from '../../src/run/status/lake-status.ts'
import { verifyLake } from '../../src/verify/verify-lake.ts'
import { newLake, query } from '../run/lake-run.ts'
import { endNodes, granite, ofBlocks, ofLogs, run, serve } from './evm-log-runs.ts'

afterEach(endNodes)

const left = [7, 11, 12, 19]

/** The recorded chain with hashes that do not derive from headers, as those of Filecoin. */
const hashes = new Map(granite.map(({ block }, number) => [block.hash, `0x${String(number).padStart(64, '9')}`]))
const hashed: typeof granite = JSON.parse(
  JSON.stringify(granite.slice(0, 30)).replace(/0x[0-9a-f]{64}/g, (hash) => hashes.get(hash) ?? hash),
)

/** Its first blocks without some numbers, as Filecoin leaves them out. */
const chain = hashed.flatMap((each, number) => {
  if (left.includes(number)) return []
  let before = number - 1
  while (left.includes(before)) before--
  return [before < 0 ? each : { ...each, block: { ...each.block, parentHash: hashed[before]!.block.hash } }]
})
const numbers = Array.from({ length: 30 }, (_, number) => number).filter((number) => !left.includes(number))
const node = () =>
  serve(
    {
      interfere: ({ method }, honest) => {
        if (method === 'eth_chainId') return { result: '0x13a' }
        if (method === 'eth_getBalance') return { result: '0x1' }
        const isNone = method.startsWith('eth_getBlock') && 'result' in honest && honest.result === null
        return isNone ? { error: { code: 12, message: 'requested epoch was a null round' } } : undefined
      },
    },
    chain,
  )
const blocksIn = async (lake: string, table: string) =>
  (await query(lake, `SELECT DISTINCT block_number::INT AS n FROM ${table} ORDER BY n`)).map(({ n }) => n)

test('A lake of a chain with null rounds is covered as a whole, and verify and gaps agree', async () => {
  const lake = newLake()
  const filecoin = await node()
  // Slices that begin and end at null rounds.
  await run(lake, filecoin, ofBlocks({ from: 7, to: 12 }))
  await run(lake, filecoin, ofBlocks({ from: 12, to: 20 }))
  await run(lake, filecoin, ofBlocks())
  expect(await blocksIn(lake, 'evm_blocks')).toEqual(numbers)
  const requested = filecoin.requested().length
  const [again] = await run(lake, filecoin, ofBlocks())
  expect(again).toMatchObject({ upToDate: true, units: 0 })
  expect(filecoin.requested().length - requested).toBeLessThan(12)
  const logs = await run(lake, filecoin, ofLogs({ to: 20 }))
  expect(logs).toHaveLength(1)
  const address = `0x${'1'.repeat(40)}`
  await run(lake, filecoin, {
    pipeline: evmBalancesPipeline as Pipeline,
    values: { addresses: [address], from: 5, to: 14 },
  })
  expect(await blocksIn(lake, 'evm_balances')).toEqual([5, 6, 8, 9, 10, 13])
  await expect(
    run(lake, filecoin, { pipeline: evmBalancesPipeline as Pipeline, values: { addresses: [address], blocks: ['7'] } }),
  ).rejects.toMatchObject({ code: 'config.no-block' })
  expect((await verifyLake({ lake: { folder: lake } })).findings).toEqual([])
  expect(gapsOf(await lakeStatus({ folder: lake }))).toEqual([])
})

test('Numbers that a chain may have left out are a remark of verify where a step keeps their proof out of the lake', async () => {
  const lake = newLake()
  await run(lake, await node(), ofBlocks({ step: 3 }))
  expect(await blocksIn(lake, 'evm_blocks')).toEqual(numbers.filter((number) => number % 3 === 0))
  const { findings, remarks } = await verifyLake({ lake: { folder: lake } })
  expect(findings).toEqual([])
  expect(remarks.filter(({ message }) => /no block/.test(message))).toMatchObject([
    { stream: expect.stringMatching(/step=3$/), message: expect.stringMatching(/^1 number has no block\./) },
  ])
})
