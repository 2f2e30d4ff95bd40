import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { evmTraces } from '../../schemas/evm-contracts.ts'
import { readEvmBlock } from '../../src/decode/evm/blocks.ts'
import { readEvmTraces } from '../../src/decode/evm/traces.ts'
import type { RowOf } from '../../src/define/index.ts'
import { callRpc } from '../../src/fetch/json-rpc.ts'
import { createTransport, type Transport } from '../../src/fetch/transport.ts'
import { createEvmBlocks } from '../../src/sources/evm-blocks.ts'
import { createEvmTraces } from '../../src/sources/evm-traces.ts'
import { quick } from '../fetch/local-server.ts'
import { servedDevnet } from './served.ts'

type EvmTrace = RowOf<typeof evmTraces>

type EvmRows = ReturnType<typeof readEvmBlock>

const route = '/ext/bc/C/rpc'
const chain = { network: 'local', chainId: '43112', unknownField: expect.fail }

describe('the traces of the simulated C-Chain', () => {
  const devnet = servedDevnet({ blocks: 300, seed: 5 })
  let transport: Transport
  let blocks: EvmRows[]
  let traces: EvmTrace[]

  beforeAll(async () => {
    transport = createTransport({ baseUrl: devnet.url, ...quick })
    const found = await createEvmBlocks(transport, route).window(0, 301)
    blocks = found.map((block) => readEvmBlock(block, chain))
    const traced = await createEvmTraces(transport, route, { tracers: [{ tracer: 'callTracer' }] }).window(0, 301)
    traces = traced.flatMap((block) => readEvmTraces(block, chain).traces)
  })
  afterAll(() => transport.close())

  const call = (method: string, ...params: unknown[]) => callRpc(transport, route, method, params)
  const transactions = () => blocks.flatMap((each) => each.transactions)

  test('begin with the transactions and the results of their receipts', () => {
    const roots = traces.filter(({ trace_index }) => trace_index === 0)
    expect(
      roots.map((row) => [
        ...[row.block_number, row.transaction_hash, row.from_address, row.to_address, row.value, row.gas, row.gas_used],
        ...[row.reverted, row.call_type, Buffer.from(row.input!).toString('hex')],
      ]),
    ).toEqual(
      transactions().map((row) => [
        ...[row.block_number, row.transaction_hash, row.from_address, row.to_address ?? row.contract_address],
        ...[row.value, row.gas_limit, BigInt(row.gas_used!), row.status === 0],
        ...[row.to_address === null ? 'CREATE' : 'CALL', Buffer.from(row.input!).toString('hex')],
      ]),
    )
  })

  test('call the receiver of each event of an ERC-721 or ERC-1155, as the service lists it', async () => {
    const asked = traces.filter(({ depth, gas }) => depth === 1 && gas === 30_000n)
    const events = blocks.flatMap((each) => each.tokenTransfers).filter(({ position }) => position === 0)
    const zero = `0x${'0'.repeat(40)}`
    const expected = events.filter(({ standard, to_address }) => standard !== 'erc20' && to_address !== zero)
    expect(asked.map((row) => [row.transaction_hash, row.from_address, row.to_address])).toEqual(
      expected.map((row) => [row.transaction_hash, row.token_address, row.to_address]),
    )
    expect(asked.length).toBeGreaterThan(20)
  })

  test('have calls with amounts, reverted calls with calls within them, and contracts that contracts create', () => {
    const inner = traces.filter(({ depth, reverted }) => depth > 0 && !reverted)
    expect(inner.some(({ call_type, value }) => call_type === 'CALL' && value! > 0n)).toBe(true)
    expect(inner.some(({ call_type, value }) => call_type === 'DELEGATECALL' && value! > 0n)).toBe(true)
    expect(inner.some(({ call_type, value }) => call_type === 'STATICCALL' && value === null)).toBe(true)
    const created = inner.filter(({ call_type }) => call_type === 'CREATE2').map(({ to_address }) => to_address)
    expect(created.length).toBeGreaterThan(3)
    expect(new Set(created).size).toBe(created.length)
    expect(traces.some(({ depth, error }) => depth === 1 && error === 'execution reverted')).toBe(true)
    expect(traces.some(({ depth, reverted, error }) => depth === 2 && reverted && error === null)).toBe(true)
  })

  test('move no amount that balances do not show: a contract sends amounts to itself only', () => {
    const moved = traces.filter(({ depth, value, call_type }) => depth > 0 && value !== 0n && call_type === 'CALL')
    expect(moved.every(({ from_address, to_address }) => from_address === to_address)).toBe(true)
  })

  test('are the same for a single transaction', async () => {
    const { transaction_hash, block_number } = traces.find(({ child_count }) => Number(child_count) > 1)!
    const all = await call('debug_traceBlockByNumber', `0x${block_number.toString(16)}`, { tracer: 'callTracer' })
    const { result } = (all as { txHash: string; result: unknown }[]).find(({ txHash }) => txHash === transaction_hash)!
    expect(await call('debug_traceTransaction', transaction_hash, { tracer: 'callTracer' })).toEqual(result)
  })

  test('are refused as on a node', async () => {
    const tracer = { tracer: 'callTracer' }
    await expect(call('debug_traceBlockByNumber', '0x0', tracer)).rejects.toThrow('genesis is not traceable')
    await expect(call('debug_traceBlockByNumber', '0x12d', tracer)).rejects.toThrow('cannot query unfinalized data')
    await expect(call('debug_traceTransaction', `0x${'1'.repeat(64)}`, tracer)).rejects.toThrow('transaction not found')
    const { block_number } = traces[0]!
    const answer = await call('debug_traceBlockByNumber', `0x${block_number.toString(16)}`, { tracer: 'noSuchTracer' })
    const error = 'ReferenceError: noSuchTracer is not defined at <eval>:1:2(0)'
    expect(answer).toContainEqual({ txHash: traces[0]!.transaction_hash, error })
  })
})
