import { DefinitionError } from '../errors.ts'
import type { Stream } from '../model.ts'
import type { Connection } from './connection.ts'
import type { ListWalk, ServiceRequest, ServiceSettings } from './list.ts'
import { type Parameters, p, type ValuesOf } from './parameter.ts'
import type { Endpoint, Range, ReadRecord, Tables } from './range.ts'
import type { DerivedView } from './view.ts'

/** How a stream is traversed. */
export type Walk = Range | ListWalk

/** One selection of rows, the tables that they go to, and how to read them. */
export type StreamDeclaration<W extends Walk = Walk> = {
  readonly stream: Stream
  /** The tables that the stream fills, by the names that its decoder gives them. */
  readonly tables: Tables
  readonly walk: W
  /** The EVM chain that it reads from a node. A run compares it with the chain that the lake has under the same name. */
  readonly chain?: EvmChainIdentity
}

/** An EVM chain and where it is read. Chains from one genesis may have the same chain id. */
export type EvmChainIdentity = {
  /** Value of the column `network`. */
  readonly network: string
  /** In decimal digits, as in the column `chain_id`. */
  readonly chainId: string
  /** Null if the node does not have block 0. */
  readonly genesisHash: string | null
  readonly endpoint: Endpoint
  /** The path of its JSON-RPC below the base URL. */
  readonly route: string
  /** Number of newest blocks that do not count as final if the node does not say which block is final. */
  readonly finality?: number | undefined
}

/** A module that exports pipelines. */
type PipelineModule = {
  /** Absolute path: threads load the module from there. In a task only the name of the file. */
  readonly path: string
  /** SHA-256 over the module and its own files: threads and workers compare it with that of their files. */
  readonly hash: string
}

/** Why a pipeline cannot have a parameter, and what to do instead: a sentence each. */
export type RefusedParameter = { readonly why: string; readonly instead: string }

/** Which source fills which tables. Inert: it sends no request before a run calls `streams`. */
export type Pipeline<P extends Parameters = any> = {
  readonly name: string
  /** The module that exports it, if a command has loaded it from a module. */
  readonly module?: PipelineModule
  /** The plain data that the pipeline is made of, such as a list of chainlake.yaml: workers make it again from that. */
  readonly definition?: object
  readonly comment: string
  /** Parameters of a job, in chainlake.yaml and as command-line flags. */
  readonly parameters: P
  /** Parameters of other pipelines that people try here, which this one cannot have. */
  readonly refused: { readonly [parameter: string]: RefusedParameter }
  /** Source of the rows: nodes, the REST service with its metrics host and its signature aggregator, or a service of chainlake.yaml. */
  readonly reads: 'node' | 'service' | { readonly service: string }
  /** The kinds of walks of its streams, for `describe`. */
  readonly walks: readonly Walk['kind'][]
  /** The tables that a job fills whatever its values are. Tables that depend on values belong to streams; see `DeclaredStream`. */
  readonly tables: Tables
  /** Tables that a job also fills when a parameter is true, by the name of the parameter. */
  readonly optional: { readonly [parameter: string]: Tables }
  /** Views over its tables and others, each with its query, for `lake.duckdb` and `views.sql`. */
  readonly views: readonly DerivedView[]
  /** Decoders that a job loads when a parameter is true, by the name of the parameter. */
  readonly decoders: { readonly [name: string]: () => Promise<ReadRecord<any>> }
  /** The streams of a job. Checks the rules between parameters before it requests any fact. Throws `ConfigError`. */
  readonly streams: (
    values: ValuesOf<P>,
    facts: Facts,
  ) => readonly StreamDeclaration[] | Promise<readonly StreamDeclaration[]>
}

/**
 * A stream as pipelines declare it. Default tables: those of its pipeline. A stream may name others, which depend on the values of the job, and
 * which `describe` then shows only for a lake that has them:
 *
 * ```ts
 * tables: {},
 * streams: ({ metrics }) =>
 *   metrics.map((metric) => {
 *     const tables = { points: table({ name: `points_of_${metric}`, … }) }
 *     return { stream: { network, path: `points/${metric}`, parameters: {} }, tables, walk: walkOf(metric, tables) }
 *   }),
 * ```
 */
export type DeclaredStream = Omit<StreamDeclaration, 'tables'> & Partial<Pick<StreamDeclaration, 'tables'>>

type PipelineDeclaration<P extends Parameters> = Omit<
  Pipeline<P>,
  'module' | 'optional' | 'views' | 'decoders' | 'refused' | 'streams'
> &
  Partial<Pick<Pipeline<P>, 'optional' | 'views' | 'decoders' | 'refused'>> & {
    readonly streams: (
      values: ValuesOf<P>,
      facts: Facts,
    ) => readonly DeclaredStream[] | Promise<readonly DeclaredStream[]>
  }

const kebabCase = /^[a-z][a-z0-9-]*$/

/** What a run asks of each job with lists. It selects no rows. */
const unitPages = p.whole(
  'Pages per commit (default: 1,500; with a request per key, at most 500). Smaller commits lose less when a run ends, and write more files.',
  { least: 1 },
)

/** Declares a pipeline. Pipelines of lists also have the parameter `unit-pages`. Throws `DefinitionError` for an invalid name or an empty comment. */
export function pipeline<P extends Parameters>(declaration: PipelineDeclaration<P>): Pipeline<P> {
  const { name, comment, parameters, walks, tables, streams } = declaration
  if (!kebabCase.test(name)) throw new DefinitionError(`Pipeline name ${JSON.stringify(name)} is not kebab-case.`)
  if (comment.trim() === '') throw new DefinitionError(`Pipeline ${name} needs a comment.`)
  for (const parameter of Object.keys(parameters))
    if (!kebabCase.test(parameter))
      throw new DefinitionError(`Parameter ${JSON.stringify(parameter)} of pipeline ${name} is not kebab-case.`)
  const filling = (declared: readonly DeclaredStream[]): StreamDeclaration[] =>
    declared.map((stream) => ({ ...stream, tables: stream.tables ?? tables }))
  return {
    optional: {},
    views: [],
    decoders: {},
    ...declaration,
    // Users choose the names that are looked up here: `toString` is none of them.
    refused: Object.assign(Object.create(null), declaration.refused),
    parameters: walks.every((walk) => walk === 'range') ? parameters : { ...parameters, 'unit-pages': unitPages },
    streams(values, facts) {
      const declared = streams(values, facts)
      return declared instanceof Promise ? declared.then(filling) : filling(declared)
    },
  }
}

/** A chain of the Primary Network. */
export type NetworkChain = {
  readonly alias: 'P' | 'X' | 'C'
  readonly blockchainId: string
  /** Null if not known. */
  readonly vmId: string | null
  readonly subnetId: string
}

/** The network of a node and its chains. */
export type NetworkIdentity = {
  readonly networkId: number
  /** Value of the column `network`. */
  readonly network: string
  /** Human-readable part of bech32 addresses. */
  readonly hrp: string
  /** P-Chain, X-Chain and C-Chain. A chain without a known id is missing, with a warning. */
  readonly chains: readonly NetworkChain[]
  /** Null if not known, with a warning. */
  readonly nativeAssetId: string | null
  /** Activation of Durango in Unix seconds; null if not known, with a warning. */
  readonly durangoTime: number | null
  /** One sentence for each missing fact and its consequence. */
  readonly warnings: readonly string[]
}

/** Facts that the streams of a job may depend on, in addition to its values. A run creates the streams once. */
export type Facts = {
  /** Settings of the REST service. Throws `ConfigError` if no service is configured. */
  readonly service: ServiceSettings
  /** The network of the node; requested once per run. */
  readonly node: () => Promise<NetworkIdentity>
  /** Sends a request to an endpoint, such as for the chain that it serves, and returns the answer. */
  readonly ask: <T>(
    endpoint: Endpoint,
    question: (connection: Connection, signal?: AbortSignal) => Promise<T>,
  ) => Promise<T>
  /** Sends a request to the REST service, and returns what `parse` makes of its answer. */
  readonly askService: <T>(request: ServiceRequest, parse: (answer: unknown) => T) => Promise<T>
}
