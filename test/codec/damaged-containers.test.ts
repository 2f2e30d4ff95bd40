import { describe, expect, test } from 'vitest'
import { cBlock, decodeCBlock, decodeExtData, encodeExtData } from '../../codec/c.ts'
import { unwrap, wrap } from '../../codec/containers.ts'
import { decodeExactly, encode, type Schema } from '../../codec/linear.ts'
import { pBlock } from '../../codec/p.ts'
import { signedXTx, xBlock, xVertex } from '../../codec/x.ts'
import { recordedContainers } from '../recorded.ts'
import { runs } from '../runs.ts'
import { damage } from './damaged.ts'

/** Every nth recorded container. */
function samples(chain: 'p' | 'x' | 'c', step: number): Uint8Array[] {
  return (['granite', 'helicon'] as const).flatMap((name) =>
    recordedContainers(`${name}/${chain}-containers`)
      .filter(({ index }) => index % step === 0)
      .map(({ bytes }) => bytes),
  )
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
  return recordedContainers(`legacy/${name}`).map(({ bytes }) => bytes)
}

const times = runs(500)

describe('damaged containers', () => {
  test.each([
    ['P', () => samples('p', 40), container(pBlock)],
    ['X', () => samples('x', 40), container(xBlock)],
    ['C', () => samples('c', 4), container(cBlock)],
    ['X vertices', () => legacy('x-vertices'), whole(xVertex)],
    ['X transactions', () => legacy('x-transactions'), whole(signedXTx)],
    [
      'extData',
      () =>
        samples('c', 1)
          .map((bytes) => decodeCBlock(unwrap(bytes).block, 'block').block.extData)
          .filter(({ length }) => length > 0),
      (bytes: Uint8Array) => encodeExtData(decodeExtData(bytes, 'extData')),
    ],
  ])('give an error with path and offset, or are encoded to the same bytes: %s', (_, originals, again) => {
    const errors = damage(originals(), times, again)
    expect(errors).toBeGreaterThan(times / 10)
    expect(errors).toBeLessThan(times)
  })
})
