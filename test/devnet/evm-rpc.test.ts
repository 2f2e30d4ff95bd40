import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { request } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { recordedCalls } from '../../devnet/replay/recording.ts'
import { type Devnet, startDevnet } from '../../devnet/serve.ts'
import { decodeCContainer } from '../../src/decode/c/rows.ts'
import { type EvmRows, readEvmBlock } from '../../src/decode/evm/blocks.ts'
import { createTransport, type Transport } from '../../src/fetch/transport.ts'
import type { EvmBlock } from '../../src/model.ts'
import { identifyEvmChain } from '../../src/sources/evm-answers.ts'
import { createEvmBlocks } from '../../src/sources/evm-blocks.ts'
import { createIndexApi } from '../../src/sources/node-index.ts'
import { contextOf } from '../decode/recordings.ts'
import { quick } from '../fetch/local-server.ts'
import { recordingFolder } from '../recorded.ts'

const route = '/ext/bc/C/rpc'
const blocks = 400

describe('the block RPC of the simulated C-Chain', () => {
  const cacheDir = mkdtempSync(join(tmpdir(), 'devnet-evm-rpc-'))
  let devnet: Devnet
  let transport: Transport
  let found: EvmBlock[]
  let rows: EvmRows[]

  beforeAll(async () => {
    devnet = await startDevnet({ blocks, cacheDir, seed: 5 })
    transport = createTransport({ baseUrl: devnet.url, ...quick })
    const source = createEvmBlocks(transport, route)
    found = await source.window(0, (await source.head())! + 1)
    rows = found.map((block) => readEvmBlock(block, { network: 'local', chainId: '43112', unknownField: expect.fail }))
    for (const [at, block] of found.entries())
      if (at > 0) expect(source.link!(block).parentId).toBe(source.link!(found[at - 1]!).id)
  })
  afterAll(async () => {
    await transport.close()
    await devnet.close()
    rmSync(cacheDir, { recursive: true, force: true })
  })

  const ask = async (body: unknown, path = route) => {
    const answer = await request(`${devnet.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return (await answer.body.json()) as any
  }
  const call = async (method: string, ...params: unknown[]) => await ask({ jsonrpc: '2.0', id: 1, method, params })

  test('returns the blocks and transactions of the containers, from the genesis block on', async () => {
    const containers = await createIndexApi(transport, 'C/block').window(0, blocks)
    const inContainers = containers.map((each) => decodeCContainer(each, contextOf('granite', 'C')))
    expect(rows).toHaveLength(blocks + 1)
    expect(rows[0]!.blocks[0]).toMatchObject({ block_number: 0, transaction_count: 0 })
    const same = (row: object, of: object) => {
      const columns = ['gas_price', 'gas_price_raw', 'logs_bloom', 'extra_data', 'input']
      for (const [name, value] of Object.entries(row))
        if (name in of && !columns.includes(name)) expect((of as any)[name], name).toEqual(value)
    }
    for (const [at, { blocks: ofBlock, transactions }] of inContainers.entries()) {
      same(ofBlock[0]!, { ...rows[at + 1]!.blocks[0]!, network: ofBlock[0]!.network })
      for (const [index, transaction] of transactions.entries())
        same(transaction, { ...rows[at + 1]!.transactions[index]!, network: transaction.network })
      expect(rows[at + 1]!.transactions).toHaveLength(transactions.length)
    }
  })

  test('has receipts of every kind, and their gas adds up to the gas of the block', () => {
    for (const { blocks: ofBlock, transactions } of rows)
      expect(transactions.reduce((sum, { gas_used }) => sum + Number(gas_used), 0)).toBe(ofBlock[0]!.gas_used)
    const transactions = rows.flatMap((each) => each.transactions)
    expect(new Set(transactions.map(({ status }) => status))).toEqual(new Set([0, 1]))
    expect(transactions.filter(({ contract_address }) => contract_address !== null).length).toBe(
      transactions.filter(({ to_address }) => to_address === null).length,
    )
    const logs = rows.flatMap((each) => each.logs)
    const transfers = rows.flatMap((each) => each.tokenTransfers)
    expect(new Set(transfers.map(({ standard }) => standard))).toEqual(new Set(['erc20', 'erc721', 'erc1155']))
    expect(transfers.some(({ position }) => position > 0)).toBe(true)
    const ofTransfers = new Set(transfers.map(({ block_number, log_index }) => `${block_number} ${log_index}`))
    // Approvals are logs but not transfers.
    expect(ofTransfers.size).toBeLessThan(logs.length)
    expect(ofTransfers.size).toBeGreaterThan(logs.length / 2)
  })

  test('returns the same number of rows and the same sums as the summary of the network', async () => {
    const summary = (await (await request(`${devnet.url}/devnet/summary`)).body.json()) as any
    const of = {
      evm_blocks: rows.flatMap((each) => each.blocks),
      evm_transactions: rows.flatMap((each) => each.transactions),
      evm_logs: rows.flatMap((each) => each.logs),
      evm_token_transfers: rows.flatMap((each) => each.tokenTransfers),
    }
    for (const [table, all] of Object.entries(of)) {
      expect({ table, rows: all.length }).toEqual({ table, rows: summary.rows[table] })
      const sums = Object.entries(summary.sums).filter(([path]) => path.startsWith(`${table}.`))
      expect(sums.length > 0).toBe(table !== 'evm_logs')
      for (const [path, sum] of sums) {
        const column = path.slice(table.length + 1)
        const total = (all as any[]).reduce((before, row) => before + BigInt(row[column] ?? 0), 0n)
        expect({ path, sum: String(total) }).toEqual({ path, sum })
      }
    }
  })

  test('returns the same receipts by transaction, and the same head under the id of the chain', async () => {
    const some = found.filter(({ receipts }) => (receipts as unknown[]).length > 1).slice(-3)
    for (const { block, receipts } of some) {
      const hashes = (block['transactions'] as { hash: string }[]).map(({ hash }) => hash)
      const answers = await Promise.all(hashes.map((hash) => call('eth_getTransactionReceipt', hash)))
      expect(answers.map(({ result }) => result)).toEqual(receipts)
      expect((await call('eth_getBlockByNumber', block['number'], false)).result).toEqual({
        ...block,
        transactions: hashes,
      })
    }
    expect((await call('eth_getTransactionReceipt', `0x${'00'.repeat(32)}`)).result).toBeNull()
    const { result } = await ask(
      { jsonrpc: '2.0', id: 1, method: 'eth_blockNumber' },
      '/ext/bc/2owdGqyG6FFzTHy5qhenDXQcEghvr571KZE3gSfRJERSJinuwC/rpc',
    )
    expect(Number(result)).toBe(blocks)
    expect(await identifyEvmChain(transport, route)).toEqual({
      chainId: 43_112n,
      genesisHash: found[1]!.block['parentHash'],
    })
  })

  test.each([
    'eth_getBlockByNumber 0x01',
    'eth_getBlockByNumber zz',
    'eth unknown',
    'eth bad params',
    'eth bad params 2',
    'eth batch mixed',
    'eth batch empty',
    'eth not json',
  ])('returns the same response as the recorded node: %s', async (name) => {
    const { request: requested, answer } = recordedCalls(recordingFolder('granite')).find((each) => each.name === name)!
    const said = await request(`${devnet.url}${route}`, { method: 'POST', body: requested.body ?? '' })
    expect((await said.body.text()).trim()).toBe(answer!.body.trim())
  })

  test('has no blocks beyond its head, and accepts batches of up to 1000 calls', async () => {
    const beyond = `0x${(blocks + 1).toString(16)}`
    expect((await call('eth_getBlockByNumber', beyond, true)).error).toEqual({
      code: -32000,
      message: 'cannot query unfinalized data',
    })
    expect((await call('eth_getBlockReceipts', beyond)).result).toBeNull()
    for (const tag of ['latest', 'safe', 'finalized'])
      expect((await call('eth_getBlockByNumber', tag, true)).result).toEqual(found.at(-1)!.block)
    expect((await call('eth_getBlockByNumber', 'earliest', true)).result).toEqual(found[0]!.block)
    const calls = (count: number) =>
      Array.from({ length: count }, (_, id) => ({ jsonrpc: '2.0', id, method: 'eth_chainId' }))
    expect(await ask(calls(1_000))).toHaveLength(1_000)
    expect(await ask(calls(1_001))).toEqual([
      { jsonrpc: '2.0', id: 0, error: { code: -32600, message: 'batch too large' } },
    ])
  })
})
