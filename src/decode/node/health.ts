import type { NodeHealthCheck, nodeHealth } from '../../../schemas/node-health.ts'
import type { nodeHealthReports } from '../../../schemas/node-health-reports.ts'
import type { NodeGetAnswer, Page, ReadingContext } from '../../define/index.ts'
import { rfc3339ToNs } from '../../lib/text/time.ts'
import { answerObject, finish, object, pathOf, type Reading, raw, wrong } from '../json/fields.ts'
import { jsonText } from '../json/json-text.ts'
import { flag, optionalCount, optionalInt64, optionalText } from '../json/value-fields.ts'
import type { NodePlace } from './place.ts'

/** The requested report of a node, and the kind of request. */
export type HealthReport = NodePlace & {
  readonly endpoint: 'root' | 'health' | 'readiness' | 'liveness'
  readonly transport: 'get' | 'rpc'
  /** Sorted. */
  readonly tags: readonly string[]
}

type HealthPage = Page<{ reports: typeof nodeHealthReports; checks: typeof nodeHealth }>
type Common = Omit<NodeHealthCheck, keyof ReturnType<typeof checkCells> | 'check_name'>

/** Reads a report on the health of a node (specification 2.3 and 4.4). A GET has the HTTP status of the report; a call always has 200. */
export function decodeHealth({ network, subject, endpoint, transport, tags }: HealthReport) {
  return (answer: unknown, context: ReadingContext): HealthPage => {
    const { status, json } = transport === 'get' ? (answer as NodeGetAnswer) : { status: 200, json: answer }
    const at = answerObject(json, 'answer', context)
    const common: Common = {
      network,
      endpoint,
      transport,
      tags: [...tags],
      subject,
      observation_id: context.observationId,
      observed_at: context.observedAt,
    }
    const checks = object(at, 'checks', (inner) => checkRows(inner, common))
    const healthy = flag(at, 'healthy')
    finish(at)
    const report = { ...common, status, healthy, check_count: checks.length }
    return { rows: { reports: [report], checks }, items: [], next: null }
  }
}

function checkRows(at: Reading, common: Common): NodeHealthCheck[] {
  return Object.keys(at.object).map((name) => ({ ...common, check_name: name, ...object(at, name, checkCells) }))
}

function checkCells(at: Reading) {
  const message = raw(at, 'message')
  const error = raw(at, 'error')
  const checked = optionalNanoseconds(at, 'timestamp')
  const failed = optionalNanoseconds(at, 'timeOfFirstFailure')
  return {
    message: message === undefined ? null : jsonText(message),
    // Releases of 2021 state an object.
    error: error === undefined ? null : typeof error === 'string' ? error : jsonText(error),
    checked_at: checked === null ? null : microsecondsOf(checked),
    checked_at_ns: checked,
    duration_ns: optionalInt64(at, 'duration'),
    contiguous_failures: optionalCount(at, 'contiguousFailures'),
    first_failure_at: failed === null ? null : microsecondsOf(failed),
    first_failure_at_ns: failed,
  }
}

/** Nanoseconds since 1970, from an RFC 3339 time. Go writes an unset time as one of the year 1, which becomes null. */
function optionalNanoseconds(at: Reading, name: string): bigint | null {
  const text = optionalText(at, name)
  if (text === null) return null
  const nanoseconds = rfc3339ToNs(text)
  if (nanoseconds === null) throw wrong(pathOf(at, name), 'is no RFC 3339 time', text)
  return text.startsWith('0001-') ? null : nanoseconds
}

/** Returns nanoseconds as microseconds, rounded down. */
function microsecondsOf(nanoseconds: bigint): bigint {
  const rest = nanoseconds % 1000n
  return (nanoseconds - (rest < 0n ? rest + 1000n : rest)) / 1000n
}
