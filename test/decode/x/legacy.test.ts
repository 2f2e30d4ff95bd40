import { describe, expect, test } from 'vitest'
import { decodeXTransaction, decodeXVertex } from '../../../src/decode/x/rows.ts'
import { DecodeError } from '../../../src/errors.ts'
import { parseNodeJson, recordedContainers, recordedLines } from '../../recorded.ts'
import { expectRows, expectTable } from '../expect-rows.ts'
import { contextOf, rowsOfAll } from '../recordings.ts'
import * as facts from './json-facts.ts'

const context = contextOf('legacy', 'X')
const transactionContainers = () => recordedContainers('legacy/x-transactions')
const vertexContainers = () => recordedContainers('legacy/x-vertices')

describe('rows of the recorded legacy X indexes', () => {
  test("match the node's JSON for 445 transactions; the only time is the time of acceptance", () => {
    const containers = transactionContainers()
    const rows = rowsOfAll(containers, decodeXTransaction, context)
    // The node's JSON of a transaction outside of a block has no id.
    const txs = recordedLines('legacy/x-transactions-json').map((line, i) => ({
      id: containers[i]!.id,
      ...parseNodeJson(line).result.tx,
    }))
    expect(rows.transactions.length).toBe(445)
    const nowhere = { height: null, block_time: null, tx_index: null }
    expectRows(
      rows.transactions,
      txs.map((tx, i) => ({
        ...nowhere,
        ...facts.transactionFacts(tx),
        block_id: null,
        timestamp_source: 'accepted',
        accepted_at: containers[i]!.acceptedAtNs / 1000n,
        container_index: i,
      })),
    )
    const placed = (of: (tx: any) => object[]) => txs.flatMap(of).map((fact) => ({ ...nowhere, ...fact }))
    expectRows(rows.inputs, placed(facts.inputFacts))
    expectRows(rows.outputs, placed(facts.outputFacts))
    expectRows(rows.operations, placed(facts.operationFacts))
    expectRows(rows.assets, txs.flatMap(facts.assetFacts))
    for (const [name, tableRows] of Object.entries(rows)) expectTable(`x_${name}`, tableRows)
  })

  test('name the parents of 97 vertices and every transaction of the transaction index', () => {
    const { vertices } = rowsOfAll(vertexContainers(), decodeXVertex, context)
    expect(vertices.length).toBe(97)
    expectTable('x_vertices', vertices)
    const ids = new Set(vertices.map(({ vertex_id }) => vertex_id))
    // The parents of the first vertices are the genesis vertices, which no index has.
    for (const { height, parent_ids } of vertices)
      if (Number(height) > 1) for (const parent of parent_ids) expect(ids.has(parent)).toBe(true)
    const named = new Set(vertices.flatMap(({ tx_ids }) => tx_ids))
    expect(named).toEqual(new Set(transactionContainers().map(({ id }) => id)))
  })

  test('are not created when the bytes of a container do not give its id', () => {
    const [first, second] = transactionContainers()
    const vertex = vertexContainers()[0]!
    expect(() => decodeXTransaction({ ...first!, bytes: second!.bytes }, context)).toThrow(DecodeError)
    expect(() => decodeXVertex({ ...vertex, bytes: second!.bytes }, context)).toThrow(/do not give its id/)
  })
})
