import { expect, test } from 'vitest'
import { plainContainerId, unwrap } from '../../codec/containers.ts'
import { encodeCb58, idText } from '../../codec/ids.ts'
import { decodeExactly, encode } from '../../codec/linear.ts'
import { signedXTx, type XBlockValue, xBlock, xVertex } from '../../codec/x.ts'
import type { Step } from '../../devnet/chains/network.ts'
import type { GeneratedContainer } from '../../devnet/network/container.ts'
import { digest, generate } from './follow.ts'

test('a network from before Cortina has its first X-Chain transactions in vertices', () => {
  const [plain, legacy] = [generate({ seed: 7 }, 600), generate({ seed: 7, legacy: true }, 600)]
  const others = (steps: readonly Step[]) =>
    digest(steps.map((step) => ({ ...step, 'X/vtx': [], 'X/tx': [], 'X/block': [] })))
  expect(others(legacy)).toBe(others(plain))
  const vertices = legacy.flatMap((step) => step['X/vtx'])
  const txs = new Map(legacy.flatMap((step) => step['X/tx']).map(({ bytes, id }) => [encodeCb58(id), bytes]))
  const known = new Set<string>()
  const inVertices = vertices.flatMap(({ bytes, id }, at) => {
    expect(plainContainerId(bytes)).toBe(encodeCb58(id))
    const vertex = decodeExactly(xVertex, bytes, `vertex ${at}`)
    for (const parent of vertex.parentIDs) expect(known.has(idText(parent))).toBe(true)
    known.add(encodeCb58(id))
    if (vertex.type === 'StopVertex') expect(at).toBe(vertices.length - 1)
    return vertex.type === 'Vertex' ? vertex.txs.map((tx) => plainContainerId(tx)) : []
  })
  expect(inVertices).toEqual([...txs.keys()])
  expect(decodeExactly(xVertex, vertices.at(-1)!.bytes, 'the last vertex').type).toBe('StopVertex')
  const blocks = (steps: readonly Step[]) => steps.flatMap((step) => step['X/block']).map(xBlockOf)
  const [early, late] = [blocks(plain), blocks(legacy)]
  expect(early.length).toBe(plain.length)
  expect(early.length - late.length).toBe(vertices.length - 1)
  const own = (block: XBlockValue) => block.txs.map((tx) => plainContainerId(encode(signedXTx, tx)))
  expect([...inVertices, ...late.flatMap(own)]).toEqual(early.flatMap(own))
  expect(late[0]!.height).toBe(1n)
})

function xBlockOf({ bytes }: GeneratedContainer): XBlockValue {
  return decodeExactly(xBlock, unwrap(bytes).block, 'block')
}
