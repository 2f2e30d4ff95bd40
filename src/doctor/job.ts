import type { Catalog } from '../catalog/catalog.ts'
import type {
  ListWalk,
  Question,
  Range,
  RangeSource,
  ReadingContext,
  StreamDeclaration,
  Table,
} from '../define/index.ts'
import { ChainlakeError } from '../errors.ts'
import { type Slice, type Stream, streamId } from '../model.ts'
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
import { timeBoundText } from '../run/units/time-bound-text.ts'
import { hostName } from '../sources/service/service-client.ts'
import { bad, type Check, checkOfError, good, notice } from './check.ts'

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
  const remark = source.remark?.() ?? null
  const remarks =
    remark === null
      ? []
      : [notice(about, 'doctor.head', remark, 'Check whether the chain has final blocks, and see --finality.')]
  if (head === null) {
    const why = source.whyEmpty?.() ?? `There is nothing in ${walk.what} yet.`
    const todo = 'A run would fetch nothing now. Run the job later.'
    return { checks: [...remarks, notice(about, 'doctor.empty', why, todo)], estimatedBytes: 0 }
  }
  const names = tableNames(member)
  const covered = (await coveredOf(catalog, [member]))(member)
  const { plan, times } = await planRange(member, covered, head)
  const bounds = times.map((time) => good(about, 'doctor.time', timeBoundText(walk, time)))
  const [first] = plan.missing
  const missing = Math.max(0, ...names.map((name) => missingCount(plan, name)))
  const says = `${streamId(stream)}: the head is ${head}, and ${missing} ${walk.record}${missing === 1 ? ' is' : 's are'} missing in the lake.`
  if (first === undefined)
    return { checks: [...remarks, ...bounds, good(about, 'doctor.source', says)], estimatedBytes: 0 }
  const late = await lateBeginning(
    about,
    walk,
    source,
    plan.missing.map(({ slice }) => slice),
  )
  const [record] = await source.window(first.slice.from, first.slice.from + 1)
  if (record !== undefined) walk.outputs[0].read(record, walk.context)
  const { bytes, known } = estimateBytes(plan, covered.own, walk)
  const beginning = source.begins?.().notice ?? null
  return {
    checks: [
      ...remarks,
      ...bounds,
      good(about, 'doctor.source', `${says} The first missing one, at ${first.slice.from}, can be read.`),
      ...(late === null ? [] : [late]),
      ...(walk.notice === null
        ? []
        : [notice(about, 'doctor.facts', walk.notice, 'Run chainlake doctor again when the node has caught up.')]),
      ...(beginning === null
        ? []
        : [
            notice(
              about,
              'doctor.late-index',
              beginning,
              'A run reads the blocks that the node has; chainlake gaps and status show the missing ones.',
            ),
          ]),
    ],
    estimatedBytes: known ? bytes : 0,
  }
}

/**
 * Whether the source has the blocks that are to be read. A node that was synchronized by state, or that prunes, has the newest blocks and often
 * the first one. Null if it has all that were tried: the second one to read, one in the middle, and the last one.
 */
async function lateBeginning(
  about: string,
  walk: Pick<Range, 'record' | 'counts'>,
  { times }: Pick<RangeSource<unknown>, 'times'>,
  slices: readonly Slice[],
): Promise<Check | null> {
  const [from, to] = [slices[0]!.from, slices.at(-1)!.to]
  if (times === undefined || walk.record !== 'block' || walk.counts === 'heights' || to - from < 2) return null
  const isMissing = async (at: number): Promise<boolean> => (await times(at, at + 1))[0] === 'missing'
  const tried = [from + 1, Math.floor((from + to) / 2), to - 1]
  let missing: number | null = null
  for (const at of tried) if (await isMissing(at)) missing = at
  if (missing === null) return null
  if (missing === to - 1)
    return bad(
      about,
      'evm.missing-block',
      `The node does not have block ${missing}, although its head is higher.`,
      lagAdvice,
      3,
    )
  let [last, first] = [missing, to - 1]
  while (first - last > 1) {
    const middle = Math.floor((last + first) / 2)
    if (await isMissing(middle)) last = middle
    else first = middle
  }
  return bad(
    about,
    'evm.missing-block',
    `The node does not have block ${missing}. It has the blocks from ${first} on: it was synchronized by state, or it prunes old blocks.`,
    `Begin with --from ${first}, or use a node with all blocks (on Avalanche: state-sync-enabled: false).`,
    3,
  )
}

const lagAdvice = 'Behind a load balancer one node may lag. Use the URL of one node, or run again later.'

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
