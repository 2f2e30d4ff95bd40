import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../../devnet/serve.ts'
import { pBlocksPipeline } from '../../pipelines/p-blocks.ts'
import { rewardsUtxosPipeline } from '../../pipelines/rewards-utxos.ts'
import { utxoSetPipeline } from '../../pipelines/utxo-set.ts'
import { xBlocksPipeline } from '../../pipelines/x-blocks.ts'
import { xTransactionsPipeline } from '../../pipelines/x-transactions.ts'
import { resolveJob } from '../../src/cli/jobs/jobs.ts'
import { type Pipeline, theNode } from '../../src/define/index.ts'
import { createConnections } from '../../src/run/connections/connections.ts'
import { isSkipped } from '../../src/run/jobs/run-groups.ts'
import { ledgers } from '../../src/verify/inputs.ts'
import { nodeQuestions } from '../../src/verify/source/sample.ts'
import { utxosOfNode } from '../../src/verify/source/utxos.ts'
import { verifyLake } from '../../src/verify/verify-lake.ts'
import { exportLake } from '../run/export-lake.ts'
import { jobOf } from '../run/job-of.ts'
import { newLake, query } from '../run/lake-run.ts'
import { filesOf, type Row, rewriteFile } from './rewrite-file.ts'
import { copyOf } from './sound-lake.ts'

let node: Devnet
const lake = newLake()

async function runAll(place: string, jobs: readonly (readonly [Pipeline, object?])[]) {
  for (const [pipeline, given = {}] of jobs) {
    const job = await resolveJob(
      { kind: 'requested', name: pipeline.name, pipeline, given: { ...given } },
      { folder: place },
    )
    if (isSkipped(job)) throw new Error(`${pipeline.name} is skipped`)
    await exportLake({ node, lake: place, jobs: [job] })
  }
}

const state = [[rewardsUtxosPipeline], [utxoSetPipeline], [utxoSetPipeline, { chain: 'X' }]] as const

beforeAll(async () => {
  node = await startDevnet({ port: 0, seed: 6, legacy: true, blocks: 400 })
  await runAll(lake, [[pBlocksPipeline], [xBlocksPipeline], [xTransactionsPipeline], ...state])
})
afterAll(() => node.close())

async function compared(lakeDir: string, nodeUrl = node.url, sample = 100) {
  const { findings, remarks } = await verifyLake({ lake: { folder: lakeDir }, fast: true, node: { nodeUrl, sample } })
  const said = remarks.map(({ message }) => message).filter((message) => /UTXO/i.test(message))
  return { findings, said: said.join('\n') }
}

/** The node behind a proxy that inspects each request. */
async function behind(watch: (body: string) => Promise<'pass' | 'refuse'>): Promise<Server> {
  const server = createServer(async (requested, answer) => {
    const pieces: Buffer[] = []
    for await (const piece of requested) pieces.push(piece as Buffer)
    const body = Buffer.concat(pieces)
    if ((await watch(body.toString())) === 'refuse') return answer.writeHead(404).end('404 page not found')
    const { method = 'POST', headers } = requested
    const forwarded = request(new URL(requested.url ?? '', node.url), { method, headers }, (from) => {
      answer.writeHead(from.statusCode ?? 500, from.headers)
      from.pipe(answer)
    })
    return forwarded.end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}
const urlOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

describe('UTXOs of sampled addresses', () => {
  test('match the list of the node on both chains, also with transactions from before the X-Chain was linear', async () => {
    const { findings, said } = await compared(lake)
    expect(findings).toEqual([])
    expect(said).toMatch(/UTXOs of \d\d addresses of P were compared with the node: [\d,]+ unspent UTXOs are equal/)
    expect(said).toMatch(/UTXOs of \d\d addresses of X were compared with the node: [\d,]+ unspent UTXOs are equal/)
    expect(said).not.toContain('The node lists')
  })

  test('are compared, and so are earlier transactions by id, whatever their position in the index', async () => {
    const { findings, said } = await compared(lake, node.url, 20)
    expect(findings).toEqual([])
    expect(said).toContain('index.getContainerByID of X/tx (20)')
    const damaged = copyOf(lake)
    for (const file of await filesOf(damaged, 'x_transactions'))
      await rewriteFile(damaged, file, (rows) =>
        rows.map((row) => (row['timestamp_source'] === 'accepted' ? { ...row, tx_type: 'other' } : row)),
      )
    expect((await compared(damaged, node.url, 3)).findings).toContainEqual(
      expect.objectContaining({ kind: 'source.different', table: 'x_transactions', found: 'other' }),
    )
  })

  test('with a wrong amount, a wrong spend, a missing spend or a missing output are each named', async () => {
    const unspent = await query(
      lake,
      `SELECT utxo_id, tx_id, output_index, amount FROM p_utxos WHERE origin IS NULL AND stakeable_locktime IS NULL ORDER BY utxo_id LIMIT 3`,
    )
    const [other, spent, gone] = unspent as [Row, Row, Row]
    const [freed] = await query(
      lake,
      'SELECT utxo_id, tx_id, output_index FROM x_utxo_spans WHERE spent_tx_id IS NOT NULL AND height > 0 ORDER BY utxo_id LIMIT 1',
    )
    const damaged = copyOf(lake)
    for (const file of await filesOf(damaged, 'p_outputs'))
      await rewriteFile(damaged, file, (rows) =>
        rows
          .filter((row) => row['utxo_id'] !== gone['utxo_id'])
          .map((row) => (row['utxo_id'] === other['utxo_id'] ? { ...row, amount: BigInt(row['amount']) + 1n } : row)),
      )
    const [inputs = ''] = await filesOf(damaged, 'p_inputs')
    await rewriteFile(damaged, inputs, (rows) =>
      rows.map((row, at) =>
        at === 0
          ? {
              ...row,
              kind: 'transfer',
              source_tx_id: spent['tx_id'],
              source_output_index: Number(spent['output_index']),
            }
          : row,
      ),
    )
    for (const file of await filesOf(damaged, 'x_inputs'))
      await rewriteFile(damaged, file, (rows) =>
        rows.map((row) =>
          row['source_tx_id'] === freed!['tx_id'] &&
          Number(row['source_output_index']) === Number(freed!['output_index'])
            ? { ...row, source_output_index: 9_999 }
            : row,
        ),
      )
    const { findings } = await compared(damaged, node.url, 400)
    const named = (utxo: Row) => findings.filter(({ key }) => key?.['utxo_id'] === utxo['utxo_id'])
    expect(named(other)).toEqual([
      expect.objectContaining({
        kind: 'source.different',
        message: 'amount of a UTXO differs from the node.',
        table: 'p_outputs',
        expected: String(other['amount']),
        found: String(BigInt(other['amount']) + 1n),
      }),
    ])
    expect(named(spent)).toEqual([
      expect.objectContaining({ kind: 'source.different', found: expect.stringContaining('spent by') }),
    ])
    expect(named(gone)[0]).toMatchObject({ kind: 'source.missing' })
    expect(named(freed!)[0]).toMatchObject({ kind: 'source.extra', table: 'x_outputs' })
  })

  test('of rewards or missing transactions that only the node lists are counted and are no findings', async () => {
    const bare = newLake()
    await runAll(bare, [[pBlocksPipeline], [xBlocksPipeline]])
    const laterOf = (text: string) =>
      Number(/The node lists ([\d,]+) rewards and refunds of these addresses that are in no container/.exec(text)?.[1])
    const before = await compared(bare)
    // Replaces the last output of a staker by one that its transaction did not create.
    const [last] = await query(
      bare,
      `SELECT tx_id, output_index FROM p_utxos JOIN p_transactions USING (network, tx_id)
       WHERE tx_type = 'AddValidatorTx' AND output_index = output_count - 1 ORDER BY tx_id LIMIT 1`,
    )
    const isLast = (row: Row) => row['tx_id'] === last!['tx_id']
    for (const file of await filesOf(bare, 'p_outputs'))
      await rewriteFile(bare, file, (rows) =>
        rows.filter((row) => !isLast(row) || Number(row['output_index']) !== Number(last!['output_index'])),
      )
    for (const file of await filesOf(bare, 'p_transactions'))
      await rewriteFile(bare, file, (rows) =>
        rows.map((row) => (isLast(row) ? { ...row, output_count: Number(last!['output_index']) } : row)),
      )
    const { findings, said } = await compared(bare)
    expect(findings.filter(({ message }) => message.includes('UTXO'))).toEqual([])
    expect(laterOf(before.said)).toBeGreaterThan(0)
    expect(laterOf(said)).toBe(laterOf(before.said) + 1)
    expect(said).toMatch(/The node lists [\d,]+ UTXOs of these addresses from transactions that are not in the lake/)
  })

  test('are not compared when the lake does not cover the whole chain, and verify reports this', async () => {
    const later = newLake()
    await exportLake({
      node,
      lake: later,
      jobs: [jobOf(pBlocksPipeline, { from: 5 }), jobOf(xBlocksPipeline), jobOf(xTransactionsPipeline, { to: 3 })],
    })
    const { findings, said } = await compared(later)
    expect(findings).toEqual([])
    expect(said).toContain(
      'UTXOs of P were not compared with the node: the lake does not cover the chain from its first block.',
    )
    expect(said).toMatch(/UTXOs of X were not compared with the node: the lake covers 3 of \d+ transactions of X\/tx\./)
  })

  test('are not compared when the node has no such method, and the other chain is compared', async () => {
    const server = await behind(async (body) => (body.includes('platform.getUTXOs') ? 'refuse' : 'pass'))
    const { findings, said } = await compared(lake, urlOf(server))
    server.close()
    expect(findings).toEqual([])
    expect(said).toContain('Skipped: the node does not have platform.getUTXOs of P.')
    expect(said).toContain('UTXOs of P were not compared with the node: the node does not list UTXOs.')
    expect(said).toContain('addresses of X were compared with the node')
  })

  test('are complete when the node returns them in several pages', async () => {
    const [{ address } = { address: '' }] = await query(
      lake,
      'SELECT address, count(*) AS n FROM (SELECT unnest(addresses) AS address FROM x_utxos) GROUP BY address ORDER BY n DESC LIMIT 1',
    )
    const connections = createConnections({ nodeUrl: node.url, emit: () => undefined })
    const identity = await connections.facts.node()
    const ledger = ledgers.find(({ outputs }) => outputs.name === 'x_outputs')!
    const { network, chains } = identity
    const blockchainId = chains.find(({ alias }) => alias === 'X')!.blockchainId
    const chain = { network, name: 'X', stream: `${network}/X/block`, blockchainId, ledger, state: ledger.state! }
    const options = {
      connection: connections.connection(theNode),
      identity,
      sample: 1,
      stop: new AbortController().signal,
      onProgress: () => undefined,
    }
    const questions = nodeQuestions()
    const whole = await utxosOfNode(chain, String(address), { ...options, questions })
    const paged = await utxosOfNode(chain, String(address), { ...options, questions }, 3)
    await connections.close()
    const ids = (outcome: typeof whole) =>
      outcome !== null && 'answer' in outcome ? outcome.answer.map(({ utxo_id: id }) => id) : []
    expect(ids(whole).length).toBeGreaterThan(9)
    expect(ids(paged).toSorted()).toEqual(ids(whole).toSorted())
    expect(questions.remarks()[0]?.message).toMatch(/xvm.getUTXOs of X \(([6-9]|\d\d+)\)/)
  })
})

test('a chain that grows before or during the comparison is reported and is no finding', async () => {
  let grown = false
  const server = await behind(async (body) => {
    if (body.includes('platform.getUTXOs') && !grown) {
      grown = true
      await node.grow(30)
    }
    return 'pass'
  })
  const first = await compared(lake, urlOf(server))
  server.close()
  expect(first.findings).toEqual([])
  expect(first.said).toMatch(
    /UTXOs of P were compared with the node for 0 of \d+ addresses\. Then the height of the chain changed from \d+ to \d+/,
  )
  const second = await compared(lake)
  expect(second.findings).toEqual([])
  expect(second.said).toMatch(
    /UTXOs of P were not compared with the node: the node is at height \d+, the lake ends at \d+; run the job first\./,
  )
})
