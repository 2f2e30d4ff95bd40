import { describe, expect, test } from 'vitest'
import { cBlock, decodeCBlock, decodeExtData, type EvmTx, encodeExtData } from '../../../codec/c.ts'
import { containerId, unwrap, wrap } from '../../../codec/containers.ts'
import { encode } from '../../../codec/linear.ts'
import { recordedContainers, recordedLines } from '../../recorded.ts'

/** A value as the RPC writes it: bytes in full, integers without leading zeros. */
function rpc(value: Uint8Array | bigint): string {
  return typeof value === 'bigint' ? `0x${value.toString(16)}` : `0x${Buffer.from(value).toString('hex')}`
}

/** Header fields that the RPC has under the same name. */
function headerOf(header: object, answer: any): object {
  return Object.fromEntries(
    Object.entries(header)
      .filter(([name, value]) => value !== null && name in answer)
      .map(([name, value]) => [name, rpc(value)]),
  )
}

const typeNumbers = { LegacyTx: '0x0', AccessListTx: '0x1', DynamicFeeTx: '0x2' } as const

function transactionOf(tx: EvmTx): object {
  const { to, gas, nonce, value, input, v, r, s } = tx
  const same = Object.fromEntries(
    Object.entries({ gas, nonce, value, input, v, r, s }).map(([k, each]) => [k, rpc(each)]),
  )
  const accessList =
    tx.type === 'LegacyTx'
      ? {}
      : {
          chainId: rpc(tx.chainId),
          accessList: tx.accessList.map(({ address, storageKeys }) => ({
            address: rpc(address),
            storageKeys: storageKeys.map(rpc),
          })),
        }
  const fees =
    tx.type === 'DynamicFeeTx'
      ? { maxFeePerGas: rpc(tx.maxFeePerGas), maxPriorityFeePerGas: rpc(tx.maxPriorityFeePerGas) }
      : { gasPrice: rpc(tx.gasPrice) }
  return { type: typeNumbers[tx.type], to: to === null ? null : rpc(to), ...same, ...accessList, ...fees }
}

describe('recorded C blocks', () => {
  test.each([
    ['granite', 24],
    ['helicon', 30],
  ] as const)('%s: hashes, headers and transactions match the RPC answers', (recording, fields) => {
    const containers = recordedContainers(`${recording}/c-containers`)
    const answers = recordedLines(`${recording}/c-blocks`).map((line) => JSON.parse(line).result)
    const byNumber = new Map(answers.map((answer: any) => [BigInt(answer.number), answer]))
    let most = 0
    for (const { bytes, id } of containers) {
      expect(containerId(bytes)).toBe(id)
      const { block, hash, transactionHashes } = decodeCBlock(unwrap(bytes).block, 'block')
      const answer = byNumber.get(block.header.number)
      expect(rpc(hash)).toBe(answer.hash)
      const header = headerOf(block.header, answer)
      expect(Object.keys(header).length).toBeGreaterThanOrEqual(22)
      expect(header).toEqual(Object.fromEntries(Object.keys(header).map((name) => [name, answer[name]])))
      expect(transactionHashes.map(rpc)).toEqual(answer.transactions.map((tx: any) => tx.hash))
      block.transactions.forEach((tx, i) => {
        const found = transactionOf(tx)
        const expected = answer.transactions[i]
        // For dynamic-fee transactions in blocks the RPC has the effective price in addition to the stated ones.
        expect(found).toEqual(Object.fromEntries(Object.keys(found).map((name) => [name, expected[name]])))
      })
      most = Math.max(most, Object.values(block.header).filter((value) => value !== null).length)
    }
    expect(most).toBe(fields)
  })

  test.each(['granite', 'helicon'] as const)(
    '%s: every block names its parent and is encoded to the same bytes',
    (recording) => {
      let parent: Uint8Array | null = null
      let atomic = 0
      for (const { bytes } of recordedContainers(`${recording}/c-containers`)) {
        const wrapper = unwrap(bytes)
        const { block, hash } = decodeCBlock(wrapper.block, 'block')
        if (parent !== null) expect(Buffer.compare(block.header.parentHash, parent)).toBe(0)
        parent = hash
        expect(Buffer.compare(wrap({ ...wrapper, block: encode(cBlock, block) }), bytes)).toBe(0)
        const extData = decodeExtData(block.extData, 'block.extData')
        expect(encodeExtData(extData)).toEqual(block.extData)
        extData.txs.forEach((tx, i) => {
          const { txBytes, txIds } = decodeExtData(encodeExtData({ encoding: 'single', txs: [tx] }), 'block.extData')
          expect({ txBytes, txIds }).toEqual({ txBytes: [extData.txBytes[i]], txIds: [extData.txIds[i]] })
        })
        atomic += extData.txs.length
      }
      expect(atomic).toBeGreaterThan(10)
    },
  )
})
