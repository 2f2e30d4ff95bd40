import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startDevnet } from '../../devnet/serve.ts'
import { cBlocksPipeline } from '../../pipelines/c-blocks.ts'
import { evmBlocksPipeline } from '../../pipelines/evm-blocks.ts'
import { pBlocksPipeline } from '../../pipelines/p-blocks.ts'
import { xBlocksPipeline } from '../../pipelines/x-blocks.ts'
import { compareLake, verifyLake } from '../../src/verify/verify-lake.ts'
import { chainlake } from '../cli/in-process.ts'
import { exportLake } from '../run/export-lake.ts'
import { jobOf } from '../run/job-of.ts'
import { newLake } from '../run/lake-run.ts'
import { filesOf, rewriteFile } from './rewrite-file.ts'
import { copyOf } from './sound-lake.ts'

const lake = newLake()
let node: Awaited<ReturnType<typeof startDevnet>>
/** The same node without an index. */
let withoutIndex: Server
const urlOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

beforeAll(async () => {
  node = await startDevnet({ port: 0, blocks: 40 })
  await exportLake({
    node,
    lake,
    jobs: [pBlocksPipeline, xBlocksPipeline, cBlocksPipeline, evmBlocksPipeline].map((pipeline) => jobOf(pipeline)),
  })
  withoutIndex = createServer((requested, answer) => {
    if (requested.url?.startsWith('/ext/index/')) {
      answer.writeHead(404).end('404 page not found')
      return
    }
    const { method, headers } = requested
    requested.pipe(
      request(new URL(requested.url ?? '', node.url), { method: method ?? 'GET', headers }, (from) => {
        answer.writeHead(from.statusCode ?? 500, from.headers)
        from.pipe(answer)
      }),
    )
  })
  await new Promise<void>((resolve) => withoutIndex.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  withoutIndex.closeAllConnections()
  withoutIndex.close()
  await node.close()
})

const compared = (lakeDir: string, nodeUrl: string, sample: number) =>
  verifyLake({ lake: { folder: lakeDir }, fast: true, node: { nodeUrl, sample } })

test('a lake matches its node by every method of the node', async () => {
  const { findings, remarks } = await compared(lake, node.url, 7)
  expect(findings).toEqual([])
  const requested = remarks.map(({ message }) => message).find((message) => message.startsWith('Requests to the node'))
  for (const method of ['getContainerByIndex', 'getContainerByID', 'getIndex', 'isAccepted'])
    for (const chain of ['P', 'X', 'C']) expect(requested).toContain(`index.${method} of ${chain}/block (7)`)
  for (const rest of [
    'platform.getBlockByHeight of P (7)',
    'xvm.getBlockByHeight of X (7)',
    'with receipts of chain 43112 (7)',
  ])
    expect(requested).toContain(rest)
})

test('a method that the node does not have is skipped and reported, and the rest is compared', async () => {
  const { findings, remarks } = await compared(lake, urlOf(withoutIndex), 5)
  expect(findings).toEqual([])
  const said = remarks.map(({ message }) => message).join('\n')
  expect(said).toContain('Skipped: the node does not have index.getContainerByIndex of P/block')
  expect(said).toContain('platform.getBlockByHeight of P (5)')
})

test('rows that differ from the node are named with both values', async () => {
  const damaged = copyOf(lake)
  const [outputs = ''] = await filesOf(damaged, 'p_outputs')
  await rewriteFile(damaged, outputs, (rows) => rows.map((row) => ({ ...row, threshold: 9n })))
  const [logs = ''] = await filesOf(damaged, 'evm_logs')
  await rewriteFile(damaged, logs, (rows) => rows.slice(1))
  for (const url of [node.url, urlOf(withoutIndex)]) {
    const { findings } = await compared(damaged, url, 41)
    expect(findings).toContainEqual(
      expect.objectContaining({
        kind: 'source.different',
        table: 'p_outputs',
        stream: 'local/P/block',
        expected: '1',
        found: '9',
      }),
    )
    expect(findings).toContainEqual(expect.objectContaining({ kind: 'source.missing', table: 'evm_logs' }))
  }
})

test('values that a node computes on request are not compared with a node, an RPC or a certificate', async () => {
  const { certificate } = await verifyLake({ lake: { folder: lake }, certifying: true })
  const restated = copyOf(lake)
  for (const file of await filesOf(restated, 'evm_blocks'))
    await rewriteFile(restated, file, (rows) => rows.map((row) => ({ ...row, size: 1n })))
  expect((await compared(restated, node.url, 41)).findings).toEqual([])
  const rpc = { nodeUrl: `${node.url}/ext/bc/C/rpc`, sample: 41 }
  expect((await verifyLake({ lake: { folder: restated }, fast: true, rpc })).findings).toEqual([])
  expect((await compareLake({ lake: { folder: restated } }, certificate!)).findings).toEqual([])
})

test('a node of another network and invalid flags end with an error code', async () => {
  const other = await startDevnet({ port: 0, blocks: 5, seed: 9 })
  try {
    const told = await chainlake(['verify', '--lake', lake, '--fast', '--node', other.url, '--sample', '3'])
    expect([5, 6]).toContain(told.code)
  } finally {
    await other.close()
  }
  expect(await chainlake(['verify', '--lake', lake, '--node', 'nowhere'])).toMatchObject({ code: 2 })
  expect(await chainlake(['verify', '--lake', lake, '--node', node.url, '--sample', '0'])).toMatchObject({ code: 2 })
  expect(
    await chainlake(['verify', '--lake', lake, '--node', 'http://127.0.0.1:1', '--fast', '--tries', '1']),
  ).toMatchObject({ code: 3 })
})

test('blocks of any EVM chain are compared with its JSON-RPC', async () => {
  const byUrl = newLake()
  const url = `${node.url}/ext/bc/C/rpc`
  await exportLake({ node, lake: byUrl, jobs: [jobOf(evmBlocksPipeline, { chain: url })] })
  const requested = (lakeDir: string) =>
    verifyLake({ lake: { folder: lakeDir }, fast: true, rpc: { nodeUrl: url, sample: 41 } })
  const { findings, remarks } = await requested(byUrl)
  expect(findings).toEqual([])
  expect(remarks.map(({ message }) => message).join('\n')).toContain(
    'eth_getBlockByNumber with receipts of chain 43112 (41)',
  )
  const [logs = ''] = await filesOf(byUrl, 'evm_logs')
  await rewriteFile(byUrl, logs, (rows) => rows.slice(1))
  expect((await requested(byUrl)).findings).toContainEqual(
    expect.objectContaining({ kind: 'source.missing', table: 'evm_logs', network: 'local' }),
  )
  const other = newLake()
  await exportLake({ node, lake: other, jobs: [jobOf(pBlocksPipeline)] })
  expect(await chainlake(['verify', '--lake', other, '--fast', '--rpc', url])).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('but the lake has no blocks or logs of this chain'),
  })
})
