import { expect } from 'vitest'
import { evmBlocksPipeline } from '../../pipelines/evm-blocks.ts'
import { evmLogsPipeline } from '../../pipelines/evm-logs.ts'
import type { Pipeline } from '../../src/define/index.ts'
import { runPipelines } from '../../src/run/jobs/run-pipelines.ts'
import { recordedAnswers } from '../decode/evm/rpc-facts.ts'
import { jobOf } from '../run/job-of.ts'
import { newLake, query, strayFiles } from '../run/lake-run.ts'
import { type EvmNode, type EvmNodeOptions, startEvmNode } from '../sources/evm-node.ts'

/** Running nodes; `endNodes` closes them. */
const nodes: EvmNode[] = []

export async function endNodes(): Promise<void> {
  for (const node of nodes.splice(0)) await node.close()
}

export const granite = recordedAnswers('granite')
/** All logs of a recorded chain, from its receipts. */
export function logsOf(chain: typeof granite): any[] {
  return chain.flatMap(({ receipts }) => receipts.flatMap((receipt) => receipt.logs))
}

export const logs = logsOf(granite)
export const contracts = [...new Set(logs.map(({ address }) => address as string))]
/** Serves the recorded chain from its own node. */
export async function serve(options: EvmNodeOptions = {}, chain = granite): Promise<EvmNode> {
  const node = await startEvmNode(chain, options)
  nodes.push(node)
  return node
}

export type Requested = {
  readonly pipeline: Pipeline
  readonly values: object
}
export const ofLogs = (values: object = {}): Requested => ({ pipeline: evmLogsPipeline, values })
export const ofBlocks = (values: object = {}): Requested => ({ pipeline: evmBlocksPipeline, values })

/** Runs the jobs once over the chain of a node. */
export function run(lake: string, node: EvmNode, ...requested: readonly Requested[]) {
  return runWith({}, lake, node, ...requested)
}

/** Runs the jobs with a number of tries for each request. */
export async function runWith(
  tries: { readonly tries?: number },
  lake: string,
  node: EvmNode,
  ...requested: readonly Requested[]
) {
  const { jobs } = await runPipelines({
    ...tries,
    nodeUrl: 'http://127.0.0.1:1',
    lake: { folder: lake },
    jobs: requested.map(({ pipeline, values }, at) => ({
      ...jobOf(pipeline, { chain: node.url, ...values }),
      name: `job-${at}`,
    })),
    stop: new AbortController().signal,
    emit: () => undefined,
  })
  return jobs
}

export const callsOf = (node: EvmNode, method: string) =>
  node
    .requested()
    .flat()
    .filter((call) => call.method === method)

/** The calls to eth_getLogs for ranges. Blocks near the head are requested by hash too. */
export const rangesOf = (node: EvmNode) =>
  callsOf(node, 'eth_getLogs').filter(({ params: [{ blockHash }] }) => blockHash === undefined)

/** Counts and hashes of the rows of both tables; fails on duplicate keys and stray files. */
export async function rowsOf(lake: string) {
  const found: Record<string, unknown> = {}
  for (const [table, key] of [
    ['evm_logs', 'block_number, transaction_index, log_index'],
    ['evm_token_transfers', 'block_number, transaction_index, log_index, position'],
  ] as const) {
    const [row] = await query(
      lake,
      `SELECT count(*)::INT AS rows, count(DISTINCT (${key}))::INT AS keys,
         md5(string_agg(md5(t::VARCHAR), '' ORDER BY ${key})) AS hash FROM ${table} t`,
    )
    expect(row!['keys'], table).toBe(row!['rows'])
    found[table] = row
  }
  expect(await strayFiles(lake)).toEqual([])
  return found
}

let whole: Promise<Record<string, unknown>> | undefined

/** The rows that evm-blocks alone stores. */
export function expected(): Promise<Record<string, unknown>> {
  whole ??= (async () => {
    const lake = newLake()
    await run(lake, await serve(), ofBlocks())
    return rowsOf(lake)
  })()
  return whole
}
