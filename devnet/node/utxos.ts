import { bech32 } from '@scure/base'
import { addressText, decodeBase58, decodeCb58 } from '../../codec/ids.ts'
import type { XCodec } from '../../codec/x.ts'
import {
  bytesOnly,
  encodedBytes,
  encodingOf,
  MethodError,
  type Parameters,
  partsOf,
  type RpcMethod,
  textOf,
  textsOf,
  uint64Of,
} from '../http/json-rpc.ts'
import { chainTexts, hrp, zeroIdText } from '../network/genesis.ts'
import type { ChainAlias } from '../network/state.ts'
import { exportedTo, unspentOf } from '../service/primary/ledger/book.ts'
import type { PrimaryLedger } from '../service/primary/ledger/ledger.ts'
import type { Utxo } from '../service/primary/ledger/model.ts'
import { utxoPayload } from '../service/primary/routes/utxos.ts'
import { onChain } from './json.ts'

const mostAddresses = 1_024
const mostUtxos = 1_024

/** A chain of the asset VM other than the X-Chain: the prefix of its addresses, and the codec of its UTXOs. */
type OtherChain = { readonly name: string; readonly codec: XCodec | null }

/**
 * UTXOs by address (specification 4.1, 4.2): those of the chain, or with `sourceChain` those that the source chain has exported to it. The
 * C-Chain has no UTXOs of its own.
 */
export function utxoMethods(
  ledger: PrimaryLedger,
  chain: ChainAlias,
  { name, codec }: OtherChain = { name: chain, codec: null },
): Readonly<Record<'getUTXOs', RpcMethod>> {
  return {
    getUTXOs: async (parameters) => {
      const encoding = encodingOf(parameters)
      const source = sourceOf(chain, parameters)
      const wanted = wantedOf(chain, name, parameters)
      const state = await ledger.state()
      const { utxos, end } =
        source === chain
          ? ownPage((address) => unspentOf(state, chain, address), wanted)
          : atomicPage((address) => exportedTo(state, source, chain, address), wanted)
      const texts = utxos.map((utxo) => `"${encodedUtxo(utxo, encoding, codec)}"`)
      const endIndex = JSON.stringify(end === null ? {} : shownIndex(name, end))
      return [`{"numFetched":"${utxos.length}","utxos":[${texts}],"endIndex":${endIndex},"encoding":"${encoding}"}`]
    },
  }
}

/** Bytes of a UTXO. Throws the error of the node for a UTXO that cannot be encoded. */
function encodedUtxo(utxo: Utxo, encoding: ReturnType<typeof encodingOf>, codec: XCodec | null): string {
  if (encoding === 'json')
    throw new MethodError(`couldn't encode UTXO ${utxo.id} as string: unsupported encoding in method`)
  return encodedBytes(utxoPayload(utxo, codec), bytesOnly(encoding))
}

function sourceOf(chain: ChainAlias, parameters: Parameters): ChainAlias {
  const given = textOf(parameters, 'sourcechain')
  if (given === '') {
    if (chain === 'C') throw new MethodError('no source chain provided')
    return chain
  }
  const source = chainNamed(given)
  if (source !== null) return source
  throw new MethodError(`problem parsing source chainID ${JSON.stringify(given)}: there is no ID with alias: ${given}`)
}

function wantedOf(chain: ChainAlias, name: string, parameters: Parameters): PageWanted {
  const given = textsOf(parameters, 'addresses')
  if (given.length === 0) throw new MethodError('no addresses provided')
  if (given.length > mostAddresses) {
    throw new MethodError(`number of addresses given, ${given.length}, exceeds maximum, ${mostAddresses}`)
  }
  const limit = uint64Of(parameters, 'limit')
  return {
    addresses: inOrder(given.map((text) => readAddress(chain, text, name))),
    start: startOf(chain, name, partsOf(parameters, 'startindex')),
    limit: limit === 0n || limit > BigInt(mostUtxos) ? mostUtxos : Number(limit),
  }
}

function startOf(chain: ChainAlias, name: string, parts: Parameters): PageIndex | null {
  const [address, utxo] = [textOf(parts, 'address'), textOf(parts, 'utxo')]
  if (address === '' && utxo === '') return null
  const start = startAddress(chain, name, address)
  const mistake = idMistake(utxo)
  if (mistake !== null) throw new MethodError(`couldn't parse start index utxo: ${mistake}`)
  return { address: start, utxo }
}

function startAddress(chain: ChainAlias, name: string, text: string): LocalAddress {
  try {
    return readAddress(chain, text, name)
  } catch (error) {
    if (!(error instanceof MethodError)) throw error
    throw new MethodError(`couldn't parse start index address ${JSON.stringify(text)}: ${error.message}`)
  }
}

function shownIndex(name: string, { address, utxo }: PageIndex): object {
  return { address: onChain(name, address.text), utxo }
}

/** Where a page ends and the next one begins: an address and one of its UTXOs. */
type PageIndex = { readonly address: LocalAddress; readonly utxo: string }

type UtxoPage = { readonly utxos: readonly Utxo[]; readonly end: PageIndex | null }

type PageWanted = {
  /** Sorted by their bytes. */
  readonly addresses: readonly LocalAddress[]
  readonly start: PageIndex | null
  readonly limit: number
}

/** The UTXOs of an address, newest first. */
type Listing = (address: string) => readonly Utxo[]

/** An id that no UTXO has: the end of a page without UTXOs. */
const noUtxo = zeroIdText

/**
 * A page of the chain's own UTXOs. It begins after the UTXO `start`, or with the newest one if `start` has been spent meanwhile. A UTXO of
 * two addresses is listed once per page, and may be listed again on the next page.
 */
function ownPage(listing: Listing, { addresses, start, limit }: PageWanted): UtxoPage {
  const seen = new Set<Utxo>()
  let end: PageIndex | null = start
  for (const address of fromStart(addresses, start)) {
    const first = start?.address.hex === address.hex ? start.utxo : null
    end = { address, utxo: first ?? end?.utxo ?? noUtxo }
    const list = listing(address.text)
    const at = first === null ? -1 : list.findIndex(({ id }) => id === first)
    for (const utxo of list.slice(at + 1, at + 1 + limit)) {
      end = { address, utxo: utxo.id }
      seen.add(utxo)
      if (seen.size === limit) return { utxos: [...seen], end }
    }
  }
  return { utxos: [...seen], end }
}

/** A page of UTXOs that another chain has exported. As in a node's shared memory, the page includes the UTXO at which it starts. */
function atomicPage(listing: Listing, { addresses, start, limit }: PageWanted): UtxoPage {
  const seen = new Set<Utxo>()
  let end: PageIndex | null = start
  for (const address of fromStart(addresses, start)) {
    const first = start?.address.hex === address.hex ? start.utxo : null
    end = { address, utxo: first ?? noUtxo }
    const list = listing(address.text)
    const at = first === null ? 0 : list.findIndex(({ id }) => id === first)
    for (const utxo of list.slice(Math.max(0, at))) {
      end = { address, utxo: utxo.id }
      seen.add(utxo)
      if (seen.size === limit) return { utxos: [...seen], end }
    }
  }
  return { utxos: [...seen], end }
}

function fromStart(addresses: readonly LocalAddress[], start: PageIndex | null): readonly LocalAddress[] {
  return start === null ? addresses : addresses.filter(({ hex }) => hex >= start.address.hex)
}

/**
 * An address of the network: its bech32 text without chain prefix, and its bytes as hex, which determine the order of addresses in a node.
 */
type LocalAddress = { readonly text: string; readonly hex: string }

/** Reads an address with a chain prefix. `name`: name of the chain if it differs from the alias. Throws the error of the node. */
export function readAddress(chain: ChainAlias, given: string, name: string = chain): LocalAddress {
  const refuse = (why: string): never => {
    throw new MethodError(`couldn't parse address ${JSON.stringify(given)}: ${why}`)
  }
  const dash = given.indexOf('-')
  if (dash < 0) return refuse('no separator found in address')
  const [prefix, text] = [given.slice(0, dash), given.slice(dash + 1)]
  const { mistake, decoded } = readBech32(text)
  if (decoded === null) return refuse(mistake)
  const named = prefix === name ? chain : chainNamed(prefix)
  if (named === null) return refuse(`there is no ID with alias: ${prefix}`)
  if (named !== chain) {
    return refuse(`mismatched chainIDs: expected ${JSON.stringify(chainTexts[chain])} but got ${chainTexts[named]}`)
  }
  if (decoded.prefix !== hrp)
    return refuse(`expected hrp ${JSON.stringify(hrp)} but got ${JSON.stringify(decoded.prefix)}`)
  return { text: addressText(hrp, decoded.bytes), hex: Buffer.from(decoded.bytes).toString('hex') }
}

/** Removes duplicate addresses and sorts them by their bytes. */
export function inOrder(addresses: readonly LocalAddress[]): LocalAddress[] {
  const unique = new Map(addresses.map((address) => [address.hex, address]))
  return [...unique.values()].sort((a, b) => (a.hex < b.hex ? -1 : 1))
}

/** The chain of an alias or an id. */
function chainNamed(text: string): ChainAlias | null {
  const found = Object.entries(chainTexts).find(([alias, id]) => alias === text || id === text)
  return found === undefined ? null : (found[0] as ChainAlias)
}

const leastAfterSeparator = 6

function readBech32(text: string) {
  const at = text.lastIndexOf('1')
  if (at < 1 || at + leastAfterSeparator >= text.length)
    return { mistake: `invalid separator index ${at}`, decoded: null }
  try {
    const decoded = bech32.decodeToBytes(text)
    return { mistake: 'invalid length', decoded: decoded.bytes.length === 20 ? decoded : null }
  } catch {
    return { mistake: 'invalid checksum', decoded: null }
  }
}

/** The value that a node shows for a sum above 64 bits. */
const most = 2n ** 64n - 1n

/** Adds an amount to the sum of an asset. As in a node, the sum stops at the largest 64-bit number. */
export function addTo(sums: Map<string, bigint>, asset: string, amount: bigint): void {
  const sum = (sums.get(asset) ?? 0n) + amount
  sums.set(asset, sum > most ? most : sum)
}

const checksumBytes = 4
const idBytes = 32

/** The node's error for a text that is not an id; null for a valid id. */
export function idMistake(text: string): string | null {
  const checked = decodeBase58(text)
  if (checked === null) return 'base58 decoding error: invalid base58 digit'
  if (checked.length < checksumBytes) return 'input string is smaller than the checksum size'
  try {
    const { length } = decodeCb58(text)
    return length === idBytes ? null : `expected ${idBytes} bytes but got ${length}`
  } catch {
    return 'invalid input checksum'
  }
}
