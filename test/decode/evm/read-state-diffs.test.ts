import { describe, expect, test } from 'vitest'
import { keccak256 } from '../../../codec/keccak.ts'
import { evmBalanceChanges, evmCodeChanges, evmNonceChanges, evmStorageChanges } from '../../../schemas/evm-state.ts'
import { readEvmStateDiffs } from '../../../src/decode/evm/state.ts'
import { DecodeError } from '../../../src/errors.ts'
import type { EvmBlockDiffs } from '../../../src/model.ts'
import { type StateCall, stateCalls } from '../../recorded-state.ts'
import { expectRows, expectTable } from '../expect-rows.ts'
import { expectFits } from '../service/expect-fits.ts'
import { type Diff, diffedAnswers, diffFacts, emptied, prestateCalls, recordOf } from './diff-facts.ts'

const chain = { network: 'local', chainId: '43112' }

function read(record: EvmBlockDiffs, unknownField: (path: string) => void = expect.fail) {
  return readEvmStateDiffs(record, { ...chain, unknownField })
}

const every = diffedAnswers().map((each) => read(recordOf(each)))
const rows = {
  balances: every.flatMap(({ balances }) => balances),
  nonces: every.flatMap(({ nonces }) => nonces),
  codes: every.flatMap(({ codes }) => codes),
  storage: every.flatMap(({ storage }) => storage),
}

describe('rows of recorded diffs', () => {
  test('match the answers of the node field by field', () => {
    const facts = diffedAnswers().map(diffFacts)
    for (const name of ['balances', 'nonces', 'codes', 'storage'] as const)
      expectRows(
        rows[name],
        facts.flatMap((each) => each[name]),
      )
    expect(Object.values(rows).map(({ length }) => length)).toEqual(Object.values(counts))
  })

  test('have every column of their tables', () => {
    const tables = {
      balances: evmBalanceChanges,
      nonces: evmNonceChanges,
      codes: evmCodeChanges,
      storage: evmStorageChanges,
    }
    for (const [name, table] of Object.entries(tables)) {
      expectTable(table.name, rows[name as keyof typeof rows])
      expectFits(table, rows[name as keyof typeof rows])
    }
    const places = diffedAnswers().map(({ block }) => [
      Number(block.number),
      BigInt(block.timestampMilliseconds ?? Number(block.timestamp) * 1000) * 1000n,
      block.transactions.map(({ hash }: any) => hash),
    ])
    for (const row of Object.values(rows).flat()) {
      const [number, time, hashes] = places[Number(row.block_number)]! as [number, bigint, string[]]
      expect([row.network, row.chain_id, row.block_number, row.block_time, row.transaction_hash]).toEqual([
        ...['local', '43112', number, time],
        hashes[Number(row.transaction_index)],
      ])
    }
    const hash = (code: Uint8Array) => `0x${Buffer.from(keccak256(code)).toString('hex')}`
    expect(rows.codes.map((row) => [row.code_hash_before, row.code_hash_after])).toEqual(
      rows.codes.map((row) => [hash(row.code_before), hash(row.code_after)]),
    )
  })

  test('give the balances, nonces, codes and slots that the node returns', () => {
    const compared = { balance: 0, nonce: 0, code: 0, slot: 0 }
    const same = (kind: keyof typeof compared, call: StateCall, found: unknown, of: (result: string) => unknown) => {
      // No transaction changed this value.
      if (found === undefined) return
      expect(found, `${call.method} ${call.params.join(' ')}`).toEqual(of(call.result))
      compared[kind] += 1
    }
    /** The value after a block: after the last change up to it, or before the first change after it. */
    const at = <R extends Changed>({ params }: StateCall, all: readonly R[], column: string, slot?: string) => {
      const own = all.filter((row) => row.address === params[0] && row.slot === slot)
      const number = Number(params.at(-1))
      const last = own.findLast((row) => row.block_number <= number)
      const row: Record<string, any> | undefined = last ?? own[0]
      return row?.[`${column}_${last === undefined ? 'before' : 'after'}`]
    }
    for (const call of recordedState('eth_getBalance'))
      same('balance', call, at(call, rows.balances, 'balance')?.toString(), (result) => String(BigInt(result)))
    for (const call of recordedState('eth_getTransactionCount'))
      same('nonce', call, at(call, rows.nonces, 'nonce'), BigInt)
    for (const call of recordedState('eth_getCode'))
      same('code', call, hexOf(at(call, rows.codes, 'code')), (result) => result)
    for (const call of recordedState('eth_getStorageAt'))
      same('slot', call, at(call, rows.storage, 'slot_value', slotOf(call)), (result) => result)
    expect(compared).toEqual({ balance: 330, nonce: 330, code: 180, slot: 151 })
  })

  test('say once that a contract got its nonce, and nothing when it stays in spite of SELFDESTRUCT', () => {
    const own = <R extends { readonly address: string }>(all: readonly R[]) =>
      all.filter(({ address }) => address === emptied)
    expect(own(rows.nonces)).toMatchObject([{ block_number: 20, nonce_before: 0n, nonce_after: 1n }])
    expect(own(rows.codes)).toMatchObject([{ block_number: 20, code_before: Buffer.alloc(0) }])
    expect(own(rows.balances)).toMatchObject([
      { block_number: 20, balance_before: 0n, balance_after: 777n },
      { block_number: 43, balance_before: 777n, balance_after: 0n },
    ])
  })

  test('are chains: each value before is the value after the last change', () => {
    const last = new Map<string, unknown>()
    const follows = (key: string, before: unknown, after: unknown) => {
      if (last.has(key)) expect(before, key).toEqual(last.get(key))
      last.set(key, after)
    }
    for (const row of rows.balances) follows(`balance ${row.address}`, row.balance_before_raw, row.balance_after_raw)
    for (const row of rows.nonces) follows(`nonce ${row.address}`, row.nonce_before, row.nonce_after)
    for (const row of rows.codes) follows(`code ${row.address}`, row.code_hash_before, row.code_hash_after)
    for (const row of rows.storage) follows(`${row.address} ${row.slot}`, row.slot_value_before, row.slot_value_after)
    expect(last.size).toBeGreaterThan(400)
  })
})

type Changed = { readonly address: string; readonly block_number: number | bigint; readonly slot?: string }

const counts = { balances: 1056, nonces: 549, codes: 56, storage: 396 }

/** Recorded answers about the state after numbered blocks. */
function recordedState(method: string): StateCall[] {
  return stateCalls(method).filter(({ params, result }) => result !== undefined && /^0x/.test(params.at(-1)))
}

function slotOf({ params }: StateCall): string {
  return `0x${params[1].slice(2).padStart(64, '0')}`
}

function hexOf(bytes: Uint8Array | undefined): string | undefined {
  return bytes === undefined ? undefined : `0x${Buffer.from(bytes).toString('hex')}`
}

test('a recorded diff of a single transaction is that of its block', () => {
  const single = prestateCalls('debug_traceTransaction').filter(({ params }) => params[1].tracerConfig?.diffMode)
  const all = new Map(diffedAnswers().flatMap(({ diffs }) => diffs.map(({ txHash, result }) => [txHash, result])))
  expect(single).toHaveLength(12)
  for (const { params, result } of single) expect(result).toEqual(all.get(params[0]))
})

const [a, b] = [`0x${'a'.repeat(40)}`, `0x${'b'.repeat(40)}`]
const [one, two] = [`0x${'1'.padStart(64, '0')}`, `0x${'2'.padStart(64, '0')}`]

/** A block with diffs of simple transfers. */
function withDiffs(diffs: readonly object[], state: EvmBlockDiffs['state'] = {}): EvmBlockDiffs {
  const { block } = diffedAnswers()[1]!
  const transactions = diffs.map((_, at) => ({
    ...block.transactions[0],
    to: a,
    transactionIndex: `0x${at.toString(16)}`,
    hash: `0x${String(at).padStart(64, '0')}`,
  }))
  return {
    number: 1,
    block: { ...block, transactions },
    transactionHashes: transactions.map(({ hash }) => hash),
    traces: [diffs],
    state,
  }
}

const empty: Diff = { pre: {}, post: {} }

const capitals = (address: string): string => `0x${address.slice(2).toUpperCase()}`

describe('a diff', () => {
  test('keeps values of 256 bits exact, and leaves out what is equal', () => {
    const most = `0x${'f'.repeat(64)}`
    const { balances, nonces, codes, storage } = read(
      withDiffs([
        { pre: { [a]: { balance: '0x0', nonce: 2 ** 53 - 1, code: '0x01' } }, post: { [a]: { balance: most } } },
      ]),
    )
    expect(balances).toMatchObject([
      { balance_before: 0n, balance_after: null, balance_after_raw: String(2n ** 256n - 1n) },
    ])
    expect([nonces, codes, storage]).toEqual([[], [], []])
  })

  test('takes a slot that is only in pre for emptied, and one that is only in post for new', () => {
    const { storage } = read(
      withDiffs([
        { pre: { [a]: { balance: '0x0', storage: { [one]: two } } }, post: { [a]: { storage: { [two]: one } } } },
      ]),
    )
    const values = storage.map((row) => [row.slot, row.slot_value_before, row.slot_value_after])
    const none = `0x${'0'.repeat(64)}`
    expect(values).toEqual([
      [one, two, none],
      [two, none, one],
    ])
  })

  test('has the same rows where the node leaves out leading zeros of slots, or writes capitals', () => {
    const written = (slot: string, address: string): Diff[] => [
      { pre: { [a]: { balance: '0x5', code: '0x33ff', storage: { [slot]: two } } }, post: {} },
      { pre: { [address]: { balance: '0x5', code: '0x33ff', storage: { [slot]: one } } }, post: { [address]: {} } },
    ]
    const rows = read(withDiffs(written(`0x${'0'.repeat(62)}1f`, a)))
    expect(rows.storage).toMatchObject([{ slot_value_after: one }, { slot_value_before: one }])
    expect(read(withDiffs(written('0x1F', capitals(a))))).toEqual(rows)
  })

  test('with an account only in pre takes the next diff of the block with it', () => {
    const gone = { balance: '0x5', nonce: 1, code: '0x33ff', storage: { [one]: two, [two]: two } }
    const next = {
      pre: { [a]: { balance: '0x2', nonce: 1, code: '0x33ff' } },
      post: { [a]: { balance: '0x3', storage: { [one]: two } } },
    }
    const { balances, nonces, codes, storage } = read(
      withDiffs([{ pre: { [a]: gone }, post: {} }, empty, next], { [a]: { storage: { [two]: one } } }),
    )
    expect(balances.map((row) => [row.balance_before, row.balance_after])).toEqual([
      [5n, 2n],
      [2n, 3n],
    ])
    expect([nonces, codes]).toEqual([[], []])
    const changes = storage.map(({ transaction_index: at, slot, slot_value_after: value }) => [at, slot, value])
    expect(changes).toEqual([
      [0, one, `0x${'0'.repeat(64)}`],
      [0, two, one],
      [2, one, two],
    ])
  })

  test('with an account only in pre takes the state after the block otherwise', () => {
    const gone = { balance: '0x5', nonce: 3, code: '0x33ff' }
    const diffs = [{ pre: { [a]: gone }, post: {} }]
    const { balances, nonces, codes } = read(withDiffs(diffs, { [a]: { balance: '0x0', nonce: '0x0', code: '0x' } }))
    expect(balances).toMatchObject([{ balance_before: 5n, balance_after: 0n }])
    expect(nonces).toMatchObject([{ nonce_before: 3n, nonce_after: 0n }])
    expect(codes.map(({ code_after }) => code_after.length)).toEqual([0])
    expect(() => read(withDiffs(diffs))).toThrow(`diffs[0].post does not state an account that pre has`)
  })

  test('that creates an account again after its deletion begins it without anything', () => {
    const gone = { balance: '0x5', nonce: 1, code: '0x33ff' }
    const { balances, nonces, codes } = read(
      withDiffs([
        { pre: { [a]: gone }, post: {} },
        { pre: {}, post: { [a]: { nonce: 1, code: '0x00' } } },
      ]),
    )
    expect(balances).toMatchObject([{ balance_after: 0n }])
    expect(nonces.map((row) => [row.nonce_before, row.nonce_after])).toEqual([
      [1n, 0n],
      [0n, 1n],
    ])
    expect(codes).toHaveLength(2)
  })

  test('leaves the code of an account that may have stopped to delegate to the state after the block', () => {
    const delegating = { balance: '0x5', nonce: 1, code: `0xef0100${'b'.repeat(40)}` }
    const diffs = [{ pre: { [a]: delegating }, post: { [a]: { nonce: 2 } } }]
    const cleared = read(withDiffs(diffs, { [a]: { balance: '0x5', nonce: '0x2', code: '0x' } }))
    expect(cleared.codes).toMatchObject([{ code_after: Buffer.alloc(0) }])
    const kept = read(withDiffs(diffs, { [a]: { balance: '0x9', nonce: '0x2', code: delegating.code } }))
    expect([kept.codes, kept.balances]).toEqual([[], []])
    expect(kept.nonces).toMatchObject([{ nonce_after: 2n }])
  })

  test('reports fields without a column', () => {
    const unknown: string[] = []
    read(withDiffs([{ pre: { [a]: { balance: '0x1', codeHash: '0x' } }, post: { [a]: { other: 1 } } }]), (path) =>
      unknown.push(path),
    )
    expect(unknown).toEqual(['accounts[].other'])
  })

  const wrong: [object, string][] = [
    [{ pre: {} }, 'diffs[0].post is no object of accounts'],
    [{ pre: { me: {} }, post: {} }, 'diffs[0].pre has a name that is no address'],
    [{ pre: { [b]: null }, post: {} }, 'diffs[0].pre has no object'],
    [{ pre: { [b]: { balance: 'x' } }, post: { [b]: {} } }, 'diffs[0].pre[0].balance is no quantity'],
    [{ pre: { [b]: { nonce: -1 } }, post: { [b]: {} } }, 'diffs[0].pre[0].nonce is no number of 64 bits'],
    [{ pre: { [b]: { nonce: 2n ** 64n } }, post: { [b]: {} } }, 'diffs[0].pre[0].nonce is no number of 64 bits'],
    [{ pre: {}, post: { [b]: { code: '0x1' } } }, 'diffs[0].post[0].code is no hexadecimal text'],
    [{ pre: {}, post: { [b]: { storage: [] } } }, 'diffs[0].post[0].storage is no object'],
    [{ pre: {}, post: { [b]: { storage: { [one]: 'x' } } } }, `diffs[0].post[0].${one} is no quantity`],
    [{ pre: {}, post: { [b]: {}, [capitals(b)]: {} } }, 'diffs[0].post has an account twice'],
    [{ pre: { [b]: { storage: { [one]: two, '0x1': one } } }, post: { [b]: {} } }, 'diffs[0].pre has a slot twice'],
    [{ pre: {}, post: { [b]: { storage: { one: two } } } }, 'diffs[0].post has a name that is no slot'],
  ]
  test.each(wrong)('%# whose values are wrong is refused', (diff, message) => {
    const attempt = () => read(withDiffs([diff]))
    expect(attempt).toThrow(DecodeError)
    expect(attempt).toThrow(`EVM block 1 of chain 43112: ${message}.`)
  })
})
