/** A request that the floor of a run sends, which is one that the run itself had to send or could have. */
export type Question = { readonly method: 'GET' | 'POST'; readonly path: string; readonly body?: string }

/** Which bytes must be taken out of answers (bench/answer-bytes.ts). */
export type AnswerKind = 'containers' | 'evmBlocks' | 'cells' | 'pages'

/** A server in a process of its own, ready for a run over one size of a subject. */
export type Serving = {
  readonly url: string
  /** What `chainlake run` is told besides its lake. */
  readonly args: readonly string[]
  /** Whether the server renders its answers when they are asked for first: then a run goes before the one that is measured. */
  readonly rendersFirst: boolean
  /** What has to be asked for the same rows, when the run is over. */
  readonly questions: () => Promise<readonly Question[]>
  readonly close: () => void
}

/** What the bench exports, at two sizes: two points tell what an item costs from what a start costs. */
export type Subject = {
  readonly name: string
  /** Containers, or blocks; `serve` takes one of them. */
  readonly sizes: readonly [number, number]
  /** What costs are stated for: of lists and of EVM state their rows, else what `size` counts. */
  readonly item: 'container' | 'block' | 'row'
  readonly answers: AnswerKind
  readonly serve: (size: number) => Promise<Serving>
}
