/** A request that the floor sends: one that the run also sent, or could have sent. */
export type Question = { readonly method: 'GET' | 'POST'; readonly path: string; readonly body?: string }

/** Selects which bytes of answers the floor decodes (bench/answer-bytes.ts). */
export type AnswerKind = 'containers' | 'evmBlocks' | 'cells' | 'pages'

/** A server in a process of its own, ready for a run over one size of a subject. */
export type Serving = {
  readonly url: string
  /** Arguments of `chainlake run`, without the lake. */
  readonly args: readonly string[]
  /** Whether the server renders each answer at the first request for it. Then an unmeasured run comes first. */
  readonly rendersFirst: boolean
  /** The requests that the same rows need. Call it after the run. */
  readonly questions: () => Promise<readonly Question[]>
  readonly close: () => void
}

/** An export to measure at two sizes. The difference of the two is the cost of the further items, without the cost of the start. */
export type Subject = {
  readonly name: string
  /** Numbers of containers or blocks. `serve` takes one of them. */
  readonly sizes: readonly [number, number]
  /** The unit of the stated costs: rows for lists and EVM state, otherwise what `sizes` counts. */
  readonly item: 'container' | 'block' | 'row'
  readonly answers: AnswerKind
  readonly serve: (size: number) => Promise<Serving>
}
