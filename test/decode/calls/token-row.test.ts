import { describe, expect, test } from 'vitest'
import { evmTokens } from '../../../schemas/evm-contracts.ts'
import { tokenInputs, tokenRow } from '../../../src/decode/events/calls.ts'
import type { EvmCell, EvmOutcome } from '../../../src/model.ts'
import { recordedHeader, type StateCall, stateCalls } from '../../recorded-state.ts'
import { expectFits } from '../service/expect-fits.ts'

const context = { network: 'local', chainId: '43112' }
const hexOf = (bytes: Uint8Array | null) => (bytes === null ? null : `0x${Buffer.from(bytes).toString('hex')}`)

const calls = new Map(
  stateCalls('eth_call').map((call) => [`${call.params[0].to} ${call.params[0].data} ${call.params[1]}`, call]),
)
const contracts = [...new Set(stateCalls('eth_call').map(({ params: [{ to }] }) => to as string))]
const outcomeOf = ({ result, error }: StateCall): EvmOutcome =>
  error === undefined ? { result } : { refusal: { code: error.code, message: error.message, data: error.data } }

/** The recorded contracts for which the recording has all answers about a token. */
const cells = ['0x29', '0x52', '0xa4'].flatMap((block) =>
  contracts.flatMap((contract) => {
    const own = tokenInputs.map((input) => calls.get(`${contract} ${input} ${block}`))
    if (!own.every((call) => call !== undefined)) return []
    const cell: EvmCell = {
      number: Number(block),
      subject: '',
      block: recordedHeader(block),
      outcomes: own.map(outcomeOf),
    }
    return [{ contract, own, cell }]
  }),
)

describe('recorded tokens', () => {
  const rows = cells.map(({ contract, cell }) => tokenRow(cell, context, contract))

  test('have what their contracts said', () => {
    expect(cells.length).toBeGreaterThan(100)
    expectFits(evmTokens, rows)
    const forms = new Set<string | null>()
    for (const [at, { own, contract }] of cells.entries()) {
      const row = rows[at] as Record<string, any>
      expect(row).toMatchObject({ token_address: contract, network: 'local', chain_id: '43112' })
      for (const [position, field] of ['name', 'symbol', 'decimals', 'total_supply'].entries()) {
        const { result, error } = own[position]!
        expect(row[`${field}_error`]).toBe(error?.message ?? null)
        expect(hexOf(row[`${field}_raw_output`])).toBe(result ?? null)
        expect(row[`${field}_form`] === null).toBe(error !== undefined)
        if (position < 2) expectText(row[field], row[`${field}_form`], result)
        else expectNumber(row[field], row[`${field}_raw`], result)
        forms.add(row[`${field}_form`])
      }
    }
    expect([...forms].sort()).toEqual(['bytes32', 'invalid', null, 'string', 'uint256'])
  })

  /** Finds a text in the output by other means. */
  function expectText(text: string | null, form: string | null, result: string | undefined): void {
    if (text === null) return
    const hex = Buffer.from(text).toString('hex')
    const words = result!.slice(2)
    if (form === 'bytes32') expect(words).toBe(hex.padEnd(64, '0'))
    else expect(words.slice(64)).toMatch(new RegExp(`^0*${(hex.length / 2).toString(16)}${hex}0*$`))
  }

  function expectNumber(number: bigint | null, raw: string | null, result: string | undefined): void {
    if (result === undefined || result.length < 66) {
      expect(raw).toBeNull()
      return
    }
    expect(raw).toBe(String(BigInt(result.slice(0, 66))))
    expect(number).toBe(BigInt(raw!) < 10n ** 38n ? BigInt(raw!) : null)
  }

  test('are of every kind that occurs', () => {
    const at = rows.filter(({ block_number: number }) => number === 164)
    expect(at.filter(({ name_form: form }) => form === 'string').length).toBeGreaterThan(3)
    expect(at.find(({ symbol_form: form }) => form === 'bytes32')).toMatchObject({ name: expect.any(String) })
    expect(at.filter(({ symbol_error: error }) => error !== null).length).toBeGreaterThan(3)
  })
})

describe('an output', () => {
  const header = recordedHeader('0xc')
  const rowOf = (...results: readonly string[]) =>
    tokenRow({ number: 12, subject: '', block: header, outcomes: results.map((result) => ({ result })) }, context, '0x')
  const word = (hex: string) => `0x${hex.padEnd(64, '0')}`
  const most = `0x${'f'.repeat(64)}`

  test.each([
    ['zeros', word(''), { name: '', name_form: 'bytes32' }],
    ['a text and other bytes after its zeros', `0x41${'00'.repeat(30)}42`, { name: null, name_form: 'invalid' }],
    ['bytes that are no text', word('ff41'), { name: null, name_form: 'invalid' }],
    ['nothing', '0x', { name: null, name_form: 'invalid' }],
    [
      'a string that ends early',
      `0x${'20'.padStart(64, '0')}${'05'.padStart(64, '0')}`,
      { name: null, name_form: 'invalid' },
    ],
  ])('of %s is read as it is', (_, name, expected) => {
    expect(rowOf(name, '0x', '0x', '0x')).toMatchObject(expected)
  })

  test('of a large number has all digits as text', () => {
    expect(rowOf('0x', '0x', most, '0x00')).toMatchObject({
      ...{ decimals: null, decimals_raw: String(BigInt(most)), decimals_form: 'uint256' },
      ...{ total_supply: null, total_supply_raw: null, total_supply_form: 'invalid' },
    })
  })
})
