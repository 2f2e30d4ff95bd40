import type { RestEvmChain, restEvmChains } from '../../../schemas/rest-evm-chains.ts'
import type { Page, ReadingContext } from '../../define/index.ts'
import {
  answerObject,
  finish,
  nextPageToken,
  objects,
  optionalFlag,
  optionalObject,
  optionalText,
  type Reading,
} from '../json/fields.ts'
import { optionalCount } from '../json/number-fields.ts'
import { optionalAddress, optionalId, optionalWord, optionalWords, word } from '../json/text-fields.ts'
import { withoutRows } from './list-page.ts'

/**
 * Reads the EVM chains of the service (`GET /v1/chains`): one answer holds all. `subject` is the name of the list in the table
 * observations.
 */
export function decodeEvmChains(network: string, subject: string) {
  return (answer: unknown, context: ReadingContext): Page<{ chains: typeof restEvmChains }> => {
    const at = answerObject(answer, 'answer', context)
    const chains = objects(at, 'chains', (chain) => chainRow(chain, network, subject))
    const next = nextPageToken(at)
    finish(at)
    return { rows: { chains }, items: chains.map(({ chain_id }) => ({ key: chain_id, time: null })), next }
  }
}

/** The chain ids of the EVM chains of the service by blockchain id, from the same answer. */
export function evmChainIds(answer: unknown): ReadonlyMap<string, string> {
  const at = answerObject(answer, 'answer', withoutRows)
  const chains = objects(
    at,
    'chains',
    (chain) => [optionalId(chain, 'platformChainId'), word(chain, 'chainId')] as const,
  )
  return new Map(chains.flatMap(([id, chainId]) => (id === null ? [] : [[id, chainId] as const])))
}

function chainRow(at: Reading, network: string, subject: string): RestEvmChain {
  return {
    network,
    chain_id: word(at, 'chainId'),
    subject,
    observation_id: at.context.observationId,
    observed_at: at.context.observedAt,
    chain_name: optionalText(at, 'chainName'),
    chain_status: optionalWord(at, 'status'),
    description: optionalText(at, 'description'),
    blockchain_id: optionalId(at, 'platformChainId'),
    subnet_id: optionalId(at, 'subnetId'),
    vm_id: optionalWord(at, 'vmId'),
    vm_name: optionalWord(at, 'vmName'),
    explorer_url: optionalText(at, 'explorerUrl'),
    rpc_url: optionalText(at, 'rpcUrl'),
    ws_url: optionalText(at, 'wsUrl'),
    is_testnet: optionalFlag(at, 'isTestnet'),
    utility_addresses: optionalObject(at, 'utilityAddresses', readUtilityAddresses),
    network_token: optionalObject(at, 'networkToken', readNetworkToken),
    chain_logo_uri: optionalText(at, 'chainLogoUri'),
    is_private: optionalFlag(at, 'private'),
    enabled_features: optionalWords(at, 'enabledFeatures'),
  }
}

function readUtilityAddresses(at: Reading) {
  return { multicall: optionalAddress(at, 'multicall') }
}

function readNetworkToken(at: Reading) {
  return {
    name: optionalText(at, 'name'),
    symbol: optionalText(at, 'symbol'),
    decimals: optionalCount(at, 'decimals'),
    logo_uri: optionalText(at, 'logoUri'),
    description: optionalText(at, 'description'),
  }
}
