import type { FxOrder } from '../../codec/fxs.ts'
import {
  type Facts,
  type List,
  type NetworkIdentity,
  type NodeCall,
  type Page,
  p,
  type ReadingContext,
  type Subject,
  theNode,
} from '../../src/define/index.ts'
import { ConfigError, DecodeError } from '../../src/errors.ts'
import { evmAddressRule, idPattern } from './parameters.ts'

/** A chain of a node, named by a job. */
export type NodeChain = {
  /** P, X or C; null for another chain. */
  readonly alias: 'P' | 'X' | 'C' | null
  readonly blockchainId: string
  /** Such as `/ext/bc/X`. */
  readonly path: string
}

/** A chain by its alias or by its id. Throws `ConfigError` for an alias without a known id. */
export function nodeChain({ chains, network }: NetworkIdentity, name: string): NodeChain {
  const known = chains.find(({ alias, blockchainId }) => alias === name || blockchainId === name)
  const path = `/ext/bc/${name}`
  if (known !== undefined) return { alias: known.alias, blockchainId: known.blockchainId, path }
  if (!/^[PXC]$/.test(name)) return { alias: null, blockchainId: name, path }
  throw new ConfigError(`The id of the ${name} chain of ${network} is unknown.`, {
    code: 'config.chain-unknown',
    hint: `Name the chain by its blockchain id instead of ${name}.`,
  })
}

/** Chains by their names, without duplicates under another name. */
export function nodeChains(identity: NetworkIdentity, names: readonly string[]): NodeChain[] {
  const byId = new Map(names.map((name) => nodeChain(identity, name)).map((chain) => [chain.blockchainId, chain]))
  return [...byId.values()]
}

/**
 * The feature extensions of another chain of the asset VM, named by its id, as its CreateChainTx lists them; null for P, X and C, since their
 * types are fixed.
 * Throws `ConfigError` when the node does not know the chain.
 */
export async function askFxs(chain: string, facts: Pick<Facts, 'ask'>): Promise<FxOrder | null> {
  if (/^[PXC]$/.test(chain)) return null
  return facts.ask(theNode, async (connection, signal) => {
    const { readChainFxs } = await import('../../src/sources/node-index.ts')
    return readChainFxs(connection, chain, signal)
  })
}

export const idRule = (what: string) => ({ source: `^${idPattern}$`, says: `must be the id of ${what}, as CB58 text` })

/** The subnet id of the Primary Network, on every network. */
export const primarySubnet = '11111111111111111111111111111111LpoYY'

/**
 * The Primary Network, and every subnet in transactions or answers of a node in the lake, in order of appearance, so that
 * a new subnet does not change the streams of earlier ones.
 */
const knownSubnets = `SELECT subnet_id FROM (
  SELECT '${primarySubnet}' AS subnet_id, -1 AS height, 0 AS tx_index
  UNION ALL SELECT tx_id, height, tx_index FROM p_transactions WHERE tx_type = 'CreateSubnetTx'
  UNION ALL SELECT subnet_id, height, tx_index FROM p_transactions WHERE subnet_id IS NOT NULL
  UNION ALL SELECT subnet_id, NULL, NULL FROM node_blockchains WHERE subnet_id IS NOT NULL
) GROUP BY subnet_id ORDER BY min((height, tx_index)) NULLS LAST, subnet_id`

export const subnets = p.list(
  'Subnets to request; inline, from a file or a query (default: the Primary Network and every subnet already in the lake).',
  { pattern: idRule('a subnet'), query: knownSubnets },
)

/** The subnets of a job, without duplicates. Default with an empty lake: the Primary Network. */
export function subnetsOf(list: readonly string[] | undefined): readonly string[] {
  return list === undefined || list.length === 0 ? [primarySubnet] : [...new Set(list)]
}

/** The parameters that select a subnet. A method without them uses the Primary Network. */
export function ofSubnet(subnetId: string): { readonly subnetID?: string } {
  return subnetId === primarySubnet ? {} : { subnetID: subnetId }
}

export const blockchainIds = (comment: string) => p.list(comment, { pattern: idRule('a blockchain') })

export const txIds = (comment: string) =>
  p.list.required(comment, { pattern: idRule('a transaction'), example: '@tx-ids.txt' })

export const blockIds = (comment: string) =>
  p.list.required(comment, { pattern: idRule('a block'), example: '@block-ids.txt' })

export const assetIds = (comment: string, query: string) => p.list(comment, { pattern: idRule('an asset'), query })

/** The requested encoding: bytes can be verified, JSON can be read. */
export const encoding = p.text(
  'Encoding of the answer: hex (default) or json. Each item is stored once, in the encoding that arrived first.',
  {
    choices: ['hex', 'json'],
  },
)

export const accounts = p.list.required('0x addresses of accounts; inline, from a file or a query.', {
  ...evmAddressRule,
  example: '@accounts.txt',
})

/** A subject that one answer of the node describes. */
export function answeredSubject(name: string, request: NodeCall, list: Pick<List, 'decode' | 'refused'>): Subject {
  return { name, lists: [{ request: () => request, ...list }] }
}

type Rows = Page['rows']

/** A list, followed by one request for each of its items or for some of them. */
type ListThenItems<I> = {
  readonly list: {
    readonly request: NodeCall
    /** The rows of the list itself, and the items to request next, each once, by name. */
    readonly read: (
      answer: unknown,
      context: ReadingContext,
    ) => { readonly rows: Rows; readonly items: ReadonlyMap<string, I> }
  }
  readonly item: {
    readonly request: (name: string) => NodeCall
    /** Null: the answer does not have the item. It is requested once more, and is gone then. */
    readonly read: (answer: unknown, context: ReadingContext, item: I) => Rows | null
  }
  /** The rows of an answer that is read only for its items. */
  readonly none: Rows
}

/**
 * One list of pages: first the answer with the list, then one answer per item. The items of the list are remembered from page to page. A
 * run that resumes in the middle has no memory of them and requests the list again first. Tokens count what was requested again, so that no
 * token occurs twice.
 */
export function listThenItems<I>({ list, item, none }: ListThenItems<I>): List {
  return {
    // The list that is requested again before an item is the page before it again.
    repeats: 'allowed',
    request(token) {
      const { name, isList } = positionOf(token)
      return isList ? list.request : item.request(name)
    },
    decode(answer, context, token = null) {
      const { lists, name, isList } = positionOf(token)
      if (isList) {
        const { rows, items } = list.read(answer, context)
        context.memory.set('items', items)
        const [first] = items.keys()
        const next = items.has(name) ? name : first
        return { rows, items: [], next: next === undefined ? null : `${lists} item ${next}` }
      }
      const items = (context.memory.get('items') ?? new Map()) as ReadonlyMap<string, I>
      const known = items.get(name)
      if (known === undefined) return { rows: none, items: [], next: `${lists + 1} list ${name}` }
      const rows = item.read(answer, context, known)
      if (rows === null && context.memory.get('doubted') !== name) {
        context.memory.set('doubted', name)
        return { rows: none, items: [], next: `${lists + 1} item ${name}` }
      }
      // Each page names its item, because a list with many pages that show no new item counts as endless.
      return { rows: rows ?? none, items: [{ key: name, time: null }], next: tokenAfter(name, items, lists) }
    },
  }
}

/** The token of the item after one; null after the last one. */
function tokenAfter(name: string, items: ReadonlyMap<string, unknown>, lists: number): string | null {
  const names = [...items.keys()]
  const next = names[names.indexOf(name) + 1]
  return next === undefined ? null : `${lists} item ${next}`
}

/**
 * The item that a token names, empty at the beginning; `isList`: the list is requested before it; `lists`: how often something was requested
 * again.
 */
function positionOf(token: string | null) {
  const [lists, word, name = ''] = (token ?? '0 list ').split(' ')
  return { lists: Number(lists), name, isList: word === 'list' }
}

/** Returns flat items of an answer by the value of a field. Throws `DecodeError` if two items with one value differ. */
export function itemsByKey<T extends object>(items: readonly T[], name: keyof T & string): Map<string, T> {
  const found = new Map<string, T>()
  for (const item of items) {
    const key = String(item[name])
    const other = found.get(key) ?? item
    if (!Object.keys(other).every((field) => other[field as keyof T] === item[field as keyof T]))
      throw new DecodeError(`The source returned two different items with the same ${name}.`, {
        code: 'decode.contradiction',
        details: { [name]: key },
        hint: 'Nothing of this unit was written. The source has damaged data, or serves two chains. Run again later, or contact its operator.',
      })
    found.set(key, item)
  }
  return found
}
