import type { XCodec } from '../../../codec/x.ts'
import { bytesOnly, encodedBytes } from '../../http/encoding.ts'
import type { RpcMethod } from '../../http/json-rpc.ts'
import { encodingOf, MethodError, type Parameters, partsOf, textOf, textsOf, uint64Of } from '../../http/parameters.ts'
import type { ChainAlias } from '../../network/shared-memory.ts'
import type { PrimaryLedger } from '../../service/primary/ledger/ledger.ts'
import type { Utxo } from '../../service/primary/ledger/model.ts'
import { utxoPayload } from '../../service/primary/shapes/utxo-bytes.ts'
import { exportedTo, unspentOf } from '../../service/primary/unspent.ts'
import { idMistake } from '../shared/ids.ts'
import { onChain } from '../shared/owner-json.ts'
import { chainNamed, inOrder, type LocalAddress, readAddress } from './addresses.ts'
import { atomicPage, ownPage, type PageIndex, type PageWanted } from './pages.ts'

export const mostAddresses = 1_024
const mostUtxos = 1_024

/** A chain of the asset VM other than the X-Chain: the prefix of its addresses, and the codec of its UTXOs. */
export type OtherChain = { readonly name: string; readonly codec: XCodec | null }

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
