import { expect, test } from 'vitest'
import { decodeExtData, encodeExtData } from '../../src/codec/c/atomic-transactions.ts'
import { cBlock } from '../../src/codec/c/blocks.ts'
import { decodeExactly, encode, type Schema } from '../../src/codec/linear/index.ts'
import { pBlock } from '../../src/codec/p/blocks.ts'
import { unwrap, wrap } from '../../src/codec/proposervm.ts'
import { xBlock } from '../../src/codec/x/blocks.ts'
import { signedXTx } from '../../src/codec/x/transactions.ts'
import { xVertex } from '../../src/codec/x/vertices.ts'
import { recordedContainers } from '../recorded.ts'
import { describeWithSharedData } from '../shared-data.ts'
import { damage } from './damaged.ts'
import { bytesOf, vectorsOf } from './vectors.ts'

/** Every nth recorded container, and the block vectors as containers of before the wrapper. */
function samples(chain: 'p' | 'x' | 'c', step: number): Uint8Array[] {
  const recorded = (['granite', 'helicon'] as const).flatMap((name) =>
    recordedContainers(`recorded/${name}/${chain}-containers.jsonl.gz`).filter(({ index }) => index % step === 0),
  )
  return [...recorded.map(({ bytes }) => bytes), ...vectorsOf(`${chain}-block`).map(({ hex }) => bytesOf(hex))]
}

function whole(schema: Schema<any>): (bytes: Uint8Array) => Uint8Array {
  return (bytes) => encode(schema, decodeExactly(schema, bytes, 'value'))
}

function container(schema: Schema<any>): (bytes: Uint8Array) => Uint8Array {
  const block = whole(schema)
  return (bytes) => {
    const wrapper = unwrap(bytes)
    return wrap({ ...wrapper, block: block(wrapper.block) })
  }
}

function legacy(name: string): Uint8Array[] {
  return recordedContainers(`recorded/legacy/${name}.jsonl.gz`).map(({ bytes }) => bytes)
}

describeWithSharedData('10,000 damaged containers: an error with path and offset, or the same bytes again', () => {
  test.each([
    ['P', () => samples('p', 40), container(pBlock)],
    ['X', () => samples('x', 40), container(xBlock)],
    ['C', () => samples('c', 4), container(cBlock)],
    ['X vertices', () => legacy('x-vertices'), whole(xVertex)],
    ['X transactions', () => legacy('x-transactions'), whole(signedXTx)],
    [
      'extData',
      () => vectorsOf('c-extdata-batch', 'c-tx').map(({ hex }) => bytesOf(hex)),
      (bytes: Uint8Array) => encodeExtData(decodeExtData(bytes, 'extData')),
    ],
  ])('%s', (_, originals, again) => {
    const errors = damage(originals(), 10_000, again)
    expect(errors).toBeGreaterThan(1000)
    expect(errors).toBeLessThan(9990)
  })
})
