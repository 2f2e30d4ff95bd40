import type { DecodePage, ReadingContext, Tables } from '../../define/index.ts'
import { OtherSourceError } from '../../errors.ts'
import { answerObject, contradiction, finish, objects, optionalObject, type Reading } from '../json/fields.ts'
import { nextPageToken, optionalText, seconds } from '../json/value-fields.ts'
import { type ListDeclaration, listReader } from '../list-reader.ts'

/** Lists of a chain of the primary network. Their answers may state the chain (specification 2.1). */

/** The chain that a list requests. `network` is spelled as in the path of the request. */
export type RequestedChain = { readonly network: string; readonly chain: 'P' | 'X' | 'C' }

/** The chain of a list. Rows need network and blockchain id, which answers do not state. `requested` is the chain that answers must be of. */
export type ListedChain = {
  readonly network: string
  readonly blockchainId: string
  readonly requested: RequestedChain
}

/** Makes the decoder of a list of a chain. `more` are values of columns that only the request has. */
export function chainList<T extends Tables>(list: Omit<ListDeclaration<T>, 'ofAnswer'>) {
  const read = listReader<T>({
    ...list,
    ofAnswer: (answer, { requested }) => ({
      given: { chain_name: statedChainName(answer, requested as RequestedChain) },
    }),
  })
  return ({ network, blockchainId, requested }: ListedChain, more: object = {}): DecodePage<T> =>
    read({ network, blockchain_id: blockchainId, requested, ...more })
}

const chainNames = { P: 'p-chain', X: 'x-chain', C: 'c-chain' } as const

/**
 * Returns the name of the chain in the field `chainInfo`; null if the service does not state it. Throws `OtherSourceError` if the field
 * states another network or chain than the requested one. An unknown name of a chain is accepted.
 */
export function statedChainName(at: Reading, requested: RequestedChain): string | null {
  return optionalObject(at, 'chainInfo', (info) => {
    const network = optionalText(info, 'network')
    const chain = optionalText(info, 'chainName')
    const otherNetwork = (network ?? '') !== '' && sameName(network ?? '') !== sameName(requested.network)
    const otherChain = Object.entries(chainNames).some(
      ([alias, name]) => alias !== requested.chain && name === chain?.toLowerCase(),
    )
    if (otherNetwork || otherChain) throw otherAnswer(requested, network, chain)
    return chain
  })
}

/** `testnet` is another name of `fuji` (specification part 1). */
function sameName(network: string): string {
  const name = network.toLowerCase()
  return name === 'testnet' ? 'fuji' : name
}

function otherAnswer({ network, chain }: RequestedChain, ofNetwork: string | null, ofChain: string | null) {
  return new OtherSourceError('The service answers for another network or chain than the requested one.', {
    details: { 'asked for': `${network} ${chainNames[chain]}`, answered: `${ofNetwork ?? '?'} ${ofChain ?? '?'}` },
    hint: 'Nothing of this unit was written. Check the URL of the service and what its profile calls the network (networks: …).',
  })
}

/** Throws `DecodeError` if the number of transactions in a block or vertex differs from the stated count. */
export function checkTransactions({ tx_count, tx_ids }: { tx_count: number; tx_ids: string[] }, at: Reading): void {
  if (tx_ids.length !== tx_count) throw contradiction(at, 'txCount', tx_count, 'transactions', tx_ids)
}

/** For answers that give no rows. Unknown fields are reported elsewhere. */
export const withoutRows: ReadingContext = {
  observationId: '',
  observedAt: 0n,
  unknownField: () => {},
  memory: new Map(),
}

/** Returns the result of `read` for the newest item of an answer; null if the list is empty. */
export function newestOf<V>(
  answer: unknown,
  list: string,
  requested: RequestedChain | null,
  read: (at: Reading) => V,
): V | null {
  const at = answerObject(answer, 'answer', withoutRows)
  if (requested !== null) statedChainName(at, requested)
  const [newest] = objects(at, list, read)
  nextPageToken(at)
  finish(at)
  return newest ?? null
}

/** Returns the Unix seconds of the newest transaction of a page, for any chain of the primary network; null if there is none. */
export function newestTransactionTime(requested: RequestedChain) {
  return (answer: unknown): number | null =>
    newestOf(answer, 'transactions', requested, (at) => seconds(at, 'blockTimestamp', 'timestamp'))
}
