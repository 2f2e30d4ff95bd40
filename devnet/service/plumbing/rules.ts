import { nodeIdBytes } from '../../../codec/ids.ts'
import { evmChainId } from '../../c/state.ts'
import { chainTexts } from '../../network/genesis.ts'
import { ServiceError } from './error.ts'

/** The allowed values of a parameter. `read` gets every value of a repeated key and throws a `BrokenRule`. */
type Rule<V = any> = {
  readonly required: boolean
  readonly read: (name: string, texts: readonly string[]) => V
}

export type Rules = { readonly [name: string]: Rule }

/** The checked values. Parameters that are missing and have no default are undefined. */
export type CheckedValues<R extends Rules> = { readonly [K in keyof R]: R[K] extends Rule<infer V> ? V : never }

/** An invalid parameter, with the message of the real service's validator. */
class BrokenRule extends Error {}

type Presence = { readonly required?: boolean }

function single<V>(read: (name: string, text: string) => V, { required = false }: Presence): Rule<V> {
  return { required, read: (name, texts) => read(name, texts.at(-1) ?? '') }
}

/** A whole number between two bounds, both inclusive. */
export function integer(bounds: { readonly least: number; readonly most?: number }): Rule<number | undefined>
export function integer(bounds: {
  readonly least: number
  readonly most?: number
  readonly required: true
}): Rule<number>
export function integer({
  least,
  most = Number.MAX_SAFE_INTEGER,
  required = false,
}: { readonly least: number; readonly most?: number } & Presence): Rule<number> {
  return single(
    (name, text) => {
      if (!/^-?\d{1,16}$/.test(text)) throw new BrokenRule(`${name} must be an integer number`)
      const value = Number(text)
      if (value < least) throw new BrokenRule(`${name} must not be less than ${least}`)
      if (value > most) throw new BrokenRule(`${name} must not be greater than ${most}`)
      return value
    },
    { required },
  )
}

/** A non-negative integer of any size, such as an amount. */
export function amount(): Rule<bigint | undefined>
export function amount(presence: { readonly required: true }): Rule<bigint>
export function amount(presence: Presence = {}): Rule<bigint> {
  return single((name, text) => {
    if (!/^\d{1,78}$/.test(text)) throw new BrokenRule(`${name} must be a whole number of at least 0`)
    return BigInt(text)
  }, presence)
}

/** `true` or `false`. */
export function boolean(): Rule<boolean | undefined> {
  return single((name, text) => {
    if (text !== 'true' && text !== 'false') throw new BrokenRule(`${name} must be a boolean value`)
    return text === 'true'
  }, {})
}

/** One of the given words. */
export function choice<const C extends string>(words: readonly C[]): Rule<C | undefined> {
  return single((name, text) => oneOf(name, text, words), {})
}

/** Several of the given words, from a repeated key. */
export function repeated<const C extends string>(words: readonly C[]): Rule<readonly C[] | undefined> {
  return { required: false, read: (name, texts) => texts.map((text) => oneOf(`each value in ${name}`, text, words)) }
}

function oneOf<C extends string>(name: string, text: string, words: readonly C[]): C {
  const word = words.find((each) => each === text)
  if (word === undefined) throw new BrokenRule(`${name} must be one of the following values: ${words.join(', ')}`)
  return word
}

/** Reads a text: returns its value, or null if the text is invalid. `says` describes the valid texts. */
export type Reader<V> = { readonly read: (text: string) => V | null; readonly says: string }

/** A text, read by `reader` if one is given. */
export function text(): Rule<string | undefined>
export function text<V>(reader: Reader<V>): Rule<V | undefined>
export function text<V>(reader: Reader<V>, presence: { readonly required: true }): Rule<V>
export function text<V>(reader: Reader<V> | null = null, presence: Presence = {}): Rule<V | string> {
  return single<V | string>((name, given) => (reader === null ? given : readBy(reader, name, given)), presence)
}

/** A comma-separated list of at most `most` texts, each read by `reader`. */
export function commaList<V>(
  reader: Reader<V>,
  most: number = Number.MAX_SAFE_INTEGER,
): Rule<readonly V[] | undefined> {
  return single((name, given) => listOf(reader, name, given, most), {})
}

/** Reads and checks a comma-separated list, which a body may also contain. Throws `BrokenRule`. */
export function listOf<V>(reader: Reader<V>, name: string, given: string, most: number): readonly V[] {
  const texts = given.split(',').flatMap((each) => (each.trim() === '' ? [] : [each.trim()]))
  if (texts.length === 0) throw new BrokenRule(`${name} should not be empty`)
  if (texts.length > most) throw new BrokenRule(`${name} must contain no more than ${most} elements`)
  return texts.map((each) => readBy(reader, `each value in ${name}`, each))
}

function readBy<V>({ read, says }: Reader<V>, name: string, given: string): V {
  const value = read(given)
  if (value === null) throw new BrokenRule(`${name} ${says}`)
  return value
}

/**
 * Checks parameters and returns their values. Names without a rule are ignored. Throws `ServiceError` 400 with one message for each invalid
 * parameter.
 */
export function checkQuery<R extends Rules>(rules: R, query: URLSearchParams): CheckedValues<R> {
  return check(rules, (name) => query.getAll(name))
}

/** The same for parts of a path. */
export function checkParts<R extends Rules>(rules: R, parts: Readonly<Record<string, string>>): CheckedValues<R> {
  return check(rules, (name) => (parts[name] === undefined ? [] : [parts[name]]))
}

/** Reads a value from a body with the function of a rule. Throws `ServiceError` 400. */
export function checked<V>(read: () => V): V {
  try {
    return read()
  } catch (error) {
    if (error instanceof BrokenRule) throw ServiceError.invalid([error.message])
    throw error
  }
}

function check<R extends Rules>(rules: R, textsOf: (name: string) => readonly string[]): CheckedValues<R> {
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
      if (!(error instanceof BrokenRule)) throw error
      messages.push(error.message)
      return [name, undefined]
    }
  })
  if (messages.length > 0) throw ServiceError.invalid(messages)
  return Object.fromEntries(values) as CheckedValues<R>
}

/** Rules of the parts of paths, by name. A route can declare its own rules. */

const networks = ['mainnet', 'fuji', 'testnet']
const network: Reader<string> = {
  read: (given) => (networks.includes(given) ? given : null),
  says: `must be one of the following values: ${networks.join(', ')}`,
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
 * Rules of the parts by name. `network` is passed as the request wrote it, `blockchainId` as `P`, `X` or `C`, `chainId` as the decimal
 * number of the simulated EVM chain, `address` in lower case.
 */
export const partRules = {
  network: text(network, { required: true }),
  blockchainId: text(blockchainReader(['P', 'X', 'C']), { required: true }),
  chainId: text(evmChain, { required: true }),
  address: text(evmAddress, { required: true }),
  nodeId: text(nodeId, { required: true }),
} as const satisfies Rules
