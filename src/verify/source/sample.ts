import type { FxOrder } from '../../../codec/fxs.ts'
import type { CoverageRow } from '../../catalog/catalog.ts'
import type { Connection } from '../../define/connection.ts'
import type { NetworkIdentity, RangeOutput, Table } from '../../define/index.ts'
import { ConfigError, errorKind, HttpError, RpcError } from '../../errors.ts'
import { countText } from '../../lib/text.ts'
import { readChainFxs } from '../../sources/node-index.ts'
import { type ComparedWith, compareDecoded, type DecodedRecord, type LakeRows, mostFindings } from '../lake.ts'
import type { Finding, OnProgress, Remark } from '../report.ts'
import { hasOwnTypes } from '../streams.ts'

export type SampleOptions = {
  readonly connection: Connection
  /** How many records of each stream to request, spread evenly over the coverage. */
  readonly sample: number
  readonly stop: AbortSignal
  readonly onProgress: OnProgress
}

/** A source that is asked, and the rows of the lake that its answers are compared with. */
export type Asked = SampleOptions & { readonly rows: LakeRows; readonly questions: ReturnType<typeof nodeQuestions> }

/** `identity` is the network and the chains of the node. */
export type AskedNode = Asked & { readonly identity: NetworkIdentity }

/** How many records are compared at once. */
export const batch = 100

/** The kinds of findings of differences from a node. */
export const kinds = { different: 'source.different', missing: 'source.missing', extra: 'source.extra' } as const

/** What a request was for, and its answer. */
export type Answered<T, A> = { readonly of: T; readonly answer: A }

/** Decodes the records at some coordinates into rows like a run does, and compares them table by table. */
export async function compareAll<R>(
  rows: LakeRows,
  row: CoverageRow,
  { tables, read }: RangeOutput<R>,
  records: readonly Answered<number, R>[],
  context: unknown,
  from: ComparedWith,
): Promise<Finding[]> {
  const decoded = records.map(({ of, answer }) => ({ index: of, rows: read(answer, context) as DecodedRecord['rows'] }))
  return compareDecoded(rows, row, tables as Record<string, Table>, decoded, from)
}

/** Compares some of `what` with the node in batches, until there are enough findings. */
export async function compareSample<T>(
  what: string,
  { stop, onProgress }: SampleOptions,
  wanted: readonly T[],
  compare: (some: readonly T[]) => Promise<readonly Finding[]>,
): Promise<Finding[]> {
  const findings: Finding[] = []
  for (let start = 0; start < wanted.length && findings.length < mostFindings; start += batch) {
    stop.throwIfAborted()
    onProgress({ what, done: start, of: wanted.length })
    findings.push(...(await compare(wanted.slice(start, start + batch))))
  }
  onProgress({ what, done: wanted.length, of: wanted.length })
  return findings.slice(0, mostFindings)
}

/** Coordinates spread evenly over a slice, including both ends. */
export function sampleOf({ slice: { from, to } }: CoverageRow, sample: number): number[] {
  const count = Math.min(sample, to - from)
  if (count <= 1) return count === 1 ? [to - 1] : []
  return Array.from({ length: count }, (_, at) => from + Math.floor((at * (to - from - 1)) / (count - 1)))
}

/** Sends concurrent requests to a node. A refusal becomes a finding; requests of a method that the node does not have are left out. */
export async function askEach<T, A>(
  { stream, network, table }: CoverageRow,
  what: string,
  all: readonly T[],
  ask: (one: T) => Promise<Outcome<A>>,
): Promise<{ readonly answers: readonly Answered<T, A>[]; readonly refusals: Finding[] }> {
  const answers: Answered<T, A>[] = []
  const refusals: Finding[] = []
  const message = `The node refuses to return ${what} of ${stream} that the lake has.`
  for (const { of, outcome } of await Promise.all(all.map(async (of) => ({ of, outcome: await ask(of) }))))
    if (outcome === null) continue
    else if ('answer' in outcome) answers.push({ of, answer: outcome.answer })
    else refusals.push({ kind: 'source.missing', message, network, table, stream, found: outcome.refusal })
  return { answers, refusals }
}

/** The outcome of a request: an answer, a refusal in the words of the node, or null if the node does not have the method. */
export type Outcome<T> = { readonly answer: T } | { readonly refusal: string } | null

/** Requests to a node that may not have every method. */
export function nodeQuestions() {
  const answered = new Map<string, number>()
  const missing = new Map<string, string>()
  const ask = async <T>(method: string, question: () => Promise<T>): Promise<Outcome<T>> => {
    if (missing.has(method)) return null
    const counted = <O>(outcome: O): O => {
      answered.set(method, (answered.get(method) ?? 0) + 1)
      return outcome
    }
    try {
      return counted({ answer: await question() })
    } catch (error) {
      if (isMissingMethod(error)) {
        missing.set(method, (error as Error).message)
        return null
      }
      const refusal = rpcErrorOf(error)?.answer ?? null
      if (refusal === null) throw error
      return counted({ refusal })
    }
  }
  return {
    ask,
    /** The answer; null if there is none. */
    async answer<T>(method: string, question: () => Promise<T>): Promise<T | null> {
      const outcome = await ask(method, question)
      return outcome !== null && 'answer' in outcome ? outcome.answer : null
    },
    /** What `fxsOfNode` was told, by chain. */
    fxs: new Map<string, Promise<Known>>(),
    /** How many requests of each method were answered, and which methods the node does not have. */
    remarks: (): Remark[] => {
      const counts = [...answered].map(([method, count]) => `${method} (${countText(count)})`)
      return [
        ...(counts.length === 0 ? [] : [{ message: `Requests to the node: ${counts.join(', ')}.` }]),
        ...[...missing].map(([method, why]) => ({ message: `Skipped: the node does not have ${method}. ${why}` })),
      ]
    },
  }
}

/** Whether the path or the method does not exist, because the index or the API is disabled. */
function isMissingMethod(error: unknown): boolean {
  const refused = error instanceof HttpError ? error : rpcErrorOf(error)
  if (refused === null) return false
  // A row that the node does not have is a finding.
  return (refused instanceof RpcError && refused.isAboutMethod) || [403, 404, 405, 501].includes(refused.status)
}

/** The error that the node answered, or that is the cause of an error after retries; null for other errors. */
function rpcErrorOf(error: unknown): RpcError | null {
  if (error instanceof RpcError) return error
  return error instanceof Error && error.cause instanceof RpcError ? error.cause : null
}

type Known = FxOrder | null | 'unknown'

/** Feature extensions of another chain of the asset VM, from its CreateChainTx at the node (requested once); null for P, X and C. */
export async function fxsOfNode(
  chain: string,
  { connection, stop, questions }: Pick<AskedNode, 'connection' | 'stop' | 'questions'>,
): Promise<Known> {
  if (!hasOwnTypes(chain)) return null
  const read = () =>
    readChainFxs(connection, chain, stop).catch((error: unknown) => {
      if (error instanceof ConfigError) return 'unknown' as const
      throw error
    })
  const { fxs } = questions
  const known = fxs.get(chain) ?? questions.answer('platform.getTx of P', read).then((said): Known => said ?? 'unknown')
  fxs.set(chain, known)
  return known
}

/** The answer to a question about the state of a block; null if the node no longer has this state. */
export async function answerWithState<T>(ask: () => Promise<T>): Promise<T | null> {
  try {
    return await ask()
  } catch (error) {
    for (let cause = error; cause instanceof Error; cause = cause.cause) if (errorKind(cause) === 'pruned') return null
    throw error
  }
}

/** Says which blocks were not compared because the node has pruned their state. */
export function withoutState(of: string, what: 'block' | 'row', blocks: readonly number[], sampled: number): string {
  const [first, last] = [Math.min(...blocks), Math.max(...blocks)]
  const range = first === last ? `block ${first}` : `blocks between ${first} and ${last}`
  const count = `${countText(blocks.length)} of ${countText(sampled)} sampled ${what}s`
  return `Not compared with the node: ${count} of ${of}, because the node no longer has the state of ${range}. An archive node has it.`
}
