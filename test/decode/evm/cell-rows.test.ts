import { describe, expect, test } from 'vitest'
import { keccak256 } from '../../../codec/keccak.ts'
import { evmBalances, evmCodes, evmNonces, evmStorage } from '../../../schemas/evm-state.ts'
import { balanceRow, codeRow, nonceRow, storageRow } from '../../../src/decode/evm/state.ts'
import type { EvmCell } from '../../../src/model.ts'
import { recordedHeader, type StateCall, stateCalls } from '../../recorded-state.ts'
import { expectFits } from '../service/expect-fits.ts'

const context = { network: 'local', chainId: '43112' }

/** The recorded results of a method at numbered blocks, as cells. */
function cellsOf(method: string): { readonly call: StateCall; readonly cell: EvmCell }[] {
  return stateCalls(method)
    .filter(({ params, result }) => result !== undefined && /^0x/.test(params.at(-1)))
    .map((call) => {
      const number = call.params.at(-1)
      const outcomes = [{ result: call.result }]
      return { call, cell: { number: Number(number), subject: '', block: recordedHeader(number), outcomes } }
    })
}

/** The first columns of a row, computed by other means. */
function placeOf({ params }: StateCall) {
  const header = recordedHeader(params.at(-1))
  return {
    network: 'local',
    chain_id: '43112',
    block_number: Number(params.at(-1)),
    block_hash: header['hash'],
    block_time: BigInt(header['timestampMilliseconds'] ?? BigInt(header['timestamp']) * 1000n) * 1000n,
  }
}

describe('recorded answers about the state of an EVM chain', () => {
  test('give balances', () => {
    const cells = cellsOf('eth_getBalance')
    expect(cells.length).toBe(420)
    const rows = cells.map(({ call, cell }) => balanceRow(cell, context, call.params[0]))
    expectFits(evmBalances, rows)
    for (const [at, { call }] of cells.entries()) {
      const balance = BigInt(call.result)
      expect(rows[at]).toEqual({ ...placeOf(call), address: call.params[0], balance, balance_raw: String(balance) })
    }
  })

  test('give nonces', () => {
    const cells = cellsOf('eth_getTransactionCount')
    expect(cells.length).toBe(420)
    const rows = cells.map(({ call, cell }) => nonceRow(cell, context, call.params[0]))
    expectFits(evmNonces, rows)
    for (const [at, { call }] of cells.entries())
      expect(rows[at]).toEqual({ ...placeOf(call), address: call.params[0], nonce: BigInt(call.result) })
    expect(new Set(rows.map(({ nonce }) => nonce)).size).toBeGreaterThan(10)
  })

  test('give codes with their hashes', () => {
    const cells = cellsOf('eth_getCode')
    expect(cells.length).toBe(420)
    const rows = cells.map(({ call, cell }) => codeRow(cell, context, call.params[0]))
    expectFits(evmCodes, rows)
    for (const [at, { call }] of cells.entries()) {
      const { code, ...others } = rows[at]!
      // Comparing buffers byte by byte takes seconds.
      expect(`0x${Buffer.from(code).toString('hex')}`).toBe(call.result)
      const hash = `0x${Buffer.from(keccak256(code)).toString('hex')}`
      expect(others).toEqual({ ...placeOf(call), address: call.params[0], code_hash: hash })
    }
    const empty = rows.find(({ code }) => code.length === 0)!
    expect(empty.code_hash).toBe('0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470')
  })

  test('give storage slots', () => {
    const cells = cellsOf('eth_getStorageAt')
    expect(cells.length).toBe(241)
    const rows = cells.map(({ call: { params }, cell }) =>
      storageRow(cell, context, { address: params[0], slot: params[1] }),
    )
    expectFits(evmStorage, rows)
    for (const [at, { call }] of cells.entries()) {
      const [address, slot] = call.params
      expect(rows[at]).toEqual({ ...placeOf(call), address, slot, slot_value: call.result })
    }
    expect(new Set(rows.map(({ slot_value }) => slot_value)).size).toBeGreaterThan(20)
  })
})

describe('an answer', () => {
  const header = recordedHeader('0xc')
  const cell = (result: unknown): EvmCell => ({ number: 12, subject: '', block: header, outcomes: [{ result }] })

  test('may be a balance of more than 38 digits', () => {
    const most = 2n ** 256n - 1n
    const row = balanceRow(cell(`0x${most.toString(16)}`), context, '0x')
    expect(row).toMatchObject({ balance: null, balance_raw: String(most) })
  })

  test('may be a slot without leading zeros, as some clients write it', () => {
    const row = storageRow(cell('0x0'), context, { address: '0x', slot: '0x' })
    expect(row.slot_value).toBe(`0x${'0'.repeat(64)}`)
  })

  test.each([null, undefined, '', 'abc', 7.5, `0x1${'0'.repeat(64)}`])('is refused if it is %j', (result) => {
    expect(() => balanceRow(cell(result), context, '0x')).toThrow(/EVM block 12 of chain 43112: result /)
  })
})
