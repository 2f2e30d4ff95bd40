import type { Catalog } from '../catalog/catalog.ts'
import type { ListWalk, Question, Range, ReadingContext, StreamDeclaration, Table } from '../define/index.ts'
import { ChainlakeError } from '../errors.ts'
import { type Stream, streamId } from '../model.ts'
import { missingCount } from '../plan/units.ts'
import { type Asker, createAsker } from '../run/connections/ask.ts'
import type { Connections } from '../run/connections/connections.ts'
import { declaredStreams } from '../run/job/declared-streams.ts'
import type { Job } from '../run/job/job.ts'
import { isRecords } from '../run/jobs/stream-groups.ts'
import { refusalPage } from '../run/lists/list-pages.ts'
import { estimateBytes } from '../run/ranges/estimated-bytes.ts'
import { openMember } from '../run/units/open-member.ts'
import { coveredOf, planRange, tableNames } from '../run/units/range-plan.ts'
import { numberAt } from '../run/units/record-name.ts'
import { timeBoundText } from '../run/units/time-bound-text.ts'
import { hostName } from '../sources/service/service-client.ts'
import { type Check, checkOfError, good, notice } from './check.ts'

export type ExaminedJob = {
  readonly checks: readonly Check[]
  readonly streams: readonly Stream[]
  readonly tables: readonly string[]
  /** Estimated bytes of the data to fetch; 0 where only a run finds out. */
  readonly estimatedBytes: number
  /** Names of the hosts of services that the job reads. */
  readonly hosts: readonly string[]
}

/** Sends the first requests that a run of the job would send, and writes nothing. */
export async function examineJob(
  job: Job,
  connections: Pick<Connections, 'connection' | 'service' | 'facts'>,
  catalog: Catalog | null,
): Promise<ExaminedJob> {
  const about = job.name
  const checks: Check[] = []
  const hosts: string[] = []
  let estimatedBytes = 0
  let streams: readonly StreamDeclaration[] = []
  try {
    streams = await declaredStreams(job, connections.facts)
    for (const stream of sampled(streams))
      if (isRecords(stream)) {
        const examined = await examineRange(about, stream, connections, catalog)
        checks.push(...examined.checks)
        estimatedBytes += examined.estimatedBytes
      } else if (isList(stream)) {
        const first = firstOf(stream.walk)
        if (first !== null && first.request.host !== 'node') hosts.push(hostName(first.request))
        checks.push(await checkList(about, first, createAsker(connections)))
      }
    if (streams.length === 0) checks.push(good(about, 'doctor.job', 'There is nothing to read.'))
  } catch (error) {
    checks.push(checkOfError(about, error))
  }
  const tables = streams.flatMap((stream) => (Object.values(stream.tables) as Table[]).map(({ name }) => name))
  return { checks, streams: streams.map(({ stream }) => stream), tables: [...new Set(tables)], estimatedBytes, hosts }
}

/** All ranges, and the first list of each path: a job may have thousands of lists of one kind, and one is enough for a check. */
function sampled(streams: readonly StreamDeclaration[]): StreamDeclaration[] {
  const seen = new Set<string>()
  return streams.filter(({ stream, walk }) => {
    const kind = `${stream.path} ${walk.kind}`
    if (walk.kind !== 'range' && seen.has(kind)) return false
    seen.add(kind)
    return true
  })
}

function isList(stream: StreamDeclaration): stream is StreamDeclaration<ListWalk> {
  return stream.walk.kind !== 'range'
}

/** Checks the head, whether the source matches the committed rows, and whether the first missing record can be decoded. */
async function examineRange(
  about: string,
  declared: StreamDeclaration<Range>,
  connections: Pick<Connections, 'connection'>,
  catalog: Catalog | null,
): Promise<Pick<ExaminedJob, 'checks' | 'estimatedBytes'>> {
  const member = await openMember(declared, connections.connection, 1)
  const { source, stream, walk } = member
  const head = await source.head()
  if (head === null) {
    const why = source.whyEmpty?.() ?? `There is nothing in ${walk.what} yet.`
    const todo = 'A run would fetch nothing now. Run the job later.'
    return { checks: [notice(about, 'doctor.empty', why, todo)], estimatedBytes: 0 }
  }
  const names = tableNames(member)
  const covered = (await coveredOf(catalog, [member]))(member)
  const { plan, times } = await planRange(member, covered, head)
  const bounds = times.map((time) => good(about, 'doctor.time', timeBoundText(walk, time)))
  const [first] = plan.missing
  const missing = Math.max(0, ...names.map((name) => missingCount(plan, name)))
  const says = `${streamId(stream)}: the head is ${numberAt(walk, head)}, and ${missing} ${walk.record}${missing === 1 ? ' is' : 's are'} missing in the lake.`
  if (first === undefined) return { checks: [...bounds, good(about, 'doctor.source', says)], estimatedBytes: 0 }
  const [record] = await source.window(first.slice.from, first.slice.from + 1)
  if (record !== undefined) walk.outputs[0].read(record, walk.context)
  const { bytes, known } = estimateBytes(plan, covered.own)
  const beginning = source.begins?.() ?? null
  return {
    checks: [
      ...bounds,
      good(
        about,
        'doctor.source',
        `${says} The first missing one, at ${numberAt(walk, first.slice.from)}, can be read.`,
      ),
      ...(walk.notice === null
        ? []
        : [notice(about, 'doctor.facts', walk.notice, 'Run chainlake doctor again when the node has caught up.')]),
      ...(beginning === null
        ? []
        : [
            notice(
              about,
              'doctor.late-index',
              beginning.notice,
              'A run reads the blocks that the node has; chainlake gaps and status show the missing ones.',
            ),
          ]),
    ],
    estimatedBytes: known || walk.record === 'container' ? bytes : 0,
  }
}

/** Sends the first request of a list, as a run would. */
async function checkList(about: string, first: First | null, client: Asker): Promise<Check> {
  if (first === null) return good(about, 'doctor.source', 'There is nothing to request.')
  const { request, parse, list } = first
  const what = 'method' in request ? `${request.method} ${request.path}` : ''
  try {
    await client.ask(request, { parse })
  } catch (error) {
    if (!(error instanceof ChainlakeError) || refusalPage(list, error, context, null) === null) throw error
  }
  return good(about, 'doctor.source', `${what} answers, and its answer can be read.`)
}

type First = {
  readonly request: Question
  readonly parse: (answer: unknown) => unknown
  readonly list: Parameters<typeof refusalPage>[0]
}

function firstOf(walk: ListWalk): First | null {
  if ('head' in walk) return { request: walk.head.request, parse: walk.head.decode, list: {} }
  const requested = 'keys' in walk ? walk.keys[0] : 'subjects' in walk ? walk.subjects[0]?.lists[0] : walk.list
  if (requested === undefined) return null
  const request = typeof requested.request === 'function' ? requested.request(null) : requested.request
  return { request, parse: (answer) => requested.decode(answer, context, null), list: requested }
}

/** The context for decoding; the rows are discarded. */
const context: ReadingContext = {
  observationId: 'doctor',
  observedAt: 0n,
  unknownField: () => undefined,
  memory: new Map(),
}
