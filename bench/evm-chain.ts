import { headerHash, listRoot, transactionBytes } from '../codec/evm/block-parts.ts'
import { keccak256 } from '../codec/keccak.ts'

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

/**
 * Like `repeatedChain`, with a block every two seconds, but each hash and root derives from its block: `verify` can prove all of them, and the
 * blocks have many dates. A block takes the server four times as long.
 */
export function provableChain(recorded: RecordedEvmBlocks): EvmChainTexts {
  const start = Number(recorded[0]!.block['timestamp'])
  const hashes: string[] = []
  const blockOf = (number: number): Json => {
    const own = recorded[number % recorded.length]!.block
    const seconds = start + 2 * number
    // A higher limit of gas gives a transaction another hash, and its receipt stays as it is.
    const changed = own['transactions'].map((each: Json) => ({ ...each, gas: hex(Number(each['gas']) + number) }))
    const bytes = changed.map((each: Json) => transactionBytes(each)!)
    const block: Json = {
      ...own,
      number: hex(number),
      parentHash: hashes[number - 1] ?? own['parentHash'],
      timestamp: hex(seconds),
      timestampMilliseconds: hex(1000 * seconds),
      transactionsRoot: listRoot(bytes),
    }
    const hash = headerHash(block, 'coreth')!
    const transactions = changed.map((each: Json, at: number) => ({
      ...each,
      hash: `0x${Buffer.from(keccak256(bytes[at]!)).toString('hex')}`,
      blockHash: hash,
      blockNumber: hex(number),
    }))
    return { ...block, hash, transactions }
  }
  const recent: Json[] = []
  const made = (number: number): Json => {
    // A block states the hash of its parent. Its receipts are often asked for soon after it.
    for (let at = hashes.length; at <= number; at++) {
      recent[at % 4096] = blockOf(at)
      hashes.push(recent[at % 4096]!['hash'])
    }
    const known = recent[number % 4096]!
    return known['number'] === hex(number) ? known : blockOf(number)
  }
  const receiptsOf = (number: number): readonly Json[] => {
    const { hash, transactions } = made(number)
    return recorded[number % recorded.length]!.receipts.map((receipt, at) => {
      const of = { blockHash: hash, blockNumber: hex(number), transactionHash: transactions[at]['hash'] }
      return { ...receipt, ...of, logs: receipt['logs'].map((log: Json) => ({ ...log, ...of })) }
    })
  }
  const logsOf = (number: number) => receiptsOf(number).flatMap((receipt) => receipt['logs'])
  return {
    block: (number) => JSON.stringify(made(number)),
    header: (number) => {
      const block = made(number)
      return JSON.stringify({ ...block, transactions: block['transactions'].map(({ hash }: Json) => hash) })
    },
    receipts: (number) => JSON.stringify(receiptsOf(number)),
    logs: (number) => JSON.stringify(logsOf(number)).slice(1, -1),
  }
}

function hex(number: number): string {
  return `0x${number.toString(16)}`
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
