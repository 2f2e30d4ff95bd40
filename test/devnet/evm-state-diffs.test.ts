import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { decodeExtData } from '../../codec/c.ts'
import { nativeAsset } from '../../devnet/network/genesis.ts'
import type { evmStateReads } from '../../schemas/evm-state.ts'
import { readEvmBlock } from '../../src/decode/evm/blocks.ts'
import { readEvmStateDiffs, readEvmStateReads } from '../../src/decode/evm/state.ts'
import type { RowOf } from '../../src/define/index.ts'
import { callRpc } from '../../src/fetch/json-rpc.ts'
import { createTransport, type Transport } from '../../src/fetch/transport.ts'
import { createEvmBlocks } from '../../src/sources/evm-blocks.ts'
import { createEvmStateDiffs } from '../../src/sources/evm-traces.ts'
import { quick } from '../fetch/local-server.ts'
import { servedDevnet } from './served.ts'

type EvmStateRead = RowOf<typeof evmStateReads>

type EvmRows = ReturnType<typeof readEvmBlock>

type EvmStateDiffRows = ReturnType<typeof readEvmStateDiffs>

const route = '/ext/bc/C/rpc'
const chain = { network: 'local', chainId: '43112', unknownField: expect.fail }
const tracer = { tracer: 'prestateTracer' }
const changes = { ...tracer, tracerConfig: { diffMode: true } }
const length = 250

describe('the state changes of the simulated C-Chain', () => {
  const devnet = servedDevnet({ blocks: length, seed: 5 })
  let transport: Transport
  let blocks: EvmRows[]
  let rows: EvmStateDiffRows[]
  let reads: EvmStateRead[]

  beforeAll(async () => {
    transport = createTransport({ baseUrl: devnet.url, ...quick })
    const found = await createEvmBlocks(transport, route).window(0, length + 1)
    blocks = found.map((block) => readEvmBlock(block, chain))
    const source = createEvmStateDiffs(transport, route, { tracers: [changes, tracer] })
    const records = await source.window(0, length + 1)
    rows = records.map((record) => readEvmStateDiffs(record, chain))
    reads = records.flatMap((record) => readEvmStateReads(record, chain).reads)
  })
  afterAll(() => transport.close())

  const call = (method: string, ...params: unknown[]) => callRpc(transport, route, method, params)
  const all = <K extends keyof EvmStateDiffRows>(name: K) =>
    rows.flatMap((each): EvmStateDiffRows[K][number][] => each[name]) as EvmStateDiffRows[K][number][]

  const at = (row: { block_number: number | bigint }) => `0x${row.block_number.toString(16)}`

  /** Every value after a change that is the last one of its block. */
  const lastOfBlocks = <R extends { block_number: number | bigint; address: string; slot?: string }>(
    changed: readonly R[],
  ) => [...new Map(changed.map((row) => [`${row.block_number} ${row.address} ${row.slot}`, row])).values()]

  test('lead to the codes and slots that the node returns', async () => {
    for (const row of lastOfBlocks(all('codes')))
      expect(await call('eth_getCode', row.address, at(row))).toBe(`0x${Buffer.from(row.code_after).toString('hex')}`)
    const storage = lastOfBlocks(all('storage')).filter((_, position) => position % 5 === 0)
    for (const row of storage)
      expect(await call('eth_getStorageAt', row.address, row.slot, at(row))).toBe(row.slot_value_after)
    expect(storage.length).toBeGreaterThan(20)
  })

  test('lead with atomic imports and exports to the balances and nonces that the node returns', async () => {
    const atomic = new Map<string, { wei: bigint; nonce: bigint | null }>()
    for (const {
      blocks: [block],
    } of blocks)
      for (const { unsignedTx: tx } of decodeExtData(block!.block_extra_data ?? new Uint8Array(), 'extData').txs)
        for (const moved of tx.type === 'ImportTx' ? tx.outputs : tx.inputs) {
          const key = `${block!.block_number} 0x${Buffer.from(moved.address).toString('hex')}`
          const { wei } = atomic.get(key) ?? { wei: 0n }
          const isNative = Buffer.compare(moved.assetID, nativeAsset) === 0
          const amount = isNative ? moved.amount * 1_000_000_000n : 0n
          const nonce = 'nonce' in moved ? BigInt(String(moved.nonce)) + 1n : null
          atomic.set(key, { wei: tx.type === 'ImportTx' ? wei + amount : wei - amount, nonce })
        }
    for (const row of lastOfBlocks(all('balances'))) {
      const found = await call('eth_getBalance', row.address, at(row))
      const moved = atomic.get(`${row.block_number} ${row.address}`)
      expect(BigInt(String(found))).toBe(BigInt(row.balance_after_raw) + (moved?.wei ?? 0n))
    }
    for (const row of lastOfBlocks(all('nonces'))) {
      const found = await call('eth_getTransactionCount', row.address, at(row))
      const moved = atomic.get(`${row.block_number} ${row.address}`)
      expect(BigInt(String(found))).toBe(moved?.nonce ?? row.nonce_after)
    }
    expect(atomic.size).toBeGreaterThan(10)
  })

  test('follow one another: each slot, code and balance within a block begins as it ended', () => {
    const last = new Map<string, unknown>()
    const follows = (key: string, before: unknown, after: unknown) => {
      if (last.has(key)) expect(before, key).toEqual(last.get(key))
      last.set(key, after)
    }
    for (const row of all('codes')) follows(row.address, row.code_hash_before, row.code_hash_after)
    for (const row of all('storage')) follows(row.address + row.slot, row.slot_value_before, row.slot_value_after)
    for (const row of all('balances'))
      follows(`${row.block_number} ${row.address}`, row.balance_before_raw, row.balance_after_raw)
  })

  test('count each transaction of a sender, and pay for it', () => {
    const nonces = new Map(all('nonces').map((row) => [row.transaction_hash + row.address, row]))
    const balances = new Map(all('balances').map((row) => [row.transaction_hash + row.address, row]))
    const transactions = blocks.flatMap((each) => each.transactions)
    for (const { transaction_hash: hash, from_address: from, to_address: to, nonce, value, ...row } of transactions) {
      expect(nonces.get(hash + from)).toMatchObject({ nonce_before: nonce, nonce_after: nonce! + 1n })
      const paid = BigInt(row.gas_used!) * row.effective_gas_price! + (to === from ? 0n : value!)
      const { balance_before: before, balance_after: after } = balances.get(hash + from)!
      expect(before! - after!).toBe(paid)
    }
    expect(transactions.length).toBeGreaterThan(200)
  })

  test('give each created contract nonce 1 and the code that its trace returns', async () => {
    const created = blocks
      .flatMap((each) => each.transactions)
      .filter(({ contract_address: address }) => address !== null)
    const codes = new Map(all('codes').map((row) => [row.address, row]))
    const nonces = new Map(all('nonces').map((row) => [row.transaction_hash + row.address, row]))
    for (const { contract_address: address, transaction_hash: hash } of created) {
      expect(nonces.get(hash + address)).toMatchObject({ nonce_before: 0n, nonce_after: 1n })
      const { output } = (await call('debug_traceTransaction', hash, { tracer: 'callTracer' })) as { output: string }
      expect(`0x${Buffer.from(codes.get(address!)!.code_after).toString('hex')}`).toBe(output)
    }
    expect(created.length).toBeGreaterThan(3)
    const others = all('nonces').filter((row) => row.nonce_before === 0n && row.nonce_after === 1n)
    expect(others.length).toBeGreaterThan(created.length)
  })

  test('move the balances of tokens in storage as eth_call reads them', async () => {
    const token = '0x9b9d76e71c3d6efdf234ef453df4b8c764e47acd'
    const supply = `0x${'2'.padStart(64, '0')}`
    const own = all('storage').filter(({ address, slot }) => address === token && slot === supply)
    expect(own.length).toBeGreaterThan(0)
    for (const row of lastOfBlocks(own))
      expect(await call('eth_call', { to: token, data: '0x18160ddd' }, `0x${row.block_number.toString(16)}`)).toBe(
        row.slot_value_after,
      )
  })

  test('are of state that the transactions read', () => {
    const accounts = new Map(reads.map((row) => [`${row.transaction_hash} ${row.address} ${row.slot}`, row]))
    for (const row of all('balances'))
      expect(accounts.get(`${row.transaction_hash} ${row.address} null`)?.balance_raw ?? '0').toBe(
        row.balance_before_raw,
      )
    for (const row of all('storage'))
      expect(accounts.get(`${row.transaction_hash} ${row.address} ${row.slot}`)!.slot_value).toBe(row.slot_value_before)
    const changed = new Set(all('storage').map((row) => `${row.transaction_hash} ${row.address} ${row.slot}`))
    expect(
      reads.some((row) => row.slot !== null && !changed.has(`${row.transaction_hash} ${row.address} ${row.slot}`)),
    ).toBe(true)
  })

  test('are the same for a single transaction', async () => {
    const { transaction_hash: hash, block_number: number } = all('storage')[0]!
    for (const config of [changes, tracer]) {
      const every = await call('debug_traceBlockByNumber', `0x${number.toString(16)}`, config)
      const { result } = (every as { txHash: string; result: unknown }[]).find(({ txHash }) => txHash === hash)!
      expect(await call('debug_traceTransaction', hash, config)).toEqual(result)
    }
  })
})
