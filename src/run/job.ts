import type { StreamFacts } from '../catalog/catalog.ts'
import type {
  ColumnIds,
  Facts,
  NetworkIdentity,
  Pipeline,
  StreamDeclaration,
  Table,
  Tables,
  Walk,
} from '../define/index.ts'
import { DefinitionError } from '../errors.ts'
import type { TransportOptions } from '../fetch/transport.ts'
import { type Cooldown, createCooldown, newSharedCooldown, type SharedCooldown } from '../fetch/waits.ts'
import { streamId } from '../model.ts'
import { isBuiltIn, type PipelineName } from '../pipeline-modules/find-pipeline.ts'

/** A pipeline with the values of its parameters. */
export type Job = {
  /** Name in chainlake.yaml, or that of the pipeline. */
  readonly name: string
  readonly pipeline: Pipeline
  /** Values of the pipeline's parameters: complete lists, times in Unix seconds. */
  readonly values: Readonly<Record<string, unknown>>
}

/** Connection settings of a node, for every command that uses one. */
export type NodeOptions = Pick<TransportOptions, 'concurrency' | 'tries' | 'firstContactMs' | 'maxWaitMs'> & {
  readonly nodeUrl: string
  /**
   * Threads that share a range of containers, heights or blocks. Default: one per 65,536 coordinates, at most one per processor and at
   * most four.
   */
  readonly threads?: number
  /** Timeout of one request in milliseconds. Default: that of the transport. */
  readonly requestTimeoutMs?: number
  /** The network id that the node must report, and that is assumed when the node reports none. */
  readonly networkId?: number
}

export const defaultConcurrency = 4

/** The streams of a job. Throws `ConfigError` for wrong values, and `DefinitionError` for a wrong declaration of a user's pipeline. */
export async function declaredStreams(
  { pipeline, values }: Pick<Job, 'pipeline' | 'values'>,
  facts: Facts,
): Promise<readonly StreamDeclaration[]> {
  if (await isBuiltIn(pipeline)) return pipeline.streams(values, facts)
  const { checkOwnPipeline, checkOwnStreams } = await import('../pipeline-modules/load-module.ts')
  checkOwnPipeline(pipeline)
  return checkOwnStreams(pipeline, await pipeline.streams(values, facts))
}

/** What the slices of walks count. Slices of a range count its records, unless it says otherwise. */
const unitsOfWalks: { readonly [walk in Exclude<Walk['kind'], 'range'>]?: string } = {
  blockWindow: 'blocks',
  heightRange: 'heights',
  timeWindow: 'seconds',
  series: 'seconds',
}

/** What the lake keeps about a stream of a pipeline. `nodeId`: of the node that orders its records. */
export function streamFacts(
  pipeline: string,
  { stream, tables, walk }: StreamDeclaration,
  nodeId: string | null = null,
): StreamFacts {
  const names = (Object.values(tables) as Table[]).map(({ name }) => name)
  const begins = 'from' in walk && typeof walk.from === 'number' && walk.from >= 0 ? walk.from : null
  return {
    ...stream,
    stream: streamId(stream),
    pipeline,
    walk: walk.kind,
    unit: unitOf(walk),
    tables: names,
    trailing: 'trailing' in walk ? (walk.trailing ?? 0) : 0,
    overlapping: walk.kind === 'range' ? (walk.overlapping ?? []) : [],
    begins: begins === null ? {} : Object.fromEntries(names.map((name) => [name, begins])),
    nodeId,
  }
}

function unitOf(walk: Walk): string {
  if (walk.kind !== 'range') return unitsOfWalks[walk.kind] ?? 'records'
  return walk.counts ?? `${walk.record}s`
}

/** With `--max-lag 0`: the time between two rounds of a job while no WebSocket announces blocks, in milliseconds. */
const shortestMs = 1_000

/** The time between two rounds of a following run, and the longest age of uncommitted data, in milliseconds. */
export function roundInterval({ maxLagMs }: { readonly maxLagMs: number }): number {
  return maxLagMs === 0 ? shortestMs : maxLagMs
}

/** Everything to recreate the streams of a job elsewhere: the name of the pipeline, the values of its parameters, the facts. */
export type JobMessage = PipelineName & {
  readonly values: Readonly<Record<string, unknown>>
  readonly facts: FactsMessage
  /** The ids that the lake gave to the columns of own tables. */
  readonly ids: GivenIds
}

type GivenIds = Readonly<Record<string, ColumnIds>>

/** The facts that the streams of a job have requested. */
type FactsMessage = {
  /** Null when the identity of the node was not requested. */
  readonly node: NetworkIdentity | null
  /** The responses of endpoints, in the order of the requests. */
  readonly answers: readonly unknown[]
}

/** Replaces a URL, which may contain a key, by its position in a list that only threads have. */
type HiddenUrl = { readonly url: number }

/** The endpoints of jobs, and the node. All threads respect the cooldown that an endpoint has requested from any of them. */
export type SharedEndpoints = {
  readonly urls: readonly string[]
  /** The cooldown of each URL, then that of the node. */
  readonly cooldowns: readonly SharedCooldown[]
}

export function endpointsOf(jobs: readonly Pick<Job, 'values'>[]): SharedEndpoints {
  const urls = [...new Set(jobs.flatMap(({ values }) => urlsIn(values)))]
  return { urls, cooldowns: [...urls, null].map(newSharedCooldown) }
}

/** Returns the cooldown of a base URL. A URL that no job names belongs to the node. */
export function cooldownIn({ urls, cooldowns }: SharedEndpoints): (baseUrl: string) => Cooldown {
  return (baseUrl) => createCooldown(cooldowns[urls.indexOf(baseUrl)] ?? cooldowns.at(-1))
}

/** The URLs among values. They may contain keys. */
export function urlsIn(values: unknown): string[] {
  if (typeof values === 'string') return /^\s*(https?|wss?):/i.test(values) ? [values] : []
  return typeof values === 'object' && values !== null ? Object.values(values).flatMap(urlsIn) : []
}

export function hideUrls(values: unknown, urls: readonly string[]): unknown {
  return replaced(values, (value) => {
    const url = typeof value === 'string' ? urls.indexOf(value) : -1
    return url === -1 ? null : ({ url } satisfies HiddenUrl)
  })
}

export function revealUrls(values: unknown, urls: readonly string[]): unknown {
  return replaced(values, (value) => (isHidden(value) ? (urls[value.url] ?? null) : null))
}

function isHidden(value: unknown): value is HiddenUrl {
  return typeof value === 'object' && value !== null && typeof (value as Partial<HiddenUrl>).url === 'number'
}

/** A copy with the values that `replace` returns; null keeps a value. */
function replaced(value: unknown, replace: (value: unknown) => unknown): unknown {
  const other = replace(value)
  if (other !== null) return other
  if (Array.isArray(value)) return value.map((each) => replaced(each, replace))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, replaced(each, replace)]))
}

export function recordFacts(facts: Facts): { readonly facts: Facts; readonly message: () => FactsMessage } {
  let identity: NetworkIdentity | null = null
  const answers: unknown[] = []
  let questions = 0
  return {
    facts: {
      get service() {
        return facts.service
      },
      async node() {
        identity = await facts.node()
        return identity
      },
      async ask(place, question) {
        const at = questions++
        const answer = await facts.ask(place, question)
        answers[at] = answer
        return answer
      },
      askService: facts.askService,
    },
    message: () => ({ node: identity, answers }),
  }
}

/** Replays recorded facts in their order: streams of the same values request the same facts. */
export function replayFacts({ node, answers }: FactsMessage): Facts {
  let questions = 0
  return {
    get service(): never {
      throw new RangeError('Slices of ranges have no service.')
    },
    async node() {
      if (node === null) throw new RangeError('The identity of the node was not recorded.')
      return node
    },
    async ask<T>() {
      if (questions >= answers.length) throw new RangeError('The requested fact was not recorded.')
      return answers[questions++] as T
    },
    async askService(): Promise<never> {
      throw new RangeError('Slices of ranges have no service.')
    },
  }
}

/**
 * The tables that streams fill and that have no permanent column ids: the lake gives them.
 *
 * @throws DefinitionError for two different tables of one name.
 */
export function ownTables(streams: readonly StreamDeclaration[]): Table[] {
  const own = new Map<string, Table>()
  for (const table of streams.flatMap(({ tables }) => Object.values(tables) as Table[])) {
    if (table.ids !== null) continue
    const other = own.get(table.name)
    if (other !== undefined && other !== table && JSON.stringify(other) !== JSON.stringify(table))
      throw new DefinitionError(`Two jobs declare different tables named ${table.name}.`, {
        code: 'definition.taken',
        hint: 'Give each table its own name, or declare it once and import that declaration.',
      })
    own.set(table.name, table)
  }
  return [...own.values()]
}

/** The stream with the ids of the lake in its tables. */
export function withIds(declared: StreamDeclaration, ids: GivenIds): StreamDeclaration {
  const given = (tables: Tables): Tables =>
    Object.fromEntries(
      Object.entries(tables).map(([name, table]) => [name, { ...table, ids: table.ids ?? ids[table.name] ?? null }]),
    )
  const { tables, walk } = declared
  if ((Object.values(tables) as Table[]).every((table) => table.ids !== null)) return declared
  if (walk.kind !== 'range') return { ...declared, tables: given(tables) }
  const outputs = walk.outputs.map((output) => ({ ...output, tables: given(output.tables) }))
  return { ...declared, tables: given(tables), walk: { ...walk, outputs: outputs as unknown as typeof walk.outputs } }
}
