import { expect, test } from 'vitest'
import { pipelines } from '../../pipelines/index.ts'
import type { StreamDeclaration } from '../../src/define/index.ts'
import { streamFacts } from '../../src/run/job.ts'

const [{ tables }] = pipelines as readonly [(typeof pipelines)[number]]
const stream = { network: 'local', path: 'own/1', parameters: {} }

function unitOf(walk: object): string {
  return streamFacts('own', { stream, tables, walk } as StreamDeclaration).unit
}

test.each([
  [{ kind: 'range', record: 'epoch' }, 'epochs'],
  [{ kind: 'range', record: 'container' }, 'containers'],
  [{ kind: 'range', record: 'block', counts: 'heights' }, 'heights'],
  [{ kind: 'heightRange' }, 'heights'],
  [{ kind: 'timeWindow' }, 'seconds'],
  [{ kind: 'series' }, 'seconds'],
  [{ kind: 'keyed' }, 'records'],
])('the slices of %j count %s', (walk, unit) => {
  expect(unitOf(walk)).toBe(unit)
})

test('a lake keeps the tables of a stream in their order, and what a run reads again', () => {
  const walk = { kind: 'range', from: 40, record: 'block', trailing: 200, overlapping: ['evm-blocks/1'] }
  expect(streamFacts('p-blocks', { stream, tables, walk } as unknown as StreamDeclaration)).toEqual({
    ...stream,
    stream: 'local/own/1',
    pipeline: 'p-blocks',
    walk: 'range',
    unit: 'blocks',
    tables: ['p_blocks', 'p_transactions', 'p_inputs', 'p_outputs', 'p_validations'],
    trailing: 200,
    overlapping: ['evm-blocks/1'],
    begins: { p_blocks: 40, p_transactions: 40, p_inputs: 40, p_outputs: 40, p_validations: 40 },
    nodeId: null,
  })
})
