import { describe, expect, test } from 'vitest'
import { evmTraces } from '../../../schemas/evm-contracts.ts'
import { readEvmTraces } from '../../../src/decode/evm/traces.ts'
import { DecodeError } from '../../../src/errors.ts'
import { expectRows, expectTable } from '../expect-rows.ts'
import { expectFits } from '../service/expect-fits.ts'
import { type Frame, type TracedAnswers, tracedAnswers, traceFacts } from './trace-facts.ts'

const chain = { network: 'local', chainId: '43112' }

function read({ block, traces }: TracedAnswers, unknownField: (path: string) => void = () => {}) {
  const record = {
    number: Number(block.number),
    block,
    transactionHashes: traces.map(({ txHash }) => txHash),
    traces: [traces.map(({ result }) => result)],
  }
  return readEvmTraces(record, { ...chain, unknownField }).traces
}

const simple = { from: `0x${'1'.repeat(40)}`, to: `0x${'2'.repeat(40)}`, gas: '0x5208', gasUsed: '0x5208' } as const

/** A recorded block with other traces. */
function withFrames(...frames: readonly object[]): TracedAnswers {
  const [, { block: recorded }] = tracedAnswers() as [unknown, TracedAnswers]
  const transactions = frames.map((_, at) => ({ transactionIndex: `0x${at.toString(16)}` }))
  const block = { ...recorded, transactions }
  const traces = frames.map((frame) => ({
    txHash: `0x${'3'.repeat(64)}`,
    result: { type: 'CALL', input: '0x', ...simple, ...frame } as Frame,
  }))
  return { block, receipts: [], traces }
}

describe('rows of recorded traces', () => {
  const unknown = new Set<string>()
  const rows = tracedAnswers().flatMap((each) => read(each, (path) => unknown.add(path)))

  test('match the answers of the node field by field', () => {
    expectRows(rows, tracedAnswers().flatMap(traceFacts))
    expectTable('evm_traces', rows)
    expectFits(evmTraces, rows)
    expect([...unknown]).toEqual([])
    expect(rows).toHaveLength(876)
  })

  test('have every kind of call, and failed creations without an address', () => {
    const kinds = ['CALL', 'CALLCODE', 'CREATE', 'CREATE2', 'DELEGATECALL', 'SELFDESTRUCT', 'STATICCALL']
    expect([...new Set(rows.map(({ call_type }) => call_type))].sort()).toEqual(kinds)
    const failed = rows.filter(({ call_type, error }) => call_type.startsWith('CREATE') && error !== null)
    expect(failed.length).toBeGreaterThan(5)
    expect(failed.every(({ to_address }) => to_address === null)).toBe(true)
    expect(failed.some(({ output, revert_reason }) => output !== null && revert_reason !== null)).toBe(true)
    expect(rows.some(({ reverted, error }) => reverted && error === null)).toBe(true)
  })

  test('agree with the receipts about gas, status and created contracts', () => {
    const receipts = tracedAnswers().flatMap((each) => each.receipts)
    const roots = rows.filter(({ trace_index }) => trace_index === 0)
    expect(roots.map(({ transaction_hash, gas_used, reverted }) => [transaction_hash, gas_used, reverted])).toEqual(
      receipts.map(({ transactionHash, gasUsed, status }) => [transactionHash, BigInt(gasUsed), status === '0x0']),
    )
  })
})

test('block 0 is read, which has no traces, with a list of transactions that is null', () => {
  const [{ block }] = tracedAnswers() as [TracedAnswers]
  expect(read({ block: { ...block, transactions: null }, receipts: [], traces: [] } as any)).toEqual([])
})

test('a block that lists the hashes of its transactions has their positions as indices', () => {
  const answers = tracedAnswers().find(({ traces }) => traces.length > 2)!
  const block = { ...answers.block, transactions: answers.traces.map(({ txHash }) => txHash) }
  expect(read({ ...answers, block } as any)).toEqual(read(answers))
})

describe('a trace', () => {
  test('keeps gas above 2^53 and amounts of 256 bits exact', () => {
    const value = `0x${'f'.repeat(64)}`
    const [row] = read(withFrames({ gas: '0x7ffffffffffffff1', gasUsed: '0xffffffffffffffff', value }))
    expect(row).toMatchObject({ gas: 2n ** 63n - 15n, gas_used: 2n ** 64n - 1n, value: null })
    expect(row!.value_raw).toBe(String(2n ** 256n - 1n))
    expectFits(evmTraces, [row!])
  })

  test('that states nothing of a contract that destroys itself has the address of the contract', () => {
    const [contract, library] = [`0x${'4'.repeat(40)}`, `0x${'5'.repeat(40)}`]
    const inner = { input: '0x', gas: '0x1', gasUsed: '0x1' }
    const bare = { calls: [{ type: 'SELFDESTRUCT' }] }
    const borrowed = { ...inner, ...bare, type: 'DELEGATECALL', from: contract, to: library }
    const rows = read(
      withFrames({
        calls: [
          { ...inner, type: 'CALL', from: simple.to, to: contract, calls: [borrowed] },
          { ...inner, ...bare, type: 'CREATE', from: simple.to, to: library },
        ],
      }),
    )
    const destroyed = rows.filter(({ call_type }) => call_type === 'SELFDESTRUCT')
    expect(destroyed.map(({ from_address, to_address }) => [from_address, to_address])).toEqual([
      [contract, null],
      [library, null],
    ])
    expect(() => read(withFrames({ calls: [{ ...inner, type: 'CALL' }] }))).toThrow(/calls\[0\]\.from is missing/)
  })

  test('of a creation that failed has no address, whatever the node writes', () => {
    const inner = { input: '0x', gas: '0x1', gasUsed: '0x1', from: simple.to, error: 'out of gas' }
    const [zeros, other] = [`0x${'0'.repeat(40)}`, `0x${'5'.repeat(40)}`]
    const calls = [
      { ...inner, type: 'CREATE', to: zeros },
      { ...inner, type: 'CREATE2', to: other, calls: [{ type: 'SELFDESTRUCT' }] },
      { ...inner, type: 'CREATE', to: other, error: '' },
      { ...inner, type: 'CALL', to: zeros },
    ]
    const rows = read(withFrames({ calls })).slice(1)
    expect(rows.map(({ call_type, to_address }) => [call_type, to_address])).toEqual([
      ['CREATE', null],
      ['CREATE2', null],
      ['SELFDESTRUCT', null],
      ['CREATE', other],
      ['CALL', zeros],
    ])
    expect(rows[2]!.from_address).toBe(other)
  })

  test('that states empty texts has neither an error nor a reason for it', () => {
    const [row] = read(withFrames({ error: '', revertReason: '' }))
    expect(row).toMatchObject({ error: null, revert_reason: null, reverted: false })
  })

  test('of the deepest calls of the EVM is read', () => {
    let frame: object = { type: 'CALL', input: '0x', ...simple, error: 'out of gas' }
    for (let depth = 0; depth < 1024; depth++) frame = { type: 'CALL', input: '0x', ...simple, calls: [frame] }
    const rows = read(withFrames(frame))
    expect(rows).toHaveLength(1025)
    expect(rows.at(-1)).toMatchObject({ depth: 1024, trace_index: 1024, reverted: true })
    expect(rows.at(-1)!.trace_address).toBe(Array(1024).fill('0').join('.'))
    expect(rows.at(-2)).toMatchObject({ reverted: false })
  })

  test('reports fields without a column once for all depths', () => {
    const call = { type: 'CALL', input: '0x', ...simple, other: 1 }
    const unknown: string[] = []
    read(withFrames({ calls: [{ ...call, calls: [call] }] }), (path) => unknown.push(path))
    expect(unknown).toEqual(['calls[].other'])
  })

  test('may state types in any case, and leave out what it does not know', () => {
    const call = { ...simple, type: 'delegateCall', error: null, revertReason: null, gasUsed: null }
    const rows = read(withFrames({ type: 'Create', calls: [call] }))
    expect(rows.map((row) => row.call_type)).toEqual(['CREATE', 'DELEGATECALL'])
    expect(rows[1]).toMatchObject({ error: null, reverted: false, gas_used: null, input: null })
    expectFits(evmTraces, rows)
  })

  test('of a transaction that the chain does not trace is a row that says so', () => {
    const answers = withFrames({}, {})
    Object.assign(answers.traces[1]!, { result: null })
    const rows = read(answers).slice(1)
    expect(rows.map((row) => [row.transaction_index, row.call_type])).toEqual([[1, 'UNTRACED']])
    expect(rows[0]).toMatchObject({ trace_index: 0, trace_address: '', from_address: null, gas: null, reverted: false })
    expectFits(evmTraces, rows)
  })

  test('has the index that the chain states of its transaction', () => {
    const { block, ...answers } = withFrames({}, {})
    Object.assign(block, { nonce: '0x1', transactions: [{ transactionIndex: '0x0' }, { transactionIndex: '0x3' }] })
    const told: string[] = []
    const rows = read({ block, ...answers }, (path) => told.push(path))
    expect(rows.map((row) => row.transaction_index)).toEqual([0, 3])
    expect(told).toEqual([
      'block: transactionIndex leaves out numbers, and nothing proves that no transaction is missing',
    ])
  })

  const wrong: [object, string][] = [
    [{ gas: 'many' }, 'traces[0].gas is no quantity'],
    [{ from: null }, 'traces[0].from is missing'],
    [{ gas: '0x10000000000000000' }, 'traces[0].gas is larger than any chain has it'],
    [{ type: 7 }, 'traces[0].type is no text'],
    [{ output: '0x1' }, 'traces[0].output is no hexadecimal text'],
    [{ calls: [{ ...simple, type: null }] }, 'traces[0].calls[0].type is missing'],
  ]
  test.each(wrong)('with %j is refused', (frame, message) => {
    const attempt = () => read(withFrames(frame))
    expect(attempt).toThrow(DecodeError)
    expect(attempt).toThrow(`EVM block 1 of chain 43112: ${message}.`)
  })
})
