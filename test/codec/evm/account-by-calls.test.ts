import { describe, expect, test } from 'vitest'
import { accountByCalls, type TracedCall } from '../../../codec/evm/state-diffs.ts'

const [sender, a, b] = ['5', 'a', 'b'].map((digit) => `0x${digit.repeat(40)}`) as [string, string, string]
const before = { balance: '0xa', nonce: 3, code: '0x33ff' }

const call = (from: string, to: string, value: string, ...calls: TracedCall[]): TracedCall => ({
  type: 'CALL',
  from,
  to,
  value,
  calls,
})
const end = (root: TracedCall, keepsOlder = true, own: object = before) =>
  accountByCalls(root, { address: a, before: own, keepsOlder })

const destroyed: TracedCall = { type: 'SELFDESTRUCT', from: a, to: b, value: '0xb' }

describe('a contract after a transaction, by its calls', () => {
  test('loses what it sends and gets what it receives', () => {
    const root = call(sender, a, '0x5', call(a, b, '0x2'), call(b, a, '0x1'))
    expect(end(root)).toEqual({ balance: '0xe', nonce: '0x3', code: '0x33ff' })
  })

  test('loses only its balance by SELFDESTRUCT, but is deleted before EIP-6780', () => {
    const root = call(sender, a, '0x1', destroyed)
    expect(end(root)).toEqual({ balance: '0x0', nonce: '0x3', code: '0x33ff' })
    expect(end(root, false)).toBeNull()
  })

  test('is deleted by SELFDESTRUCT in the transaction that created it', () => {
    const created: TracedCall = {
      type: 'CREATE',
      from: sender,
      to: a,
      value: '0xb',
      output: '0x33ff',
      calls: [destroyed],
    }
    expect(end(created, true, {})).toBeNull()
    expect(end({ ...created, calls: [] }, true, {})).toEqual({ balance: '0xb', nonce: '0x1', code: '0x33ff' })
  })

  test('stays as it was where a call that failed encloses what it did', () => {
    const failed = { ...call(b, a, '0x1', destroyed, { type: 'CREATE2', from: a, to: b }), error: 'execution reverted' }
    expect(end(call(sender, b, '0x0', failed))).toEqual({ balance: '0xa', nonce: '0x3', code: '0x33ff' })
  })

  test('counts its creations, also one that failed', () => {
    const creations = [
      { type: 'CREATE', from: a, to: b },
      { type: 'CREATE2', from: a, error: 'out of gas' },
    ]
    expect(end(call(sender, a, '0x0', ...creations))).toMatchObject({ nonce: '0x5' })
  })

  test('does not lose the amounts that DELEGATECALL and CALLCODE repeat', () => {
    const repeated = ['DELEGATECALL', 'CALLCODE'].map((type) => ({ type, from: a, to: b, value: '0x5' }))
    expect(end(call(sender, a, '0x0', ...repeated))).toMatchObject({ balance: '0xa' })
  })
})
