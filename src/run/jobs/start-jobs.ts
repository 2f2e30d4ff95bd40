import { chains } from '../../../schemas/lake.ts'
import type { Catalog, ChainAnchor } from '../../catalog/catalog.ts'
import type { LakeLocation } from '../../catalog/place.ts'
import type { BrokenView } from '../../declared/verify-views.ts'
import {
  columnPaths,
  type DerivedView,
  type Endpoint,
  type EvmChainIdentity,
  type NetworkIdentity,
  type Range,
  type RangeWalk,
  type RowOf,
  type StreamDeclaration,
  type Table,
} from '../../define/index.ts'
import { ConfigError, DefinitionError, errorKind, OtherSourceError, StreamTakenError } from '../../errors.ts'
import { getOrCreate, groupBy } from '../../lib/arrays.ts'
import { type Stream, streamId } from '../../model.ts'
import type { ParquetThread } from '../../write/parquet-thread.ts'
import type { ConnectionOptions, Connections } from '../connections/connections.ts'
import { type EmitEvent, earliest, type JobResult } from '../events.ts'
import {
  declaredStreams,
  hideUrls,
  type Job,
  type JobMessage,
  type NodeOptions,
  ownTables,
  recordFacts,
  type SharedEndpoints,
  streamFacts,
  withIds,
} from '../job.ts'
import { missingStream, tableNames } from '../ranges/plan-slices.ts'
import type { LakeRun } from '../rows/lake-run.ts'

/** Jobs with their streams, and with the facts that were requested for them. */
export type StartedJobs = ReadonlyMap<
  Job,
  { readonly streams: readonly StreamDeclaration[]; readonly message: JobMessage }
>

/** Creates the streams of jobs. All jobs are validated before the first response arrives. */
export async function startJobs(
  jobs: readonly Job[],
  connections: Connections,
  { urls }: SharedEndpoints,
): Promise<StartedJobs> {
  // Fails before the first request when a job needs a service that is not configured.
  if (jobs.some(({ pipeline }) => pipeline.reads === 'service')) void connections.facts.service
  const started = await Promise.all(
    jobs.map(async (job) => {
      const { facts, message } = recordFacts(connections.facts)
      const streams = await declaredStreams(job, facts)
      const { name, module, definition } = job.pipeline
      const values = hideUrls(job.values, urls) as JobMessage['values']
      return [
        job,
        { streams, message: { pipeline: name, module, definition, values, facts: message(), ids: {} } },
      ] as const
    }),
  )
  return new Map(started)
}

/** The jobs with the ids that the lake gave to the columns of these tables. */
export function withGivenIds(started: StartedJobs, tables: readonly Table[]): StartedJobs {
  const ids = Object.fromEntries(tables.flatMap((table) => (table.ids === null ? [] : [[table.name, table.ids]])))
  return new Map(
    [...started].map(([job, { streams, message }]) => [
      job,
      { streams: streams.map((stream) => withIds(stream, ids)), message: { ...message, ids } },
    ]),
  )
}

/** A task of a worker that is done by an ordinary run: complete streams of a job. */
type TaskOfRun = {
  readonly id: string
  /** Ids of the streams, each with the bounds of its range that replace those of the job; null for none. */
  readonly streams: ReadonlyMap<string, Pick<Range, 'from' | 'to'> | null>
  /** Whether the run takes its streams from an earlier run of the task that is still alive. */
  readonly takesOver: boolean
}

/** The streams of the task; all streams without a task. Throws ConfigError `work.task` if the jobs do not have one of them. */
export function ofTask(task: TaskOfRun | undefined, started: StartedJobs): StartedJobs {
  if (task === undefined) return started
  const known = new Set([...started.values()].flatMap(({ streams }) => streams.map(({ stream }) => streamId(stream))))
  for (const id of task.streams.keys()) if (!known.has(id)) throw missingStream(id)
  return new Map(
    [...started].map(([job, each]) => {
      const streams = each.streams.flatMap((one) => {
        const bounds = task.streams.get(streamId(one.stream))
        if (bounds === undefined) return []
        return bounds === null || !isRecords(one) ? one : { ...one, walk: { ...one.walk, ...bounds } }
      })
      return [job, { ...each, streams }]
    }),
  )
}

/**
 * The views of the pipelines of jobs, verified over the tables of the lake and of the jobs' streams. Views of the lake that read a column
 * that its table no longer has end (`endedViews`): nothing could be published with them.
 *
 * @throws DefinitionError `definition.view`; `definition.taken` for a table with the name of a view of the lake.
 */
async function ownViews(
  jobs: readonly Job[],
  streams: readonly StreamDeclaration[],
  catalog: Pick<Catalog, 'tables' | 'views'>,
): Promise<{ views: readonly DerivedView[]; endedViews: readonly BrokenView[] }> {
  const views = [...new Set(jobs.flatMap(({ pipeline }) => pipeline.views))]
  const own = ownTables(streams)
  if (views.length + own.length === 0) return { views, endedViews: [] }
  const [stored, known] = [await catalog.tables(), await catalog.views()]
  refuseViewNames(own, known)
  const kept = known.filter(({ name }) => !views.some((view) => view.name === name))
  const isRead = kept.length > 0 && haveOtherColumns(own, stored)
  if (views.length === 0 && !isRead) return { views, endedViews: [] }
  const others = stored.filter(({ name }) => !own.some((table) => table.name === name))
  // Loaded only for views.
  const { verifyViews } = await import('../../declared/verify-views.ts')
  return { views, endedViews: await verifyViews(views, [...others, ...own], kept) }
}

function refuseViewNames(own: readonly Table[], known: readonly DerivedView[]): void {
  const taken = known.find(({ name }) => own.some((table) => table.name === name))
  if (taken !== undefined)
    throw new DefinitionError(`The lake has a view named ${taken.name}, so no table can have this name.`, {
      code: 'definition.taken',
      hint: 'Give the table another name: the view would hide its rows.',
    })
}

export function reportEndedViews(ended: readonly BrokenView[], emit: EmitEvent): void {
  for (const { name, reason } of ended)
    emit({
      kind: 'warning',
      message: `The view ${name} of an own pipeline does not work any more, so the lake does not show it from now on.`,
      details: { reason },
    })
}

function haveOtherColumns(own: readonly Table[], stored: readonly Table[]): boolean {
  return own.some((table) => {
    const before = stored.find(({ name }) => name === table.name)
    return before !== undefined && columnPaths(before.columns).join() !== columnPaths(table.columns).join()
  })
}

/** A job that was skipped because other live runs hold some of its streams. */
type BusyJob = { readonly name: string; readonly reason: string; readonly streams: readonly string[] }

type StartOptions = {
  readonly catalog: Pick<Catalog, 'startRun' | 'tables' | 'views'>
  /** The identity of the run's node; null: the run uses no node. */
  readonly identity: NetworkIdentity | null
  /** The id of the node of an endpoint; null where it reports none. */
  readonly nodeIdOf: (endpoint: Endpoint) => Promise<string | null>
  /** Default: `run`. */
  readonly command?: string
  readonly takesOver?: true
  readonly dropsColumns?: true
  /** The run only declares the streams, whoever reads them. */
  readonly isPlan?: true
}

/**
 * Registers a run of those jobs that have only free streams: resolves to the run, to these jobs with their streams and the names of the tables
 * that they fill (`writes`), and to the busy jobs. Throws StreamTakenError when no job is free.
 */
export async function startFree(
  requested: readonly Job[],
  started: StartedJobs,
  { catalog, identity, nodeIdOf, isPlan, ...command }: StartOptions,
) {
  const declaredOf = (job: Job) => started.get(job)?.streams ?? []
  const about = identity === null ? {} : { network: identity, checkCovered: [chainsStream(identity.network)] }
  const idsOf = (job: Job) => declaredOf(job).map(({ stream }) => streamId(stream))
  const nodeIds = await orderingNodes(requested.flatMap(declaredOf), nodeIdOf)
  let jobs = requested
  const busy: BusyJob[] = []
  for (;;) {
    const declared: readonly StreamDeclaration[] = jobs.flatMap(declaredOf)
    const streams = [...new Map(declared.map(({ stream }) => [streamId(stream), stream])).values()]
    // Every run with a known node also fills the table `chains`.
    const filled = [...declared.flatMap((each) => Object.values(each.tables)), ...(identity === null ? [] : [chains])]
    const writes = [...new Set(filled.map(({ name }) => name))]
    const declares = jobs.flatMap((job) =>
      declaredOf(job).map((stream) => {
        const endpoint = orderingEndpoint(stream)
        return streamFacts(job.pipeline.name, stream, endpoint && nodeIds.get(endpoint.url))
      }),
    )
    const tables = ownTables(declared)
    const views = await ownViews(jobs, declared, catalog)
    const held = isPlan === true ? { streams: [] } : { streams, writes }
    const options = { command: 'run', ...command, ...held, declares, tables, ...views, ...about }
    const run = await catalog.startRun(options).catch((error: unknown) => {
      if (error instanceof StreamTakenError) return error
      throw error
    })
    if (!(run instanceof StreamTakenError)) return { run, jobs, streams, writes, busy, ...views }
    const { message: reason, streams: taken } = run
    const busyNow = jobs.filter((job) => idsOf(job).some((id) => taken.includes(id)))
    if (busyNow.length === 0 || busyNow.length === jobs.length) throw run
    for (const job of busyNow)
      busy.push({ name: job.name, reason, streams: idsOf(job).filter((id) => taken.includes(id)) })
    jobs = jobs.filter((job) => !busyNow.includes(job))
  }
}

/** The endpoint of the node that numbers the records of a stream; null if the chain numbers them. */
function orderingEndpoint({ walk }: StreamDeclaration): Endpoint | null {
  return walk.kind === 'range' && walk.order === 'node' ? walk.endpoint : null
}

/** The ids of the nodes that order records, by the URL of the endpoint. Each node is asked once. */
async function orderingNodes(
  streams: readonly StreamDeclaration[],
  nodeIdOf: StartOptions['nodeIdOf'],
): Promise<ReadonlyMap<string | null, string | null>> {
  const endpoints = new Map(streams.map(orderingEndpoint).flatMap((each) => (each === null ? [] : [[each.url, each]])))
  const ids = await Promise.all(
    Array.from(endpoints, async ([url, endpoint]) => [url, await nodeIdOf(endpoint)] as const),
  )
  return new Map(ids)
}

function chainsStream(network: string): Stream {
  return { network, path: 'chains', kind: 'chains', parameters: {} }
}

/** Writes the rows of a network to the table `chains`, unless they are already in the lake. These rows never change. */
export async function writeChains(
  options: Pick<LakeRun, 'store' | 'catalog' | 'thread' | 'runId' | 'nextPart'> & {
    readonly identity: NetworkIdentity
    readonly covered: ReadonlySet<string>
  },
): Promise<void> {
  const { catalog, identity, runId, covered } = options
  const stream = chainsStream(identity.network)
  if (covered.has(streamId(stream))) return
  const { newRows, removeParts } = await import('../rows/commit-batch.ts')
  const rows = newRows({ run: options, tables: [chains], from: 0 })
  rows.adder(chains.name)(chainRows(identity))
  const parts = await rows.finish()
  try {
    await catalog.commit({
      runId,
      stream,
      tables: [chains.name],
      parts,
      progress: { kind: 'slice', slice: { from: 0, to: 1 }, ends: null },
      basis: null,
    })
  } catch (error) {
    if (errorKind(error) !== 'overtaken') throw error
    // Another run has written the rows in the meantime.
    await removeParts(options.store, parts)
  }
}

function chainRows(identity: NetworkIdentity): RowOf<typeof chains>[] {
  return identity.chains
    .map((chain) => ({
      network: identity.network,
      blockchain_id: chain.blockchainId,
      alias: chain.alias,
      vm_id: chain.vmId,
      subnet_id: chain.subnetId,
      native_asset_id: identity.nativeAssetId,
    }))
    .sort((a, b) => (a.blockchain_id < b.blockchain_id ? -1 : 1))
}

export type StreamGroup = readonly [StreamDeclaration, ...StreamDeclaration[]]

/** Ranges of lists that fill the same tables share commits, and ranges without a unit may share requests. Any other stream has its own walk. */
export function groupsOf(streams: readonly StreamDeclaration[]): StreamGroup[] {
  const groups: [StreamDeclaration, ...StreamDeclaration[]][] = []
  for (const stream of streams) {
    const last = groups.at(-1)
    if (last !== undefined && shareWalk(stream, last[0])) last.push(stream)
    else groups.push([stream])
  }
  return groups
}

export function isRecords(stream: StreamDeclaration): stream is StreamDeclaration<Range> {
  return stream.walk.kind === 'range'
}

export function isListedRange(stream: StreamDeclaration): stream is StreamDeclaration<RangeWalk> {
  return 'head' in stream.walk
}

function shareWalk(a: StreamDeclaration, b: StreamDeclaration): boolean {
  return (isListedRange(a) && isListedRange(b) && sameTables(a, b)) || (hasNoUnit(a) && hasNoUnit(b))
}

function hasNoUnit(stream: StreamDeclaration): boolean {
  return isRecords(stream) && stream.walk.unit === null
}

function sameTables(a: StreamDeclaration, b: StreamDeclaration): boolean {
  return tableNames(a).join() === tableNames(b).join()
}

/** The jobs of a run, their sources and their lake. */
export type RunOptions = NodeOptions &
  Pick<ConnectionOptions, 'service' | 'services'> & {
    readonly lake: LakeLocation
    readonly jobs: readonly Job[]
    /**
     * Follow the chain until `stop` is aborted, with a commit at least this often (milliseconds). 0: commit each block as soon as possible, and
     * listen to new blocks by WebSocket where a chain has one.
     */
    readonly follow?: { readonly maxLagMs: number }
    /** Merge small files while following, and at the end. */
    readonly compact?: true
    /** Expire snapshots that are older than this (milliseconds) while following, and at the end. */
    readonly expireMs?: number
    /** Drop columns that own tables no longer declare; earlier files keep their values. Otherwise such a run is refused. */
    readonly dropsColumns?: true
    /** A thread that consecutive runs share, because starting one is slow. The caller closes it. */
    readonly thread?: ParquetThread
    /** The run is a task of a worker: it reads some streams of its job, and the worker publishes them. */
    readonly task?: TaskOfRun
    /** Called at the start with the names of jobs that are skipped because other runs hold their streams. Default: a warning. */
    readonly leave?: (names: ReadonlySet<string>) => void
    /** Ends the run early; the contiguous prefix is committed. */
    readonly stop: AbortSignal
    readonly emit: EmitEvent
  }

/** What a run has done. */
export type RunSummary = {
  readonly runId: string
  /** The networks of the jobs, separated by commas. */
  readonly network: string
  readonly jobs: readonly JobResult[]
  /** Jobs that were skipped because other runs hold their streams. */
  readonly busy: readonly BusyJob[]
  /** Names of jobs that `stop` ended, or prevented from starting, and that may have more to do. */
  readonly unfinished: readonly string[]
  /** True when `stop` ended the run. */
  readonly stopped: boolean
  /** When the first postponed job can resume, and why it is postponed. Null when no job is postponed. */
  readonly resumeAt: string | null
  readonly reason: string | null
}

export function runSummary(
  streams: readonly Stream[],
  jobs: readonly JobResult[],
  { stop, ...run }: Pick<RunSummary, 'runId' | 'busy' | 'unfinished'> & { readonly stop: AbortSignal },
): RunSummary {
  const postponed = earliest(jobs.flatMap((result) => result.postponed ?? []))
  return {
    ...run,
    network: [...new Set(streams.map(({ network }) => network))].join(', '),
    jobs,
    stopped: stop.aborted,
    resumeAt: postponed?.resumeAt ?? null,
    reason: postponed?.reason ?? null,
  }
}

/** Refuses what a program without types can get wrong, before anything is requested. Throws `ConfigError`. */
export function checkRunOptions({ lake, jobs, stop, emit }: RunOptions): void {
  if (typeof lake?.folder !== 'string')
    throw wrongOption('lake must name a folder.', "Give lake: { folder: './lake' }.")
  if (!(stop instanceof AbortSignal))
    throw wrongOption(
      'stop must be an AbortSignal.',
      'Give stop: new AbortController().signal, or a signal that ends the run early.',
    )
  if (typeof emit !== 'function')
    throw wrongOption('emit must be a function.', 'Give emit: () => {} to ignore the events of a run.')
  checkJobs(jobs)
}

export function checkJobs(jobs: readonly Job[]): void {
  if (!Array.isArray(jobs)) throw wrongOption('jobs must be a list.', 'Give jobs: [{ name, pipeline, values: {} }].')
  for (const job of jobs) checkJob(job)
}

function checkJob({ name, pipeline, values }: Job): void {
  if (typeof name !== 'string' || name === '')
    throw wrongOption('Each job needs a name.', 'Give each job a name of its own.')
  if (typeof pipeline === 'string')
    throw wrongOption(
      `The pipeline of job ${name} is a text: ${JSON.stringify(pipeline)}.`,
      `Give the pipeline itself: pipelines.find(({ name }) => name === ${JSON.stringify(pipeline)}), with pipelines imported from 'chainlake'.`,
    )
  if (typeof pipeline?.streams !== 'function')
    throw wrongOption(`Job ${name} has no pipeline.`, 'Give what pipeline({ … }) returns, or an item of pipelines.')
  if (typeof values !== 'object' || values === null)
    throw wrongOption(`Job ${name} has no values.`, 'Give values: {} to use the default of each parameter.')
  const unknown = Object.keys(values).find((key) => !Object.hasOwn(pipeline.parameters, key))
  if (unknown === undefined) return
  const refused = pipeline.refused[unknown]
  throw wrongOption(
    `The pipeline ${pipeline.name} of job ${name} has no parameter ${unknown}.${refused === undefined ? '' : ` ${refused.why}`}`,
    refused?.instead ?? `Its parameters are ${Object.keys(pipeline.parameters).join(', ') || 'none'}.`,
  )
}

function wrongOption(message: string, hint: string): ConfigError {
  return new ConfigError(message, { code: 'config.options', hint })
}

type Comparing = {
  readonly connections: Pick<Connections, 'connection'>
  readonly stop?: AbortSignal | undefined
  readonly emit: EmitEvent
  /** Records nothing. */
  readonly isPlan?: true
}

/** Other runs may record blocks of the same chains at the same time. */
const mostAttempts = 5

/**
 * Compares the EVM chains of streams with the blocks that identify the chains of the lake, and records such blocks of new chains. Chains of
 * one genesis may have the same chain id, and one chain may be reached under two names of its network.
 *
 * @throws OtherSourceError `catalog.other-source` for another chain than the one in the lake, `catalog.chain-name` for a chain that the lake
 * has under another network.
 */
export async function verifyChains(
  streams: readonly StreamDeclaration[],
  { catalog, isPlan, ...comparing }: Comparing & { readonly catalog: Pick<Catalog, 'anchors' | 'recordAnchors'> },
): Promise<void> {
  for (const chain of chainsOf(streams)) {
    const blocks = blocksOf(chain, comparing)
    for (let attempt = 1; ; attempt++) {
      const anchors = await catalog.anchors()
      const isRead = await compareChain(chain, anchors, blocks, comparing)
      const added = isRead && isPlan !== true ? await blocks.identifying(anchors.some(isOf(chain))) : []
      if (added.length === 0 || (await catalog.recordAnchors(anchors, added)) || attempt === mostAttempts) break
    }
  }
}

/** The chains of streams, each endpoint of a chain once. */
function chainsOf(streams: readonly StreamDeclaration[]): EvmChainIdentity[] {
  const chains = streams.flatMap(({ chain }) => (chain === undefined ? [] : [chain]))
  const keyOf = ({ network, chainId, endpoint, route }: EvmChainIdentity) =>
    JSON.stringify([network, chainId, endpoint.url, route])
  return [...new Map([...chains].reverse().map((chain) => [keyOf(chain), chain])).values()].reverse()
}

type Blocks = ReturnType<typeof blocksOf>

function blocksOf(
  { network, chainId, genesisHash, endpoint, route, finality }: EvmChainIdentity,
  { connections, stop }: Comparing,
) {
  const connection = () => connections.connection(endpoint)
  const found = new Map<number, Promise<string | null>>([[0, Promise.resolve(genesisHash)]])
  /** The hash of a block; null if the node does not have the block. */
  const hashAt = (number: number): Promise<string | null> =>
    getOrCreate(found, number, async () => {
      const { readBlockHash } = await import('../../sources/evm-answers.ts')
      return readBlockHash(connection(), route, number, stop)
    })
  return {
    hashAt,
    /** Blocks of the node that identify its chain; fewer for a chain that is known. */
    async identifying(isKnown: boolean): Promise<ChainAnchor[]> {
      const { readFinalHead } = await import('../../sources/evm-answers.ts')
      const { number: final } = await readFinalHead(connection(), route, finality, stop)
      // The block after the genesis differs between chains of one genesis, and nodes that are far behind have it.
      const numbers = [0, ...(isKnown || final === null || final < 1 ? [] : [1]), ...(final === null ? [] : [final])]
      const anchors: ChainAnchor[] = []
      for (const number of new Set(numbers)) {
        const hash = await hashAt(number)
        if (hash !== null) anchors.push({ network, chainId, number, hash })
      }
      return anchors
    },
  }
}

/** Returns whether the node serves the chain of the lake or one that is new to it; false if it has no block to compare. */
async function compareChain(
  chain: EvmChainIdentity,
  anchors: readonly ChainAnchor[],
  blocks: Blocks,
  { connections, emit }: Comparing,
): Promise<boolean> {
  const own = anchors.filter(isOf(chain))
  const found = await newestAt(own, blocks)
  if (found !== null && found.hash !== found.anchor.hash) throw otherChain(chain, found.anchor, found.hash)
  if (found !== null) return true
  if (own.length === 0) {
    // A genesis block may be that of several chains, so it does not show that two names mean one chain.
    const others = anchors.filter(({ chainId, number }) => chainId === chain.chainId && number > 0)
    for (const alike of groupBy(others, ({ network }) => network).values()) {
      const other = await newestAt(alike, blocks)
      if (other !== null && other.hash === other.anchor.hash)
        throw secondName(chain, other.anchor, connections.connection(chain.endpoint).url)
    }
    return true
  }
  emit({
    kind: 'warning',
    message: `The chain ${chain.chainId} of ${chain.network} was not compared with the one in the lake: the node has none of the blocks that identify it.`,
    details: {
      blocks: own
        .map(({ number }) => number)
        .reverse()
        .join(', '),
    },
    once: true,
  })
  return false
}

function isOf({ network, chainId }: EvmChainIdentity): (anchor: ChainAnchor) => boolean {
  return (anchor) => anchor.network === network && anchor.chainId === chainId
}

/** The newest of these blocks that the node has, with its hash there; null if it has none of them. */
async function newestAt(anchors: readonly ChainAnchor[], { hashAt }: Blocks) {
  for (const anchor of anchors.toReversed()) {
    const hash = await hashAt(anchor.number)
    if (hash !== null) return { anchor, hash }
  }
  return null
}

function otherChain({ network, chainId, endpoint }: EvmChainIdentity, anchor: ChainAnchor, found: string) {
  return new OtherSourceError(
    `The node serves another chain than the one that the lake has as ${network}/${chainId}.`,
    {
      details: { 'block number': anchor.number, 'in the lake': anchor.hash, 'at the node': found },
      hint: `Chains may share their chain id and genesis. Point ${endpoint.url === null ? '--node-url' : '--chain'} at a node of the same chain, or use another --lake. If the chain began again, \`chainlake repair --chain ${network}/${chainId}\` removes the rows of the earlier one. Nothing was written.`,
    },
  )
}

/** `url`: the base URL of the connection, without secrets. */
function secondName({ network, chainId, endpoint, route }: EvmChainIdentity, anchor: ChainAnchor, url: string) {
  return new OtherSourceError(
    `The lake has this chain as ${anchor.network}/${chainId}, not as ${network}/${chainId}.`,
    {
      code: 'catalog.chain-name',
      details: { 'block number': anchor.number, hash: anchor.hash },
      hint: `Rows of one chain under two networks would count twice. Run the job with ${flagsOf(endpoint.url === null, url, route)}, as the lake was written. Nothing was written.`,
    },
  )
}

/** The flags with which the same endpoint is named the other way: as a chain of a node, or by its URL. */
function flagsOf(isOfNode: boolean, url: string, route: string): string {
  if (isOfNode) return `--chain ${url.replace(/\/$/, '')}${route}`
  const [, node, chain] = /^(https?:\/\/.*?)\/ext\/bc\/([^/]+)\/rpc\/?$/.exec(url) ?? []
  return node === undefined || chain === undefined
    ? '--node-url and the URL of a node of that network, and --chain and the blockchain id (C for the C-Chain)'
    : `--node-url ${node} --chain ${chain}`
}
