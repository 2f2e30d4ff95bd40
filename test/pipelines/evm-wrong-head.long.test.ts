import { afterEach, expect, test } from 'vitest'
import { tables } from '../../schemas/index.ts'
import { openCatalog } from '../../src/catalog/catalog.ts'
import { newLake } from '../run/lake-run.ts'
import type { Call, Said } from '../sources/evm-node.ts'
import {
  endNodes,
  expected,
  granite,
  ofBlocks,
  ofLogs,
  type Requested,
  rowsOf,
  run,
  runWith,
  serve,
} from './evm-log-runs.ts'

afterEach(endNodes)

const early = granite.slice(0, 200)

/** Says that the newest and the finalized block have this number. */
const headAt =
  (number: number) =>
  ({ method, params: [tag] }: Call, honest: Said): Said | undefined => {
    if (method !== 'eth_getBlockByNumber' || !['latest', 'finalized'].includes(tag) || !('result' in honest)) return
    return { result: { ...(honest.result as object), number: `0x${number.toString(16)}` } }
  }

async function coveredEnd(lake: string): Promise<number> {
  const { coverage } = await (await openCatalog({ folder: lake }, tables)).inventory()
  return Math.max(0, ...coverage.map(({ slice }) => slice.to))
}

test.each<[string, () => Requested]>([
  ['evm-logs', ofLogs],
  ['evm-blocks', ofBlocks],
])(
  'a head of 100,000 instead of 200 covers no block that the chain does not have: first and later runs of %s',
  async (_, job) => {
    const lake = newLake()
    const lying = await serve({ interfere: headAt(100_000) }, early)
    await expect(runWith({ tries: 1 }, lake, lying, job())).rejects.toMatchObject({ exitCode: 3 })
    expect(await coveredEnd(lake)).toBeLessThanOrEqual(early.length)
    await run(lake, await serve({}, early), job())
    expect(await coveredEnd(lake)).toBe(early.length)
    await expect(runWith({ tries: 1 }, lake, lying, job())).rejects.toMatchObject({ exitCode: 3 })
    expect(await coveredEnd(lake)).toBe(early.length)
    await run(lake, await serve(), job())
    expect(await rowsOf(lake)).toEqual(await expected())
  },
)

test.each<[string, () => Requested]>([
  ['evm-logs', ofLogs],
  ['evm-blocks', ofBlocks],
])(
  'a head below the covered blocks takes nothing back, and a node without the new blocks is not believed: %s',
  async (_, job) => {
    const lake = newLake()
    await run(lake, await serve({}, early), job())
    expect(await run(lake, await serve({ interfere: headAt(100) }, early), job())).toMatchObject([{ upToDate: true }])
    // The head is of another node behind the URL, which has more blocks than the one that answers the rest.
    await expect(
      runWith({ tries: 1 }, lake, await serve({ interfere: headAt(granite.length - 1) }, early), job()),
    ).rejects.toMatchObject({
      exitCode: 3,
    })
    expect(await coveredEnd(lake)).toBe(early.length)
    await run(lake, await serve(), job())
    expect(await rowsOf(lake)).toEqual(await expected())
  },
)
