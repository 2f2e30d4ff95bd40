import { bytesOfCheckedHex } from '../../../codec/checked-hex.ts'
import type { CoverageRow } from '../../catalog/catalog.ts'
import { callRpc } from '../../fetch/json-rpc.ts'
import type { Container } from '../../model.ts'
import { fieldOf } from '../../sources/field-of.ts'
import type { Finding } from '../lake/finding.ts'
import type { NodeQuestions, Outcome } from './node-questions.ts'
import type { Answered, SampledStream, SampleOptions } from './node-sample.ts'

/** Requests a container by its id, under both parameter names that versions of nodes use. */
export function askIndex(
  path: string,
  method: string,
  { id, ...params }: { readonly id: string; readonly encoding?: string },
  { connection, stop }: SampleOptions,
  questions: NodeQuestions,
): Promise<Outcome<unknown>> {
  return questions.ask(`index.${method} of ${path}`, () =>
    callRpc(connection, `/ext/index/${path}`, `index.${method}`, { id, containerID: id, ...params }, { signal: stop }),
  )
}

/**
 * Checks that requests by id return the same container: index.getContainerByID, index.getIndex, index.isAccepted. `first`: the first height
 * of the index.
 */
export async function askById(
  sampled: SampledStream,
  containers: readonly Answered<number, Container>[],
  first: number,
): Promise<Finding[]> {
  const each = await Promise.all(
    containers.map(async (container) => {
      const contradictions = await contradictionsById(sampled, container, first)
      return contradictions.map((one) => byIdFinding(sampled.row, container, one))
    }),
  )
  return each.flat()
}

type Contradiction = { readonly method: string; readonly expected: string; readonly found: string }

async function contradictionsById(
  { path, options, questions }: SampledStream,
  { of: height, answer: { id, bytes } }: Answered<number, Container>,
  first: number,
): Promise<Contradiction[]> {
  const ask = (method: string, encoding: object = {}) => askIndex(path, method, { id, ...encoding }, options, questions)
  const byId = await ask('getContainerByID', { encoding: 'hex' })
  const at = await ask('getIndex')
  const accepted = await ask('isAccepted')
  return [
    ...answersOf(byId, (answer) => {
      const given = Buffer.from(bytesOfCheckedHex(fieldOf(answer, 'bytes'))).toString('hex')
      if (given === Buffer.from(bytes).toString('hex')) return []
      return [{ method: 'index.getContainerByID', expected: `the bytes of block ${height}`, found: 'other bytes' }]
    }),
    ...answersOf(at, (answer) => {
      const [expected, found] = [String(height - first), String(fieldOf(answer, 'index'))]
      return found === expected ? [] : [{ method: 'index.getIndex', expected, found }]
    }),
    ...answersOf(accepted, (answer) => {
      const isAccepted = fieldOf(answer, 'isAccepted')
      return isAccepted === true ? [] : [{ method: 'index.isAccepted', expected: 'true', found: String(isAccepted) }]
    }),
    ...[byId, at, accepted].flatMap((outcome) =>
      outcome !== null && 'refusal' in outcome
        ? [{ method: 'the index', expected: 'an answer', found: outcome.refusal }]
        : [],
    ),
  ]
}

function answersOf(outcome: Outcome<unknown>, compare: (answer: unknown) => Contradiction[]): Contradiction[] {
  return outcome !== null && 'answer' in outcome ? compare(outcome.answer) : []
}

function byIdFinding(
  row: CoverageRow,
  { of: height, answer: { id } }: Answered<number, Container>,
  { method, expected, found }: Contradiction,
): Finding {
  return {
    kind: 'source.different',
    message: `${method} contradicts block ${height} of the index.`,
    network: row.network,
    table: row.table,
    stream: row.stream,
    slice: { from: height, to: height + 1 },
    key: { container_id: id },
    expected,
    found,
  }
}
