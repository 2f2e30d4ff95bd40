import { expect, test } from 'vitest'
import { evmBlocksPipeline } from '../../pipelines/evm-blocks.ts'
import type { RunEvent } from '../../src/run/events.ts'
import { type Said, startEvmNode } from '../sources/evm-node.ts'
import { hashOf, hexOf, type OtherBlock, otherChain } from '../sources/other-chain.ts'
import { exportLake } from './export-lake.ts'
import { jobOf } from './job-of.ts'
import { newLake, query } from './lake-run.ts'

/**
 * A node lies to a run that follows, and is honest again later. The run continues and has exactly the true rows, or it ends with an error and has
 * no row of another chain; then the next run has all of them.
 */

type State = {
  /** The newest block that the node has. */
  shown: number
  /** What it says of its newest and its last final block. */
  head?: ((shown: number, requests: number) => number) | undefined
  /** The block from which on it has those of a fork. */
  fork?: number
  /** How it answers for blocks that it does not have. */
  missing: Said
}
const nothing: Said = { result: null }
const words: Said = { error: { code: -32000, message: 'cannot query unfinalized data' } }

const begin = 20
const end = 28
const chain = otherChain('follow', end + 10)

/** The block of a fork that begins at a number. */
function forked(number: number, from: number): OtherBlock {
  const change = (text: string, at: number) =>
    at < from ? text : text.replaceAll(hashOf(`follow ${at}`), hashOf(`fork ${at}`))
  return JSON.parse(change(change(JSON.stringify(chain[number]), number), number - 1))
}

const lies: Readonly<Record<string, { readonly lie: Partial<State>; readonly ends?: string }>> = {
  'a head far ahead': { lie: { head: (shown) => shown + 5000 } },
  'a head far ahead, and words for missing blocks': { lie: { head: (shown) => shown + 5000, missing: words } },
  'a head that is one too high': { lie: { head: (shown) => shown + 1, missing: words } },
  'a head that goes back': { lie: { head: (shown) => shown - 15 } },
  'a head that stands still while blocks grow': { lie: { head: () => begin, shown: begin + 3 } },
  'heads of two nodes': { lie: { head: (shown, requests) => shown + (requests % 3) - 1, missing: words } },
  'another block in the place of the newest one': { lie: { fork: begin }, ends: 'catalog.other-source' },
  'other blocks above one that is gone': {
    lie: { fork: begin, shown: begin + 1 },
    ends: 'catalog.other-source',
  },
  'a fork far below': { lie: { fork: 5, shown: begin + 1 }, ends: 'catalog.other-source' },
}

test.each(Object.entries(lies))('a following run meets %s', async (_, { lie, ends }) => {
  const honest: State = { shown: begin, missing: nothing }
  let state = honest
  let requests = 0
  const node = await startEvmNode(chain, {
    interfere: ({ method, params: [tag] }, said) => {
      if (!['eth_getBlockByNumber', 'eth_getBlockReceipts'].includes(method)) return
      const isHead = !/^0x/.test(tag)
      const number = isHead ? state.shown : Number(tag)
      if (number > state.shown) return state.missing
      const found = number >= (state.fork ?? end + 10) ? forked(number, state.fork!) : chain[number]!
      if (method === 'eth_getBlockReceipts') return { result: found.receipts }
      if (!isHead) return 'result' in said ? { result: found.block } : said
      return { result: { ...found.block, number: hexOf(state.head?.(number, requests++) ?? number) } }
    },
  })
  const lake = newLake()
  const options = { node, lake, tries: 2, jobs: [jobOf(evmBlocksPipeline, { chain: node.url })] }
  const stop = new AbortController()
  const events: RunEvent[] = []
  const of = (...kinds: string[]) => events.filter(({ kind }) => kinds.includes(kind)).length
  let failure: { readonly code?: string } | null = null
  const following = exportLake({
    ...options,
    follow: { maxLagMs: 100 },
    stop: stop.signal,
    onEvent: (event) => void events.push(event),
  }).catch((error) => {
    failure = error
  })
  const until = (isThere: () => boolean) =>
    expect.poll(() => isThere() || failure !== null, { timeout: 60_000 }).toBe(true)
  await until(() => of('waiting') > 0)
  state = { ...honest, ...lie }
  const told = node.requested().length
  await until(() => node.requested().length > told + 12)
  state = { ...honest, shown: end }
  await until(() => events.some((event) => event.kind === 'waiting' && event.head === end))
  stop.abort(new Error('SIGTERM'))
  await following
  expect((failure as { readonly code?: string } | null)?.code).toBe(ends)
  await exportLake(options)
  await node.close()
  const rows = await query(lake, 'SELECT block_number::INT AS n, block_hash AS hash FROM evm_blocks ORDER BY n')
  expect(rows).toEqual(chain.slice(0, end + 1).map(({ block }, n) => ({ n, hash: block.hash })))
})
