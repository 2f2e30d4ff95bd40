import * as AbiParameters from 'ox/AbiParameters'
import { describe, expect, test } from 'vitest'
import { keccak256 } from '../../../codec/keccak.ts'
import { evmCalls } from '../../../schemas/evm-contracts.ts'
import { parseFunction, selectorOf } from '../../../src/decode/events/abi.ts'
import { callEnd, callReader, revertData } from '../../../src/decode/events/calls.ts'
import type { EvmCell, EvmOutcome } from '../../../src/model.ts'
import { recordedHeader, type StateCall, stateCalls } from '../../recorded-state.ts'
import { expectFits } from '../service/expect-fits.ts'

const context = { network: 'local', chainId: '43112' }
const bytesOf = (hex: string) => Buffer.from(hex.slice(2), 'hex')
const hexOf = (bytes: Uint8Array | null) => (bytes === null ? null : `0x${Buffer.from(bytes).toString('hex')}`)

/** The functions that were called, by selector, with the types of their outputs. */
const functions = new Map(
  [
    'function name() view returns (string)',
    'function symbol() view returns (string)',
    'function decimals() view returns (uint8)',
    'function totalSupply() view returns (uint256)',
    'function owner() view returns (address)',
    'function implementation() view returns (address)',
    'function balanceOf(address account) view returns (uint256)',
    'function supportsInterface(bytes4 id) view returns (bool)',
    'function ownerOf(uint256 id) view returns (address)',
    'function tokenURI(uint256 id) view returns (string)',
    'function uri(uint256 id) view returns (string)',
  ].map((text) => {
    const called = parseFunction(text, 'calls')
    return [hexOf(selectorOf(called))!, { called, types: /returns \((.*)\)/.exec(text)![1]! }]
  }),
)

/** The recorded calls of one contract at a numbered block. */
const calls = stateCalls('eth_call').filter(
  ({ params: [call, block] }) =>
    /^0x/.test(block) &&
    Number(block) <= 164 &&
    /^0x([0-9a-f]{2})*$/.test(call.data ?? '') &&
    Object.keys(call).length === 2,
)
const codes = new Map(
  stateCalls('eth_getCode').map(({ params: [address, block], result }) => [`${address} ${block}`, result]),
)

/** The cell of a call, with the code of the contract where the node would have been asked for it. */
function cellOf({ params: [{ to }, block], result, error }: StateCall): EvmCell {
  const outcome: EvmOutcome =
    error === undefined
      ? { result }
      : { refusal: { code: error.code, message: error.message, data: error.data ?? null } }
  // An account with an unknown code was not created yet.
  const code = result === '0x' ? [{ result: codes.get(`${to} ${block}`) ?? '0x' }] : []
  return { number: Number(block), subject: '', block: recordedHeader(block), outcomes: [outcome, ...code] }
}

describe('recorded calls', () => {
  test('give rows with what the node said', () => {
    expect(calls.length).toBeGreaterThan(860)
    const counts: Record<string, number> = {}
    const rows = calls.map((call) => {
      const [{ to, data }, block] = call.params
      const known = functions.get(data.slice(0, 10))
      const row = callReader({ contract: to, input: bytesOf(data), called: known?.called ?? null })(
        cellOf(call),
        context,
      )
      const header = recordedHeader(block)
      expect(row).toMatchObject({
        ...{ network: 'local', chain_id: '43112', contract: to },
        ...{ block_number: Number(block), block_hash: header['hash'] },
        input_hash: hexOf(keccak256(bytesOf(data))),
      })
      expect(hexOf(row.input)).toBe(data)
      counts[row.status] = (counts[row.status] ?? 0) + 1
      const { error, result } = call
      if (error !== undefined) {
        expect(row.status).toBe(/^(out of gas|invalid opcode)/.test(error.message) ? 'failed' : 'reverted')
        expect(row).toMatchObject({ output: null, outputs: null, error: error.message })
        expect(hexOf(row.revert_data)).toBe(error.data ?? null)
        return row
      }
      const isThere = result !== '0x' || (codes.get(`${to} ${block}`) ?? '0x') !== '0x'
      expect(row.status).toBe(isThere ? 'ok' : 'no_code')
      expect(hexOf(row.output)).toBe(isThere ? result : null)
      expect(row.revert_data).toBeNull()
      if (known !== undefined && isThere) expectOutputs(row, known.types, result)
      return row
    })
    expectFits(evmCalls, rows)
    expect(Object.keys(counts).sort()).toEqual(['failed', 'no_code', 'ok', 'reverted'])
    expect(rows.filter(({ outputs }) => outputs !== null).length).toBeGreaterThan(100)
  })

  /** Compares outputs with those of another decoder, which is less strict about padding. */
  function expectOutputs(row: { outputs: string | null; error: string | null }, types: string, result: string): void {
    let expected: readonly unknown[] | null = null
    try {
      expected = AbiParameters.decode(AbiParameters.from([types]), result as `0x${string}`) as readonly unknown[]
    } catch {
      // The output is not of the types.
    }
    if (row.outputs === null) {
      expect(row.error).toMatch(/^[a-z_0-9]+$/)
      return
    }
    expect(row.error).toBeNull()
    const said = expected!.map((value) =>
      typeof value === 'bigint' || typeof value === 'number'
        ? String(value)
        : typeof value === 'string' && /^0x/.test(value)
          ? value.toLowerCase()
          : value,
    )
    expect(JSON.parse(row.outputs)).toEqual(said)
  }

  test('keep their arguments as JSON', () => {
    const call = calls.find(({ params: [{ data }] }) => data.startsWith('0x70a08231'))!
    const [{ to, data }] = call.params
    const { called } = functions.get('0x70a08231')!
    const row = callReader({ contract: to, input: bytesOf(data), called })(cellOf(call), context)
    expect(row.function).toBe('function balanceOf(address account) returns (uint256)')
    expect(JSON.parse(row.arguments!)).toEqual([`0x${data.slice(-40)}`])
  })
})

describe('a refusal', () => {
  test('is a row if the EVM ended the call', () => {
    const refusals = stateCalls('eth_call').flatMap(({ error }) =>
      error === undefined ? [] : [{ data: null, ...error }],
    )
    const failures = [...new Set(refusals.filter((each) => callEnd(each) === null).map(({ message }) => message))]
    expect(failures.map((message) => message.slice(0, 40)).sort()).toEqual([
      'cannot query unfinalized data',
      'err: insufficient funds for gas * price ',
      'err: intrinsic gas too low: have 21000, ',
      'header for hash not found',
      'invalid argument 0: json: cannot unmarsh',
      'invalid argument 1: hex string without 0x prefix'.slice(0, 40),
    ])
  })

  test.each([
    [3, 'execution reverted: no symbol', 'reverted'],
    [-32000, 'execution reverted', 'reverted'],
    [-32000, 'out of gas', 'failed'],
    [-32000, 'invalid opcode: INVALID', 'failed'],
    [-32000, 'stack underflow (0 <=> 2)', 'failed'],
    [-32000, 'missing trie node 1b37 (path ) state 0x1b37 is not available, not found', null],
    [-32002, 'request timed out', null],
    [-32000, 'execution aborted (timeout = 5s)', null],
    [-32601, 'the method eth_call does not exist/is not available', null],
    [-32005, 'limit exceeded', null],
  ] as const)('with code %d and the message %s is %s', (code, message, end) => {
    expect(callEnd({ code, message, data: null })).toBe(end)
  })

  const word = '08c379a0'
  test.each([
    [-32603, 'VM Exception while processing transaction: revert', word, 'reverted', word],
    [-32000, 'evm: execution reverted', `0x${word}`, 'reverted', word],
    [-32000, 'REVERT opcode executed', null, 'reverted', null],
    [-32015, 'VM execution error.', `Reverted 0x${word}`, 'reverted', word],
    [-32015, 'VM execution error.', 'Bad instruction fe', 'failed', null],
    [-32015, 'VM execution error', null, 'reverted', null],
    [-32603, 'Internal JSON-RPC error.', { code: 3, data: `0x${word}` }, 'reverted', word],
    [-32000, 'call failed', { '0xab': { error: 'x', return: `0x${word}` } }, 'reverted', word],
    [-32000, 'the call did not succeed', `0x${word}`, 'reverted', word],
    [1, 'message execution failed (exit=[33], revert reason=[none], vm error=[x])', null, 'reverted', null],
    [3, 'message execution failed (exit=[SysErrOutOfGas(7)], revert reason=[none], vm error=[x])', '0x', 'failed', ''],
    [11, 'message execution failed (exit=[35], vm error=[x])', null, 'failed', null],
    [3, 'execution reverted: message execution failed (exit=[7])', null, 'reverted', null],
    [-32603, 'evm error: OutOfGas', null, 'failed', null],
    [-32603, 'evm error: InvalidCode(Opcode(254))', null, 'failed', null],
    [-32003, 'EVM error: InvalidFEOpcode', null, 'failed', null],
    [-32000, 'VM Exception while processing transaction: invalid opcode', null, 'failed', null],
    [-32000, 'missing trie node 1b37 (path ) state is not available, not found', null, null, null],
    [-32000, 'header not found', '0x', null, ''],
    [-32602, 'invalid argument 0', '0xab', null, 'ab'],
    [-32603, 'Internal error', 'see the log', null, null],
  ] as const)('of another client, with code %d, %s and the data %j, is %s', (code, message, data, end, bytes) => {
    const refusal = { code, message, data }
    expect(callEnd(refusal)).toBe(end)
    const found = revertData(refusal)
    expect(found === null ? null : Buffer.from(found).toString('hex')).toBe(bytes)
  })

  test('of a pruned node is no answer', () => {
    const [missing] = stateCalls('eth_call', 'pruned').filter(({ error }) => error !== undefined)
    expect(callEnd({ data: null, ...missing!.error! })).toBeNull()
  })
})
