import { restErc20Transfers } from '../schemas/rest-erc20-transfers.ts'
import { restErc721Transfers } from '../schemas/rest-erc721-transfers.ts'
import { restErc1155Transfers } from '../schemas/rest-erc1155-transfers.ts'
import { restInternalTransactions } from '../schemas/rest-internal-transactions.ts'
import { restNativeTransactions } from '../schemas/rest-native-transactions.ts'
import {
  decodeWalletErc721Transfers,
  decodeWalletErc1155Transfers,
  decodeWalletTransfers,
} from '../src/decode/service/transfers/erc-transfers.ts'
import { decodeInternalTransactions, type InternalsOf } from '../src/decode/service/transfers/internal-transactions.ts'
import { decodeNativeTransactions } from '../src/decode/service/transfers/native-transactions.ts'
import { type DecodePage, p, pipeline, serviceStream, type Tables } from '../src/define/index.ts'
import { type ServiceRoute, serviceRoutes } from '../src/sources/service-routes.ts'
import { blockWindow, refusedOfTransfers, requestedBlocks, transferParameters } from './shared/block-window.ts'
import { onEvmChain } from './shared/evm-chain-id.ts'
import { evmAddresses } from './shared/evm-lists.ts'
import { lakeNetwork } from './shared/lake-network.ts'
import { parameterError } from './shared/parameter-error.ts'
import { listOf } from './shared/service-job.ts'
import { unitPages, wallets } from './shared/service-parameters.ts'

type Kind = {
  readonly route: ServiceRoute
  readonly tables: Tables
  readonly decoder: (wallet: InternalsOf) => DecodePage
}

const kinds = {
  erc20: {
    route: serviceRoutes.walletTransfers,
    tables: { erc20Transfers: restErc20Transfers },
    decoder: decodeWalletTransfers,
  },
  erc721: {
    route: serviceRoutes.walletErc721Transfers,
    tables: { erc721Transfers: restErc721Transfers },
    decoder: decodeWalletErc721Transfers,
  },
  erc1155: {
    route: serviceRoutes.walletErc1155Transfers,
    tables: { erc1155Transfers: restErc1155Transfers },
    decoder: decodeWalletErc1155Transfers,
  },
  native: {
    route: serviceRoutes.walletNativeTransactions,
    tables: { nativeTransactions: restNativeTransactions },
    decoder: decodeNativeTransactions,
  },
  internal: {
    route: serviceRoutes.walletInternalTransactions,
    tables: { internalTransactions: restInternalTransactions },
    decoder: decodeInternalTransactions,
  },
} as const satisfies { readonly [name: string]: Kind }
type KindName = keyof typeof kinds
const kindNames = Object.keys(kinds) as KindName[]

const mostItems = serviceRoutes.walletTransfers.mostItems
export const walletTransfersPipeline = pipeline({
  name: 'wallet-transfers',
  comment:
    'ERC-20, ERC-721 and ERC-1155 transfers, transactions and internal transactions of wallets, from the REST service.',
  parameters: {
    ...transferParameters,
    wallets,
    kinds: p.list('What to read (default: erc20). Each kind is a list of its own.', { choices: kindNames }),
    'unit-pages': unitPages,
  },
  tables: Object.assign({}, ...Object.values(kinds).map(({ tables }) => tables)) as Tables,
  refused: refusedOfTransfers,
  reads: 'service',
  walks: ['blockWindow'],
  streams: (given, facts) =>
    onEvmChain(given, facts, (values) => {
      const network = lakeNetwork(values.network)
      const { 'chain-id': chainId, 'page-size': pageSize = mostItems } = values
      const names = kindNames.filter((name) => (values.kinds ?? ['erc20']).includes(name))
      if (names.length === 0)
        throw parameterError('The job reads no kind of transfers: kinds is empty.', 'Name one, or leave kinds out.')
      const addresses = evmAddresses(values.wallets)
      // By kind: small neighbouring streams that fill the same tables share commits.
      return names.flatMap((name) =>
        addresses.map((wallet) => {
          const { route, tables, decoder } = kinds[name]
          return {
            stream: serviceStream(
              network,
              'wallet-transfers',
              { wallet, kind: name === 'erc20' ? undefined : name },
              chainId,
            ),
            tables,
            walk: blockWindow<any>(values, (slice) =>
              listOf(
                route,
                { chainId, address: wallet },
                { startBlock: slice.from, endBlock: slice.to, pageSize },
                decoder({ network, chainId, address: wallet }),
                { values: [{ from_address: [wallet], to_address: [wallet] }], range: requestedBlocks(slice) },
              ),
            ),
          }
        }),
      )
    }),
})
