import { describe, expect, test } from 'vitest'
import type { TracedAccount } from '../../../codec/evm/state-diffs.ts'
import { keccak256 } from '../../../codec/keccak.ts'
import { evmStateReads } from '../../../schemas/evm-state.ts'
import { readEvmStateReads } from '../../../src/decode/evm/state.ts'
import { DecodeError } from '../../../src/errors.ts'
import type { EvmBlockDiffs } from '../../../src/model.ts'
import { expectRows, expectTable } from '../expect-rows.ts'
import { expectFits } from '../service/expect-fits.ts'
import { diffedAnswers, prestateCalls } from './diff-facts.ts'

const chain = { network: 'local', chainId: '43112', unknownField: expect.fail }

/** Blocks with only the transactions whose reads were recorded. */
function recordsOf(): EvmBlockDiffs[] {
  const found = new Map(
    prestateCalls('debug_traceTransaction')
      .filter(({ params }) => params[1].tracerConfig === undefined)
      .map(({ params, result }) => [params[0], result]),
  )
  return diffedAnswers().flatMap(({ block }) => {
    const transactions = block.transactions
      .filter(({ hash }: any) => found.has(hash))
      .map((transaction: object, at: number) => ({ ...transaction, transactionIndex: `0x${at.toString(16)}` }))
    const reads = transactions.map(({ hash }: any) => found.get(hash))
    const transactionHashes = transactions.map(({ hash }: any) => hash)
    const record = { number: Number(block.number), block: { ...block, transactions }, transactionHashes, state: {} }
    return transactions.length === 0 ? [] : [{ ...record, traces: [[], reads] }]
  })
}

/** The contracts that recorded transactions created. */
const created = new Set(
  diffedAnswers().flatMap(({ receipts }) => receipts.map(({ contractAddress }) => contractAddress)),
)

function factsOf({ transactionHashes, traces: [, reads], number }: EvmBlockDiffs): object[] {
  return transactionHashes.flatMap((hash, index) => {
    const accounts = reads![index] as Record<string, TracedAccount>
    const place = { block_number: number, transaction_index: index, transaction_hash: hash }
    // The node lists a contract that the transaction creates if it used slots of it, and then with nonce 1.
    const isNew = (address: string) => created.has(address) && accounts[address]!.code === undefined
    const existing = Object.keys(accounts).filter((each) => !isNew(each) || accounts[each]!.storage !== undefined)
    return existing.sort().flatMap((address) => {
      const { balance, nonce = 0, code = '0x', storage = {} } = accounts[address]!
      const codeHash = `0x${Buffer.from(keccak256(Buffer.from((code as string).slice(2), 'hex'))).toString('hex')}`
      const row = {
        ...place,
        address,
        slot: null,
        balance: BigInt(balance as string),
        nonce: isNew(address) ? 0n : BigInt(nonce as number),
      }
      const slots = Object.keys(storage).sort()
      return [
        { ...row, balance_raw: String(row.balance), code_hash: codeHash, slot_value: null },
        ...slots.map((slot) => ({ ...place, address, slot, balance: null, nonce: null, slot_value: storage[slot] })),
      ]
    })
  })
}

describe('rows of recorded reads', () => {
  const records = recordsOf()
  const rows = records.flatMap((record) => readEvmStateReads(record, chain).reads)

  test('match the answers of the node field by field', () => {
    expectRows(rows, records.flatMap(factsOf))
    expectTable('evm_state_reads', rows)
    expectFits(evmStateReads, rows)
    expect(records.flatMap(({ transactionHashes }) => transactionHashes)).toHaveLength(12)
    expect(rows.filter(({ slot }) => slot !== null).length).toBeGreaterThan(15)
  })

  test('have no contract that the transaction creates, although the node says that it had nonce 1', () => {
    const listed = records.flatMap(({ traces: [, reads] }) => reads!.flatMap((each) => Object.keys(each as object)))
    const notCreated = new Set(rows.map(({ address }) => address))
    const without = [...new Set(listed)].filter((address) => !notCreated.has(address))
    expect(without.length).toBeGreaterThan(1)
    expect(without.every((address) => created.has(address))).toBe(true)
  })

  test('are refused with accounts that are none', () => {
    const [record] = records
    for (const [reads, message] of [
      [{ me: {} }, 'reads[0].me is no account'],
      [{ [`0x${'a'.repeat(40)}`]: 7 }, 'is no account'],
      [{ [`0x${'a'.repeat(40)}`]: { balance: 1.5 } }, 'reads[0].accounts[0].balance is no quantity'],
      [{ [`0x${'a'.repeat(40)}`]: {}, [`0x${'A'.repeat(40)}`]: {} }, 'reads[0].accounts has an account twice'],
      [{ [`0x${'a'.repeat(40)}`]: { storage: { '0x1': '0x1', '0x01': '0x2' } } }, 'has a slot twice'],
      [{ [`0x${'a'.repeat(40)}`]: { storage: { me: '0x1' } } }, 'has a name that is no slot'],
    ] as const) {
      const attempt = () => readEvmStateReads({ ...record!, traces: [[], [reads]] }, chain)
      expect(attempt).toThrow(DecodeError)
      expect(attempt).toThrow(message)
    }
  })
})
