import { OtherSourceError } from '../../errors.ts'
import { optionalObject, optionalText, type Reading } from '../json/fields.ts'

/** The chain that a list of the primary network requests. `network` is spelled as in the path of the request. */
export type RequestedChain = { readonly network: string; readonly chain: 'P' | 'X' | 'C' }

const chainNames = { P: 'p-chain', X: 'x-chain', C: 'c-chain' } as const

/**
 * Returns the name of the chain in the field `chainInfo` (specification 2.1); null if the service does not state it. Throws
 * `OtherSourceError` if the field states another network or chain than the requested one. An unknown name of a chain is accepted.
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
