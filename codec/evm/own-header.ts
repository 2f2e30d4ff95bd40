import { keccak256 } from '../keccak.ts'
import { headerShape, type Named, transactionBytes } from './block-parts.ts'
import { emptyRoot } from './list-root.ts'

/** How the transactions and receipts of a block may contradict its header, or a receipt itself. */
export const contradictions = {
  transactions: 'it lists no transactions, but transactionsRoot is not the root of an empty list',
  gas: 'gasUsed is not the sum of the gas of its receipts',
  bloom: 'logsBloom is not the union of the Bloom filters of its receipts',
  lost: 'a receipt has no logs, but a Bloom filter with bits',
  filter: 'a receipt has logs, but a Bloom filter without a bit',
} as const

export type Contradiction = keyof typeof contradictions

/** `isCertain`: the header is the one of the block hash, so the transactions or receipts are not those of the block. */
type Contradicted = { readonly isCertain: boolean; readonly kinds: readonly Contradiction[] }

/**
 * How the answers of a node about a block contradict each other; null if they do not. A header in a shape that is not known may mean
 * something else. Since Helicon, only the root of transactions belongs to the block itself.
 */
export function contradictionOf(block: Named, receipts: readonly unknown[]): Contradicted | null {
  const kinds = suspicions(block, receipts as readonly Named[])
  return kinds.length === 0 ? null : judged(block, receipts as readonly Named[], kinds)
}

function judged(block: Named, receipts: readonly Named[], kinds: readonly Contradiction[]): Contradicted | null {
  if (headerShape({ ...block, hash: lower(block['hash']) }) === null)
    return { isCertain: kinds.includes('lost') && hasLostLogs(block, receipts), kinds }
  // Some chains list transactions that the block does not have, such as system transactions of Polygon. Their hashes do not derive.
  const own = new Set(transactionsOf(block).filter(isHashed).map(hashIn))
  const left = suspicions(
    block,
    receipts.filter((receipt) => own.has(lower(receipt['transactionHash']))),
  )
  const certain = kinds.filter((kind) => left.includes(kind))
  return certain.length === 0 ? null : { isCertain: true, kinds: certain }
}

function transactionsOf({ transactions }: Named): readonly Named[] {
  return Array.isArray(transactions) ? transactions : []
}

function hashIn({ hash }: Named): string {
  return lower(hash)
}

function lower(text: unknown): string {
  return String(text).toLowerCase()
}

function isHashed(transaction: Named): boolean {
  const bytes = transactionBytes(transaction)
  return bytes !== null && `0x${Buffer.from(keccak256(bytes)).toString('hex')}` === hashIn(transaction)
}

const noBits = `0x${'0'.repeat(512)}`
/** Filters as 64 words, which are faster to join than bytes. */
const union = new Uint32Array(64)
const filter = new Uint32Array(64)
const filterBytes = Buffer.from(filter.buffer)

/** What looks like a contradiction. It takes about a microsecond per receipt, so it decides nothing. */
function suspicions(block: Named, receipts: readonly Named[]): Contradiction[] {
  const found = new Set<Contradiction>()
  const { transactionsRoot: root, logsBloom } = block
  if (isRoot(root) && transactionsOf(block).length === 0 && root.toLowerCase() !== emptyRoot) found.add('transactions')
  let gas = 0
  let filters = 0
  for (const receipt of receipts) {
    gas += Number(receipt['gasUsed'])
    const bloom = receipt['logsBloom']
    if (!isFilter(bloom)) continue
    filters += 1
    if ((bloom === noBits) === hasLogs(receipt)) found.add(bloom === noBits ? 'filter' : 'lost')
  }
  if (isStated(block['settledHeight'])) return [...found]
  // Since EIP-7778 (with access lists of blocks), a block counts gas without refunds.
  if (!isStated(block['blockAccessListHash']) && gas !== Number(block['gasUsed'])) found.add('gas')
  if (filters === receipts.length && isFilter(logsBloom) && !isUnion(logsBloom, receipts)) found.add('bloom')
  return [...found]
}

function hasLogs({ logs }: Named): boolean {
  return Array.isArray(logs) && logs.length > 0
}

function isRoot(root: unknown): root is string {
  return typeof root === 'string' && root.length === emptyRoot.length
}

function isFilter(bloom: unknown): bloom is string {
  return typeof bloom === 'string' && bloom.length === noBits.length
}

function isStated(value: unknown): boolean {
  return value !== null && value !== undefined
}

/** Whether a Bloom filter is the union of those of receipts, which all have one. */
function isUnion(bloom: string, receipts: readonly Named[]): boolean {
  const others = receipts.map((receipt) => receipt['logsBloom'] as string).filter((each) => each !== noBits)
  if (others.length < 2) return (others[0] ?? noBits).toLowerCase() === bloom.toLowerCase()
  union.fill(0)
  for (const each of others) {
    filterBytes.write(each.slice(2), 'hex')
    for (let at = 0; at < filter.length; at++) union[at]! |= filter[at]!
  }
  filterBytes.write(bloom.slice(2), 'hex')
  return union.every((word, at) => word === filter[at])
}

/**
 * Whether a chain with another header nevertheless shows that logs are missing: a receipt without logs has a Bloom filter of its own. Some
 * chains have filters with all bits, and others repeat the filter of the block in each receipt.
 */
function hasLostLogs({ logsBloom }: Named, receipts: readonly Named[]): boolean {
  const isOfOthers = receipts.some(hasLogs)
  return receipts.some((receipt) => {
    const bloom = receipt['logsBloom']
    if (!isFilter(bloom) || bloom === noBits || hasLogs(receipt)) return false
    return !/^0xf+$/i.test(bloom) && !(isOfOthers && bloom === logsBloom)
  })
}
