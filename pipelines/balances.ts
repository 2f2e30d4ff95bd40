import { restCollectibleBalances } from '../schemas/rest-collectible-balances.ts'
import { restErc721Balances } from '../schemas/rest-erc721-balances.ts'
import { restErc1155Balances } from '../schemas/rest-erc1155-balances.ts'
import { restNativeBalances } from '../schemas/rest-native-balances.ts'
import type { Wallet } from '../src/decode/service/native-balance.ts'
import {
  decodeCollectibleBalances,
  decodeErc721Balances,
  decodeErc1155Balances,
} from '../src/decode/service/token-balances.ts'
import { type DecodePage, type List, p, pipeline, serviceStream } from '../src/define/index.ts'
import { chunksOf } from '../src/lib/chunks.ts'
import { type ServiceRoute, serviceRoutes } from '../src/sources/service-routes.ts'
import { evmAddresses, observedTogether, subjectName } from './shared/evm-lists.ts'
import { lakeNetwork } from './shared/lake-network.ts'
import { parameterError } from './shared/parameter-error.ts'
import { listOf } from './shared/service-job.ts'
import { chainId, contractAddress, network, pageSize, unitPages, wallets } from './shared/service-parameters.ts'

const listNames = ['erc1155', 'erc721', 'collectibles'] as const
type ListName = (typeof listNames)[number]

const routes: Readonly<Record<ListName, { route: ServiceRoute; decoder: (wallet: Wallet) => DecodePage }>> = {
  erc1155: { route: serviceRoutes.erc1155Balances, decoder: decodeErc1155Balances },
  erc721: { route: serviceRoutes.erc721Balances, decoder: decodeErc721Balances },
  collectibles: { route: serviceRoutes.collectibleBalances, decoder: decodeCollectibleBalances },
}

export const balancesPipeline = pipeline({
  name: 'balances',
  comment: 'ERC-1155, ERC-721 and native balances of wallets, from the REST service.',
  parameters: {
    network,
    'chain-id': chainId,
    wallets,
    lists: p.list('Lists to read (default: all).', { choices: listNames }),
    'contract-address': contractAddress,
    'block-number': p.whole('Block of the ERC-1155 balances (default: the newest).'),
    'page-size': pageSize(500),
    'unit-pages': unitPages,
  },
  tables: {
    erc1155Balances: restErc1155Balances,
    erc721Balances: restErc721Balances,
    collectibleBalances: restCollectibleBalances,
    nativeBalances: restNativeBalances,
  },
  reads: 'service',
  walks: ['scan'],
  streams: (values) => {
    const network = lakeNetwork(values.network)
    const { 'chain-id': chainId, 'block-number': blockNumber, 'page-size': pageSize } = values
    const names = listNames.filter((name) => values.lists?.includes(name) ?? true)
    if (names.length === 0)
      throw parameterError('The job reads no list of balances: lists is empty.', 'Name one, or leave lists out.')
    if (blockNumber !== undefined && !names.includes('erc1155'))
      throw parameterError(
        'block-number is for ERC-1155 balances, which the job does not read.',
        'Add erc1155 to lists, or leave block-number out.',
      )
    const contract = values['contract-address']?.toLowerCase()
    const filters = {
      lists: names.length === listNames.length ? undefined : names.join(','),
      'contract-address': contract,
      'block-number': blockNumber,
    }
    const balances = (name: ListName, wallet: Wallet): List => {
      const { route, decoder } = routes[name]
      const query = {
        contractAddress: contract,
        blockNumber: name === 'erc1155' ? blockNumber : undefined,
        pageSize: pageSize ?? route.mostItems ?? undefined,
      }
      return listOf(route, { chainId, address: wallet.address }, query, decoder(wallet), {
        values: [{ owner: [wallet.address] }, ...(contract === undefined ? [] : [{ token_address: [contract] }])],
      })
    }
    return chunksOf(evmAddresses(values.wallets), observedTogether).map((wallets) => ({
      stream: serviceStream(network, `balances/${chainId}`, { wallets, ...filters }),
      walk: {
        kind: 'scan',
        subjects: wallets.map((address) => {
          const name = subjectName(`${chainId}/${address}`, filters)
          return { name, lists: names.map((list) => balances(list, { network, chainId, address, subject: name })) }
        }),
      },
    }))
  },
})
