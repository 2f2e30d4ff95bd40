import { nodeIdBytes } from '../../../codec/ids.ts'
import { evmChainId } from '../../c/state.ts'
import { chainTexts } from '../../network/genesis.ts'
import { ServiceError } from './error.ts'

/**
 * The allowed values of a parameter. `read` gets every value of a repeated key, and throws a `ServiceError` with the message of the real
 * service's validator.
 */
type Rule<V = any> = { readonly required: boolean; readonly read: (name: string, texts: readonly string[]) => V }

export type Rules = { readonly [name: string]: Rule }

/** The checked values. Parameters that are missing and have no default are undefined. */
export type CheckedValues<R extends Rules> = { readonly [K in keyof R]: R[K] extends Rule<infer V> ? V : never }

/** Reads a text: returns its value, or null if the text is invalid. `says` describes the valid texts. */
export type Reader<V> = { readonly read: (text: string) => V | null; readonly says: string }

const anyText: Reader<any> = { read: (given) => given, says: '' }

/** A text. Of a repeated key, the last one counts. */
export function text<V = string>(reader: Reader<V> = anyText): Rule<V | undefined> {
  return { required: false, read: (name, texts) => readBy(reader, name, texts.at(-1) ?? '') }
}

/** The same for a parameter that a request must have. */
export function required<V>({ read }: Rule<V | undefined>): Rule<V> {
  return { required: true, read: read as Rule<V>['read'] }
}

/** A whole number between two bounds, both inclusive. */
export function integer({
  least,
  most = Number.MAX_SAFE_INTEGER,
}: {
  readonly least: number
  readonly most?: number
}): Rule<number | undefined> {
  const read = (name: string, texts: readonly string[]): number => {
    const value = Number(readBy(wholeNumber, name, texts.at(-1) ?? ''))
    if (value < least) throw ServiceError.invalid([`${name} must not be less than ${least}`])
    if (value > most) throw ServiceError.invalid([`${name} must not be greater than ${most}`])
    return value
  }
  return { required: false, read }
}

const wholeNumber = matching(/^-?\d{1,16}$/, 'must be an integer number')

/** A non-negative integer of any size, such as an amount. */
export function amount(): Rule<bigint | undefined> {
  const read = (given: string) => (/^\d{1,78}$/.test(given) ? BigInt(given) : null)
  return text({ read, says: 'must be a whole number of at least 0' })
}

/** `true` or `false`. */
export function boolean(): Rule<boolean | undefined> {
  const read = (given: string) => (given === 'true' ? true : given === 'false' ? false : null)
  return text({ read, says: 'must be a boolean value' })
}

/** Reads one of some words. */
export function wordOf<const C extends string>(words: readonly C[]): Reader<C> {
  return {
    read: (given) => words.find((word) => word === given) ?? null,
    says: `must be one of the following values: ${words.join(', ')}`,
  }
}

/** The form of an id of the primary network, whatever its checksum. */
export const idForm = /^[1-9A-HJ-NP-Za-km-z]{32,60}$/

/** Reads texts of a form. */
export function matching(pattern: RegExp, says: string): Reader<string> {
  return { read: (given) => (pattern.test(given) ? given : null), says }
}

/** One of the given words. */
export function choice<const C extends string>(words: readonly C[]): Rule<C | undefined> {
  return text(wordOf(words))
}

/** Several of the given words, from a repeated key. */
export function repeated<const C extends string>(words: readonly C[]): Rule<readonly C[] | undefined> {
  const reader = wordOf(words)
  return { required: false, read: (name, texts) => texts.map((each) => readBy(reader, `each value in ${name}`, each)) }
}

/** A comma-separated list of at most `most` texts, each read by `reader`. */
export function commaList<V>(
  reader: Reader<V>,
  most: number = Number.MAX_SAFE_INTEGER,
): Rule<readonly V[] | undefined> {
  return { required: false, read: (name, texts) => listOf(reader, name, texts.at(-1) ?? '', most) }
}

/** Reads and checks a comma-separated list, which a body may also contain. */
export function listOf<V>(reader: Reader<V>, name: string, given: string, most: number): readonly V[] {
  const texts = given.split(',').flatMap((each) => (each.trim() === '' ? [] : [each.trim()]))
  if (texts.length === 0) throw ServiceError.invalid([`${name} should not be empty`])
  if (texts.length > most) throw ServiceError.invalid([`${name} must contain no more than ${most} elements`])
  return texts.map((each) => readBy(reader, `each value in ${name}`, each))
}

function readBy<V>({ read, says }: Reader<V>, name: string, given: string): V {
  const value = read(given)
  if (value === null) throw ServiceError.invalid([`${name} ${says}`])
  return value
}

/**
 * Checks parameters, or the parts of a path, and returns their values. `textsOf` returns every text of a name. Names without a rule are
 * ignored. Throws `ServiceError` 400 with one message for each invalid parameter.
 */
export function checked<R extends Rules>(rules: R, textsOf: (name: string) => readonly string[]): CheckedValues<R> {
  const messages: string[] = []
  const values = Object.entries(rules).map(([name, rule]) => {
    const texts = textsOf(name)
    if (texts.length === 0) {
      if (rule.required) messages.push(`${name} should not be empty`)
      return [name, undefined]
    }
    try {
      return [name, rule.read(name, texts)]
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      messages.push(...error.messages)
      return [name, undefined]
    }
  })
  if (messages.length > 0) throw ServiceError.invalid(messages)
  return Object.fromEntries(values) as CheckedValues<R>
}

/** Chains of the primary network by alias: `P`, `X` and `C`. */
export type ChainAlias = keyof typeof chainTexts

/** Reads `p-chain`, `x-chain`, `c-chain` and the ids of the simulated chains, limited to `aliases`. */
export function blockchainReader(aliases: readonly ChainAlias[]): Reader<ChainAlias> {
  const names = new Map<string, ChainAlias>(
    aliases.flatMap((alias) => [[`${alias.toLowerCase()}-chain`, alias] as const, [chainTexts[alias], alias] as const]),
  )
  return {
    read: (given) => names.get(given) ?? null,
    says: `must be one of the following values: ${[...names.keys()].join(', ')}`,
  }
}

/** The EVM chain by its number or its blockchain id. Any other number or id is well-formed but unknown. */
const evmChain: Reader<string> = {
  read: (given) => {
    if (given === chainTexts.C) return String(evmChainId)
    return /^(\d{1,20}|[1-9A-HJ-NP-Za-km-z]{40,60})$/.test(given) ? given : null
  },
  says: 'must be an EVM chain id or a blockchain id',
}

/** A 0x address, in lower case. */
export const evmAddress: Reader<string> = {
  read: (given) => (/^0x[0-9a-fA-F]{40}$/.test(given) ? given.toLowerCase() : null),
  says: 'must be an Ethereum address',
}

/** A node of the primary network: 20 bytes with a valid checksum. */
export const nodeId: Reader<string> = {
  read: (given) => {
    try {
      return nodeIdBytes(given).length === 20 ? given : null
    } catch {
      return null
    }
  },
  says: 'must be a node id',
}

/**
 * Rules of the parts of paths by name; a route can declare its own ones. `network` is passed as the request wrote it, `blockchainId` as `P`,
 * `X` or `C`, `chainId` as the decimal number of the simulated EVM chain, `address` in lower case.
 */
export const partRules = {
  network: choice(['mainnet', 'fuji', 'testnet']),
  blockchainId: text(blockchainReader(['P', 'X', 'C'])),
  chainId: text(evmChain),
  address: text(evmAddress),
  nodeId: text(nodeId),
} as const satisfies Rules
