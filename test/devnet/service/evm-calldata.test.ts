import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { inputOf, readCalldata, selectors } from '../../../devnet/c/abi.ts'
import { createErc20, createErc721, createErc1155, moved } from '../../../devnet/service/evm/contracts.ts'

const zero = `0x${'0'.repeat(40)}`
const [alice, bob, carol] = ['a', 'b', 'c'].map((digit) => `0x${digit.repeat(40)}`) as [string, string, string]
const bytesOf = (address: string) => Buffer.from(address.slice(2), 'hex')
const call = (selector: string, ...values: Parameters<typeof inputOf>[1]) => readCalldata(inputOf(selector, values))
const most = 2n ** 256n - 1n

describe('calls of token contracts', () => {
  test('have the selectors of the standards', () => {
    expect(selectors).toMatchObject({
      transfer: 'a9059cbb',
      approve: '095ea7b3',
      transferFrom: '23b872dd',
      safeTransfer: '42842e0e',
      safeTransferData: 'b88d4fde',
      safeTransferOf: 'f242432a',
      safeBatchTransfer: '2eb2c2d6',
    })
  })

  test('are encoded like the example in the Solidity documentation', () => {
    // sam("dave", true, [1,2,3]) from the Solidity documentation, with its own selector.
    const list = inputOf('a5643bf2', [{ bytes: Buffer.from('dave') }, 1n, [1n, 2n, 3n]])
    const words = ['60', '1', 'a0', '4', `64617665${'0'.repeat(56)}`, '3', '1', '2', '3']
    expect(Buffer.from(list).toString('hex')).toBe(`a5643bf2${words.map((word) => word.padStart(64, '0')).join('')}`)
  })

  test('are decoded to the values that were encoded', () => {
    const number = fc.bigInt(0n, most)
    const address = fc.uint8Array({ minLength: 20, maxLength: 20 })
    fc.assert(
      fc.property(
        address,
        number,
        fc.array(number),
        fc.array(address),
        fc.uint8Array(),
        (a, n, numbers, addresses, bytes) => {
          const read = readCalldata(inputOf('12345678', [a, numbers, n, { bytes }, addresses]))
          const hex = (each: Uint8Array) => `0x${Buffer.from(each).toString('hex')}`
          expect(read.selector).toBe('12345678')
          expect([read.address(0), read.numbers(1), read.number(2), read.addresses(4)]).toEqual([
            hex(a),
            numbers,
            n,
            addresses.map(hex),
          ])
        },
      ),
    )
  })

  test('are refused when they are truncated', () => {
    const input = inputOf(selectors.transfer, [bytesOf(alice), 5n])
    expect(() => readCalldata(input.subarray(0, 60)).number(1)).toThrow(RangeError)
    expect(readCalldata(new Uint8Array()).selector).toBe('')
    expect(() => readCalldata(inputOf('00000000', [most])).numbers(0)).toThrow(RangeError)
  })
})

describe('token contracts', () => {
  test('ERC-20 transfers need a balance or an allowance, and the supply fits 256 bits', () => {
    const token = createErc20()
    expect(token.call(alice, call(selectors.transfer, bytesOf(bob), 1n))).toBeNull()
    expect(token.call(carol, call(selectors.mint, bytesOf(alice), most))).toEqual([
      moved([{ from: zero, to: alice, tokenId: null, value: most }]),
    ])
    expect(token.call(carol, call(selectors.mint, bytesOf(alice), 1n))).toBeNull()
    expect(token.call(alice, call(selectors.transfer, bytesOf(alice), most))).toHaveLength(1)
    expect(token.call(alice, call(selectors.batchTransfer, [bytesOf(bob), bytesOf(carol)], 10n))).toHaveLength(2)
    expect(token.call(bob, call(selectors.batchTransfer, [bytesOf(alice), bytesOf(carol)], 6n))).toBeNull()
    expect(token.call(carol, call(selectors.transferFrom, bytesOf(bob), bytesOf(alice), 3n))).toBeNull()
    expect(token.call(bob, call(selectors.approve, bytesOf(carol), 4n))).toEqual([
      { moves: [], approval: { owner: bob, spender: carol, value: 4n } },
    ])
    expect(token.call(carol, call(selectors.transferFrom, bytesOf(bob), bytesOf(alice), 3n))).toHaveLength(1)
    expect(token.call(carol, call(selectors.transferFrom, bytesOf(bob), bytesOf(alice), 2n))).toBeNull()
    expect(token.call(bob, call(selectors.burn, 8n))).toBeNull()
    expect(token.call(bob, call(selectors.burn, 7n))).toEqual([
      moved([{ from: bob, to: zero, tokenId: null, value: 7n }]),
    ])
    expect(token.call(bob, call(selectors.safeTransferOf, bytesOf(bob), bytesOf(alice), 1n))).toBeNull()
  })

  test('ERC-721 tokens are minted once, and only the owner can transfer them', () => {
    const token = createErc721()
    expect(token.call(carol, call(selectors.mint, bytesOf(alice), 7n))).toHaveLength(1)
    expect(token.call(carol, call(selectors.mint, bytesOf(bob), 7n))).toBeNull()
    expect(token.call(bob, call(selectors.transferFrom, bytesOf(alice), bytesOf(bob), 7n))).toBeNull()
    const data = { bytes: Buffer.from('hello') }
    expect(token.call(alice, call(selectors.safeTransferData, bytesOf(alice), bytesOf(bob), 7n, data))).toHaveLength(1)
    expect(token.ownerOf(7n)).toBe(bob)
    expect(token.call(bob, call(selectors.burn, 7n))).toHaveLength(1)
    expect(token.ownerOf(7n)).toBeNull()
    expect(token.call(carol, call(selectors.mint, bytesOf(alice), 7n))).toBeNull()
  })

  test('ERC-1155 batches are one event and transfer all amounts or none', () => {
    const token = createErc1155()
    const none = { bytes: new Uint8Array() }
    expect(token.call(carol, call(selectors.mintBatch, bytesOf(alice), [1n, 2n], [10n, 20n], none))).toEqual([
      moved([
        { from: zero, to: alice, tokenId: 1n, value: 10n },
        { from: zero, to: alice, tokenId: 2n, value: 20n },
      ]),
    ])
    const batch = (ids: bigint[], values: bigint[]) =>
      token.call(alice, call(selectors.safeBatchTransfer, bytesOf(alice), bytesOf(bob), ids, values, none))
    expect(batch([1n, 2n], [1n, 21n])).toBeNull()
    // The same id twice requires the sum of both amounts.
    expect(batch([1n, 1n], [6n, 6n])).toBeNull()
    expect(batch([1n, 2n], [10n, 20n])?.[0]?.moves).toHaveLength(2)
    expect(batch([1n], [1n])).toBeNull()
    expect(token.call(bob, call(selectors.burnOf, bytesOf(bob), 1n, 10n))).toHaveLength(1)
    expect(() => batch([1n, 2n], [1n])).toThrow(RangeError)
  })
})
