type Json = Readonly<Record<string, any>>

/** Recorded blocks with their receipts, in order, from block 1 on. */
export type RecordedEvmBlocks = readonly { readonly block: Json; readonly receipts: readonly Json[] }[]

export type EvmChainTexts = {
  /** JSON of a block with its transactions. */
  readonly block: (number: number) => string
  /** JSON of a block with the hashes of its transactions. */
  readonly header: (number: number) => string
  /** JSON of its receipts. */
  readonly receipts: (number: number) => string
  /** JSON of the logs in them, without the brackets of a list. */
  readonly logs: (number: number) => string
}

/** JSON text in pieces. A piece that differs between blocks is a function of the block number. */
type Template = readonly (string | ((number: number) => string))[]

/**
 * An EVM chain of any length that repeats recorded blocks. Each block gets its own number. The hashes of the block, of its parent and of its
 * transactions end with their block's number. Everything else is as recorded.
 */
export function repeatedChain(recorded: RecordedEvmBlocks): EvmChainTexts {
  const at = (number: number) => recorded[((number % recorded.length) + recorded.length) % recorded.length]!
  const templates = recorded.map(({ block, receipts }) => {
    const own = block['number'] as string
    const numbers = ['number', 'blockNumber'].map(
      (field) => [`"${field}":"${own}"`, (number: number) => `"${field}":"0x${number.toString(16)}"`] as const,
    )
    const hashes = [block['hash'], ...block['transactions'].map(({ hash }: Json) => hash)].map(
      (hash: string) => [hash, (number: number) => numbered(hash, number)] as const,
    )
    const parent = [
      block['parentHash'],
      (number: number) => numbered(at(number - 1).block['hash'], number - 1),
    ] as const
    const marks = new Map([...numbers, ...hashes, parent])
    const header = { ...block, transactions: block['transactions'].map(({ hash }: Json) => hash) }
    const logs = receipts.flatMap((receipt) => receipt['logs'] as readonly Json[])
    const [whole, short, executed, logged] = [block, header, receipts, logs].map((each) =>
      cut(JSON.stringify(each), marks),
    )
    return { block: whole!, header: short!, receipts: executed!, logs: logged! }
  })
  return {
    block: (number) => fill(templates[number % templates.length]!.block, number),
    header: (number) => fill(templates[number % templates.length]!.header, number),
    receipts: (number) => fill(templates[number % templates.length]!.receipts, number),
    logs: (number) => fill(templates[number % templates.length]!.logs, number).slice(1, -1),
  }
}

function numbered(hash: string, number: number): string {
  return hash.slice(0, -8) + (number >>> 0).toString(16).padStart(8, '0')
}

function cut(text: string, marks: ReadonlyMap<string, (number: number) => string>): Template {
  // The pattern is a group, so `split` keeps the marks among the pieces.
  return text.split(new RegExp(`(${[...marks.keys()].join('|')})`)).map((piece) => marks.get(piece) ?? piece)
}

function fill(template: Template, number: number): string {
  let text = ''
  for (const piece of template) text += typeof piece === 'string' ? piece : piece(number)
  return text
}
