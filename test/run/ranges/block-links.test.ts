import { describe, expect, test } from 'vitest'
import type { Range } from '../../../src/define/index.ts'
import { DecodeError } from '../../../src/errors.ts'
import type { Container } from '../../../src/model.ts'
import { createBlockLinks } from '../../../src/run/ranges/slice-checks.ts'

const signal = new AbortController().signal

/** Containers with one byte, the id of their block. The parent of a block is the previous block, except for those in `parents`. */
function chainOf(parents: Record<number, number> = {}) {
  const reads: number[] = []
  const container = (index: number): Container => ({
    index,
    id: `c${index}`,
    acceptedAtNs: 0n,
    bytes: new Uint8Array([index]),
  })
  const rows = ({ index }: Container) => ({ blocks: [{ id: `b${index}`, parent: `b${parents[index] ?? index - 1}` }] })
  const walk: Pick<Range<Container>, 'outputs' | 'context' | 'linkOf'> = {
    outputs: [{ tables: {}, read: rows as never }],
    context: {},
    linkOf: ({ blocks: [block] }: { blocks: { id: string; parent: string }[] }) => ({
      id: block!.id,
      parentId: block!.parent,
    }),
  }
  const source = {
    at: ({ index }: Container) => index,
    window: async (from: number, to: number) => {
      for (let i = from; i < to; i++) reads.push(i)
      return Array.from({ length: to - from }, (_, i) => container(from + i))
    },
  }
  const links = createBlockLinks(walk, source)
  const follow = (index: number) => links.follow(container(index), rows(container(index)))
  return { links, reads, follow }
}

describe('blocks', () => {
  test('are compared with the previous block, which is read if it was not seen', async () => {
    const { links, reads, follow } = chainOf()
    await links.startAt(0, signal)
    for (const index of [0, 1, 2]) follow(index)
    await links.startAt(3, signal)
    follow(3)
    expect(reads).toEqual([])
    await links.startAt(10, signal)
    follow(10)
    expect(reads).toEqual([9])
  })

  test('that name another parent are refused, also at the edge of a slice', async () => {
    const { links, follow } = chainOf({ 2: 0, 10: 7 })
    follow(1)
    expect(() => follow(2)).toThrow(DecodeError)
    await links.startAt(10, signal)
    expect(() => follow(10)).toThrow(/does not name the previous block/)
  })

  test('are not compared when containers have no blocks', async () => {
    const { reads } = chainOf()
    const none = createBlockLinks(
      { linkOf: null, outputs: [{ tables: {}, read: () => ({}) }], context: {} },
      { at: ({ index }: Container) => index, window: () => Promise.reject(new Error('asked')) },
    )
    await none.startAt(5, signal)
    none.follow({ index: 5, id: '', acceptedAtNs: 0n, bytes: new Uint8Array() }, {})
    expect(reads).toEqual([])
  })
})
