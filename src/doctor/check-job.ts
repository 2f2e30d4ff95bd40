import { type Catalog, type LakeStatus, verifySameNetwork } from '../catalog/catalog.ts'
import type { Answer, Connection } from '../define/connection.ts'
import {
  type ListWalk,
  type NetworkIdentity,
  type Question,
  quietContext,
  type Range,
  type RangeSource,
  type StreamDeclaration,
  type Table,
  theNode,
} from '../define/index.ts'
import { ChainlakeError } from '../errors.ts'
import { callRpc } from '../fetch/json-rpc.ts'
import { createTransport } from '../fetch/transport.ts'
import { fieldOf } from '../lib/json.ts'
import { durationText } from '../lib/text.ts'
import { type Slice, streamId } from '../model.ts'
import { missingCount } from '../plan/intervals.ts'
import { type Asker, accountOf, type Connections, createAsker } from '../run/connections/connections.ts'
import { declaredStreams, type Job } from '../run/job.ts'
import { isRecords } from '../run/jobs/start-jobs.ts'
import { refusalPage } from '../run/lists/list-pages.ts'
import {
  coveredOf,
  estimateBytes,
  openMember,
  planRange,
  tableNames,
  timeBoundText,
} from '../run/ranges/plan-slices.ts'
import { evmNetworkName } from '../sources/evm-answers.ts'
import { askNode, oneLine, readHealth, spellingAt } from '../sources/node.ts'
import { hostName } from '../sources/service-client.ts'
import type { ServiceHost } from '../sources/service-profile.ts'

/** The result of one check. */
export type DoctorCheck = {
  /** What was looked at: `Node.js`, `disk`, `node http://…`, the name of a job. */
  readonly about: string
  /** `good`; `notice`: a run would work, but there is something to know; `bad`: it would not work. */
  readonly verdict: 'good' | 'notice' | 'bad'
  /** A stable, dotted name for scripts; for an error its code. */
  readonly code: string
  readonly says: string
  /** What to do about it; null where there is nothing to do. */
  readonly todo: string | null
  /** The exit code that a run would have because of this; 0 when it would work. */
  readonly exitCode: number
}

/** What a check found, before it is said what it is about. */
export type Found = Omit<DoctorCheck, 'about'>

export function good(code: string, says: string): Found {
  return { verdict: 'good', code, says, todo: null, exitCode: 0 }
}

export function notice(code: string, says: string, todo: string): Found {
  return { verdict: 'notice', code, says, todo, exitCode: 0 }
}

export function bad(code: string, says: string, todo: string, exitCode: number): Found {
  return { verdict: 'bad', code, says, todo, exitCode }
}

/** The check for an error that a run would have, too. An unexpected error is thrown again. */
export function checkOfError(error: unknown): Found {
  if (!(error instanceof ChainlakeError)) throw error
  const facts = ['answer', 'reason', 'cause'].flatMap((name) => {
    const fact = error.details[name]
    return fact === undefined || fact === '' || error.message.includes(String(fact)) ? [] : [`${fact}`]
  })
  const says = [error.message, ...facts.slice(0, 1)].join(' ')
  return bad(error.code, says, error.hint ?? 'Fix the problem, then run chainlake doctor again.', error.exitCode)
}

/** Checks of one thing until one fails: an error that a run would have, too, is the last check. */
export async function* checksOf(
  about: string,
  checks: AsyncIterable<Found> | Iterable<Found>,
): AsyncGenerator<DoctorCheck> {
  try {
    for await (const found of checks) yield { about, ...found }
  } catch (error) {
    yield { about, ...checkOfError(error) }
  }
}

/**
 * Sends the first requests that a run of the job would send, and writes nothing. Resolves to the checks, to what the job reads and fills, and
 * to the estimated bytes of the data to fetch, which are 0 where only a run finds out.
 */
export async function examineJob(
  job: Job,
  connections: Pick<Connections, 'connection' | 'service' | 'facts'>,
  catalog: Catalog | null,
) {
  const checks: Found[] = []
  /** Names of the hosts of services that the job reads. */
  const hosts: string[] = []
  let estimatedBytes = 0
  let streams: readonly StreamDeclaration[] = []
  try {
    streams = await declaredStreams(job, connections.facts)
    for (const stream of sampled(streams))
      if (isRecords(stream)) {
        const examined = await examineRange(stream, connections, catalog)
        checks.push(...examined.checks)
        estimatedBytes += examined.estimatedBytes
      } else if (isList(stream)) {
        const first = firstOf(stream.walk)
        if (first !== null && first.request.host !== 'node') hosts.push(hostName(first.request))
        checks.push(await checkList(first, createAsker(connections)))
      }
    if (streams.length === 0) checks.push(good('doctor.job', 'There is nothing to read.'))
  } catch (error) {
    checks.push(checkOfError(error))
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
  declared: StreamDeclaration<Range>,
  connections: Pick<Connections, 'connection'>,
  catalog: Catalog | null,
) {
  const member = await openMember(declared, connections.connection, 1)
  const { source, stream, walk } = member
  const checks: Found[] = []
  const add = (verdict: typeof good | typeof notice, code: string, says: string | null | undefined, todo = '') => {
    if (says != null) checks.push(verdict(code, says, todo))
  }
  const head = await source.head()
  add(notice, 'doctor.head', source.remark?.(), 'Check whether the chain has final blocks, and see --finality.')
  if (head === null) {
    const why = source.whyEmpty?.() ?? `There is nothing in ${walk.what} yet.`
    add(notice, 'doctor.empty', why, 'A run would fetch nothing now. Run the job later.')
    return { checks, estimatedBytes: 0 }
  }
  const covered = (await coveredOf(catalog, [member]))(member)
  const { plan, times } = await planRange(member, covered, head)
  for (const time of times) add(good, 'doctor.time', timeBoundText(walk, time))
  const [first] = plan.missing
  const missing = Math.max(0, ...tableNames(member).map((name) => missingCount(plan, name)))
  const says = `${streamId(stream)}: the head is ${head}, and ${missing} ${walk.record}${missing === 1 ? ' is' : 's are'} missing in the lake.`
  if (first === undefined) {
    add(good, 'doctor.source', says)
    return { checks, estimatedBytes: 0 }
  }
  const slices = plan.missing.map(({ slice }) => slice)
  const late = await lateBeginning(walk, source, slices)
  const [record] = await source.window(first.slice.from, first.slice.from + 1)
  if (record !== undefined) walk.outputs[0].read(record, walk.context)
  add(good, 'doctor.source', `${says} The first missing one, at ${first.slice.from}, can be read.`)
  if (late !== null) checks.push(late)
  add(notice, 'doctor.facts', walk.notice, 'Run chainlake doctor again when the node has caught up.')
  add(
    notice,
    'doctor.late-index',
    source.begins?.().notice,
    'A run reads the blocks that the node has; chainlake gaps and status show the missing ones.',
  )
  const { bytes, known } = estimateBytes(plan, covered.own, walk)
  return { checks, estimatedBytes: known ? bytes : 0 }
}

/**
 * Whether the source has the blocks that are to be read. A node that was synchronized by state, or that prunes, has the newest blocks and often
 * the first one. Null if it has all that were tried: the second one to read, one in the middle, and the last one.
 */
async function lateBeginning(
  walk: Pick<Range, 'record' | 'counts'>,
  { times }: Pick<RangeSource<unknown>, 'times'>,
  slices: readonly Slice[],
): Promise<Found | null> {
  const [from, to] = [slices[0]!.from, slices.at(-1)!.to]
  if (times === undefined || walk.record !== 'block' || walk.counts === 'heights' || to - from < 2) return null
  const isMissing = async (at: number): Promise<boolean> => (await times(at, at + 1))[0] === 'missing'
  const tried = [from + 1, Math.floor((from + to) / 2), to - 1]
  let missing: number | null = null
  for (const at of tried) if (await isMissing(at)) missing = at
  if (missing === null) return null
  if (missing === to - 1)
    return bad(
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
    'evm.missing-block',
    `The node does not have block ${missing}. It has the blocks from ${first} on: it was synchronized by state, or it prunes old blocks.`,
    `Begin with --from ${first}, or use a node with all blocks (on Avalanche: state-sync-enabled: false).`,
    3,
  )
}

const lagAdvice = 'Behind a load balancer one node may lag. Use the URL of one node, or run again later.'

/** Sends the first request of a list, as a run would. */
async function checkList(first: First | null, client: Asker): Promise<Found> {
  if (first === null) return good('doctor.source', 'There is nothing to request.')
  const { request, parse, list } = first
  const what = 'method' in request ? `${request.method} ${request.path}` : ''
  try {
    await client.ask(request, { parse })
  } catch (error) {
    if (!(error instanceof ChainlakeError) || refusalPage(list, error, context, null) === null) throw error
  }
  return good('doctor.source', `${what} answers, and its answer can be read.`)
}

type First = {
  readonly request: Question
  readonly parse: (answer: unknown) => unknown
  readonly list: Parameters<typeof refusalPage>[0]
}

function firstOf(walk: ListWalk): First | null {
  if ('head' in walk && 'request' in walk.head) return { request: walk.head.request, parse: walk.head.decode, list: {} }
  const requested =
    'keys' in walk
      ? walk.keys[0]
      : 'subjects' in walk
        ? walk.subjects[0]?.lists[0]
        : 'head' in walk
          ? walk.list({ from: walk.from, to: walk.from + 1 })
          : walk.list
  if (requested === undefined) return null
  const request = typeof requested.request === 'function' ? requested.request(null) : requested.request
  return { request, parse: (answer) => requested.decode(answer, context, null), list: requested }
}

/** For decoding; the rows are discarded. */
const context = quietContext()

type KnownLake = { readonly catalog: Catalog | null; readonly status: LakeStatus | null }

/** Checks the identity and the health of the node, for all jobs that read it. */
export function checkNode(connections: Connections, lake: KnownLake): AsyncGenerator<DoctorCheck> {
  const connection = connections.connection(theNode)
  return checksOf(`node ${connection.url}`, nodeChecks(connection, connections.facts, lake))
}

async function* nodeChecks(
  connection: Connection,
  facts: Connections['facts'],
  lake: KnownLake,
): AsyncGenerator<Found> {
  const clock = checkClock(await anyAnswer(connection, '/ext/health'))
  const identity = await facts.node()
  const version = await optional(callRpc(connection, '/ext/info', 'info.getNodeVersion', {}))
  yield identityCheck(identity, releaseText(fieldOf(version, 'version')))
  yield* lakeChecks(identity, lake)
  yield* clock
  const chains = ['P', 'X', 'C']
  const answers = await Promise.all(
    chains.map((chain) => optional(callRpc(connection, '/ext/info', 'info.isBootstrapped', { chain }))),
  )
  const behind = chains.filter((_, position) => fieldOf(answers[position], 'isBootstrapped') === false)
  if (behind.length > 0)
    yield notice(
      'transport.bootstrapping',
      `It is still bootstrapping ${behind.join(', ')}: its index answers up to its present height, the chains themselves do not.`,
      'Reading by RPC has to wait until the node has caught up. Data from the index is right before that, too.',
    )
  const { healthy, reason } = await readHealth(connection)
  if (!healthy)
    yield notice(
      'doctor.health',
      `It reports that it is unhealthy: ${reason}.`,
      'Check the log of the node. Its index still answers: a run works, but may be behind the chain.',
    )
  yield* nameChecks(connection)
}

/** Any answer, whatever its status: the server is reachable, and its clock is known. */
function anyAnswer(connection: Connection, path: string) {
  return connection.request({ method: 'GET', path, accept: () => true })
}

function identityCheck({ network, networkId, warnings }: NetworkIdentity, version: string): Found {
  const who = `It belongs to ${network} (network id ${networkId})${version}.`
  if (warnings.length === 0) return good('doctor.network', who)
  const todo = 'Run chainlake doctor again when the node has caught up, or start the node with --api-info-enabled=true.'
  return notice('doctor.network', [who, ...warnings].join(' '), todo)
}

/** The release that a node names, as the end of a sentence. */
function releaseText(release: unknown): string {
  return typeof release === 'string' && release !== '' ? ` and is ${oneLine(release)}` : ''
}

/** Compares the network of the node with the networks of the lake. */
async function* lakeChecks(identity: NetworkIdentity, { catalog, status }: KnownLake): AsyncGenerator<Found> {
  if (catalog === null) return
  let known: Awaited<ReturnType<typeof catalog.network>> = null
  try {
    known = await catalog.network(identity.network, identity.chains)
    if (known !== null) verifySameNetwork(known, identity)
  } catch (error) {
    yield checkOfError(error)
    return
  }
  const others = [...new Set(status?.streams.map(({ network }) => network))].filter((name) => name !== '')
  if (known === null && others.length > 0 && !others.includes(identity.network))
    yield notice(
      'doctor.other-network',
      `The lake holds ${others.join(', ')}; a run would add ${identity.network}.`,
      'A lake may hold several networks. Otherwise give --node-url of a node of the right network, or another --lake.',
    )
}

/** Calls that show by which name a node knows a namespace. */
const namespaces = [
  { path: '/ext/bc/X', namespace: 'xvm', method: 'xvm.getHeight', params: {}, node: 'avm', chain: 'X' },
  {
    path: '/ext/bc/C/cx',
    namespace: 'cx',
    method: 'cx.getAtomicTxStatus',
    params: { txID: '11111111111111111111111111111111LpoYY' },
    node: 'avax',
    chain: 'C',
  },
] as const

/** The names by which the node knows the namespaces with two names; a run finds them out by itself. */
async function* nameChecks(connection: Connection): AsyncGenerator<Found> {
  const said: string[] = []
  const silent: string[] = []
  for (const { path, namespace, method, params, node, chain } of namespaces) {
    await optional(
      askNode(connection, { host: 'node', endpoint: theNode, path, method, params }, { parse: (answer) => answer }),
    )
    const spelling = spellingAt(connection, path, namespace)
    if (spelling === null) silent.push(`${chain} (${path}, ${namespace} or ${node})`)
    else said.push(spelling === 'node' ? node : namespace)
  }
  if (said.length > 0) yield good('doctor.names', `Its namespaces are called ${said.join(' and ')}.`)
  if (silent.length > 0)
    yield notice(
      'doctor.names',
      `It does not answer for ${silent.join(' and ')}.`,
      'Only jobs that read these chains by RPC need them: wait until the node has caught up, or check whether it serves these APIs.',
    )
}

/** The answer, or null when the request fails. */
async function optional<T>(asking: Promise<T>): Promise<T | null> {
  try {
    return await asking
  } catch (error) {
    if (error instanceof ChainlakeError) return null
    throw error
  }
}

/** Checks the JSON-RPC of an EVM chain at a URL, whatever node is behind it. The checks of jobs find out which blocks it has. */
export function checkChain(connections: Connections, url: string): AsyncGenerator<DoctorCheck> {
  const connection = connections.connection({ url })
  const route = new URL(url).pathname.endsWith('/') ? '/' : ''
  return checksOf(`chain ${connection.url}`, chainChecks(connection, route))
}

async function* chainChecks(connection: Connection, route: string): AsyncGenerator<Found> {
  const ask = (method: string): Promise<unknown> => callRpc(connection, route, method, [])
  const said = await ask('eth_chainId')
  const chainId = typeof said === 'string' ? said : ''
  const version = await optional(ask('web3_clientVersion'))
  const syncing = await optional(ask('eth_syncing'))
  const who = /^0x[0-9a-f]{1,64}$/i.test(chainId)
    ? `It serves chain ${BigInt(chainId)} (network ${evmNetworkName(BigInt(chainId))})`
    : `It answers to eth_chainId, but not with a number`
  const clock = checkClock(await anyAnswer(connection, route))
  yield good('doctor.network', `${who}${releaseText(version)}.`)
  yield* clock
  if (syncing !== null && typeof syncing === 'object')
    yield notice(
      'transport.bootstrapping',
      'It is still synchronizing (eth_syncing).',
      'A run reads what the node has. Run again when it has caught up.',
    )
}

/** Checks whether hosts answer, and how much of their daily budget is left. The checks of jobs find out what a key may do. */
export async function* checkHosts(hosts: readonly ServiceHost[], catalog: Catalog | null): AsyncGenerator<DoctorCheck> {
  for (const host of hosts) {
    const transport = createTransport({ baseUrl: host.url, tries: 2 })
    try {
      yield* checksOf(`service ${transport.url}`, hostChecks(host, transport, catalog))
    } finally {
      await transport.close()
    }
  }
}

async function* hostChecks(host: ServiceHost, connection: Connection, catalog: Catalog | null): AsyncGenerator<Found> {
  const answer = await anyAnswer(connection, '/')
  yield good('doctor.service', `It answers; ${headersText(host)}.`)
  yield* checkClock(answer)
  const { unitsPerDay: perDay } = host
  if (perDay === null) return
  const spent = catalog === null ? 0 : await catalog.units.spent(accountOf(host))
  const left = Math.max(0, perDay - spent)
  const says = `${left} of the ${perDay} units per 24 hours are left.`
  const todo = 'Wait until the budget recovers, or use a key with a larger budget and set units-per-day.'
  if (left === 0) yield bad('postponed.budget', says, todo, 7)
  else yield left < perDay / 10 ? notice('doctor.budget', says, todo) : good('doctor.budget', says)
}

function headersText({ name, headers }: ServiceHost): string {
  if (name === 'metrics') return 'it needs no key'
  const names = Object.keys(headers)
  if (names.length === 0) return 'requests are sent without a key'
  return `requests carry ${names.join(', ')}`
}

/** Accepted clock difference: the header has whole seconds, and an answer takes time. */
const tolerableMs = 30_000

/** Compares the clock of this machine with the `date` header of an answer; no check without the header. */
export function checkClock({ headers }: Pick<Answer, 'headers'>, nowMs = Date.now()): Found[] {
  const there = Date.parse(headers['date'] ?? '')
  if (Number.isNaN(there)) return []
  const ahead = nowMs - there
  if (Math.abs(ahead) <= tolerableMs) return [good('doctor.clock', 'Its clock and that of this machine agree.')]
  return [
    notice(
      'doctor.clock',
      `The clock of this machine is ${durationText(Math.abs(ahead) / 1000)} ${ahead > 0 ? 'ahead of' : 'behind'} its clock.`,
      'Set the wrong clock (NTP): waits of a service, daily budgets, ages of page tokens and times of observations depend on it.',
    ),
  ]
}
