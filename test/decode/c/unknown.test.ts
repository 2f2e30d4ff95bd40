import { describe, expect, test } from 'vitest'
import { type CBlockValue, cBlock } from '../../../codec/c.ts'
import { containerId, unwrap, wrap } from '../../../codec/containers.ts'
import { decodeExactly, encode, type Schema } from '../../../codec/linear.ts'
import { rlpBytes, rlpList, rlpU64 } from '../../../codec/rlp.ts'
import { decodeCContainer } from '../../../src/decode/c/rows.ts'
import { DecodeError } from '../../../src/errors.ts'
import type { Container } from '../../../src/model.ts'
import { recordedContainers } from '../../recorded.ts'
import { contextOf } from '../recordings.ts'

const context = contextOf('helicon', 'C')

function newest(): Container {
  return recordedContainers('helicon/c-containers').at(-1)!
}

/** The container with another block inside, and with the id of its new bytes. */
function around(container: Container, block: Uint8Array): Container {
  const bytes = wrap({ ...unwrap(container.bytes), block } as never)
  return { ...container, bytes, id: containerId(bytes) }
}

function failureOf(container: Container): DecodeError {
  try {
    decodeCContainer(container, context)
  } catch (cause) {
    if (cause instanceof DecodeError) return cause
    throw cause
  }
  return expect.fail('the container was decoded')
}

/** Items of a list as raw bytes, including their prefixes. */
const anyItem: Schema<Uint8Array> = {
  read: (reader) => {
    const start = reader.offset
    const end = reader.bytes[start]! >= 0xc0 ? skipped(rlpList(anyItem), reader) : skipped(rlpBytes, reader)
    return reader.bytes.subarray(start, end)
  },
  write: (writer, value) => {
    const grown = new Uint8Array(writer.offset + value.length)
    grown.set(writer.bytes.subarray(0, writer.offset))
    grown.set(value, writer.offset)
    Object.assign(writer, { bytes: grown, offset: grown.length })
  },
}

function skipped(schema: Schema<any>, reader: Parameters<Schema<any>['read']>[0]): number {
  schema.read(reader)
  return reader.offset
}

const items = rlpList(anyItem)

/** The block with one of its five items changed. */
function withItem(block: Uint8Array, position: number, change: (item: Uint8Array) => Uint8Array): Uint8Array {
  const all = decodeExactly(items, block, 'block')
  return encode(
    items,
    all.map((item, i) => (i === position ? change(item) : item)),
  )
}

describe('a C-Chain block with content that chainlake does not know', () => {
  const container = newest()
  const { block } = unwrap(container.bytes)
  const { header } = decodeExactly(cBlock, block, 'block')

  test('is refused for a 31st header field; the error names the block and the path', () => {
    const grown = withItem(block, 0, (item) => {
      const fields = decodeExactly(items, item, 'header')
      expect(fields.length).toBe(30)
      return encode(items, [...fields, encode(rlpU64, 7n)])
    })
    const failure = failureOf(around(container, grown))
    expect(failure.message).toContain(`C block ${header.number}`)
    expect(failure.message).toContain(`Container ${container.index}`)
    expect(failure.details).toMatchObject({ block_number: header.number, path: 'block.header' })
    expect(failure.hint).toMatch(/update chainlake/)
  })

  test('is refused for a new transaction type', () => {
    const grown = withItem(block, 1, () => encode(rlpList(rlpBytes), [new Uint8Array([3, 0xc0])]))
    const failure = failureOf(around(container, grown))
    expect(failure.message).toMatch(new RegExp(`C block ${header.number}.*unknown type 3`))
    expect(failure.details).toMatchObject({ path: 'block.transactions[0]' })
  })

  test('is refused for uncles, another version or an unknown type of atomic transaction', () => {
    const changed: [Partial<CBlockValue>, RegExp][] = [
      [{ uncles: [header] }, /uncles/],
      [{ version: 1n }, /version/],
      [{ extData: new Uint8Array([0, 0, 0, 0, 0, 1, 0, 0, 0, 9]) }, /unknown type 9/],
    ]
    for (const [change, message] of changed) {
      const value = { ...decodeExactly(cBlock, block, 'block'), ...change }
      expect(failureOf(around(container, encode(cBlock, value))).message).toMatch(message)
    }
  })
})

describe('a C-Chain container with bytes that do not give its id', () => {
  test('is refused', () => {
    const bytes = new Uint8Array(700)
    expect(() => decodeCContainer({ index: 0, id: 'x', acceptedAtNs: 0n, bytes }, context)).toThrow(DecodeError)
  })
})
