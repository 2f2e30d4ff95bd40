import { answerObject, objects } from '../../src/decode/json/fields.ts'
import { optionalId, word } from '../../src/decode/json/value-fields.ts'
import { withoutRows } from '../../src/decode/service/chain-lists.ts'
import type { Facts } from '../../src/define/index.ts'
import { ConfigError } from '../../src/errors.ts'
import { evmChainIdOf } from '../../src/sources/known-networks.ts'
import { requestOf, serviceRoutes } from '../../src/sources/service-routes.ts'
import { lakeNetwork } from './lake-network.ts'
import { idPattern } from './service-parameters.ts'

type OnChain = { readonly network: string; readonly 'chain-id': string }

/**
 * Declares streams over an EVM chain of the service under one name of the chain: a blockchain id becomes the chain id, which the service
 * states, so that no row is stored under both. Throws `ConfigError` if the service lists no EVM chain with that blockchain id.
 */
export function onEvmChain<V extends OnChain, T>(values: V, facts: Facts, declare: (values: V) => T): T | Promise<T> {
  const { network, 'chain-id': name } = values
  if (!new RegExp(`^${idPattern}$`).test(name)) return declare(values)
  return chainIdOf(lakeNetwork(network), name, facts).then((chainId) => declare({ ...values, 'chain-id': chainId }))
}

async function chainIdOf(network: string, blockchainId: string, { service, askService }: Facts): Promise<string> {
  const known = evmChainIdOf(blockchainId)
  if (known !== null) return String(known)
  const request = requestOf(serviceRoutes.chains, {}, { network: service.networkInPath(network) })
  const found = (await askService(request, evmChainIds)).get(blockchainId)
  if (found !== undefined) return found
  throw new ConfigError(`The service lists no EVM chain with the blockchain id ${blockchainId}.`, {
    code: 'config.blockchain',
    hint: 'Give the EVM chain id as chain-id, such as 43114. The job rest-chains stores the chains that the service lists.',
  })
}

/** The chain ids of the EVM chains of the service by blockchain id. */
function evmChainIds(answer: unknown): ReadonlyMap<string, string> {
  const ids = new Map<string, string>()
  objects(answerObject(answer, 'answer', withoutRows), 'chains', (chain) => {
    const blockchainId = optionalId(chain, 'platformChainId')
    if (blockchainId !== null) ids.set(blockchainId, word(chain, 'chainId'))
  })
  return ids
}
