import { restErc20Transfers } from '../schemas/rest-erc20-transfers.ts'
import { restErc721Transfers } from '../schemas/rest-erc721-transfers.ts'
import { restErc1155Transfers } from '../schemas/rest-erc1155-transfers.ts'
import { restInternalTransactions } from '../schemas/rest-internal-transactions.ts'
import { restNativeTransactions } from '../schemas/rest-native-transactions.ts'
import { required } from '../src/decode/json/fields.ts'
import type { Positions } from '../src/decode/json/positions.ts'
import { checkChain } from '../src/decode/json/token-fields.ts'
import { type ListReader, listReader } from '../src/decode/list-reader.ts'
import { p, pipeline, serviceStream, type Tables } from '../src/define/index.ts'
import { addressPath, type ServiceRoute, serviceRoute } from '../src/sources/service-routes.ts'
import { blockWindow, refusedOfTransfers, requestedBlocks, transferParameters } from './shared/block-window.ts'
import { onEvmChain } from './shared/evm-chain-id.ts'
import { evmAddresses } from './shared/evm-lists.ts'
import { lakeNetwork } from './shared/lake-network.ts'
import { parameterError } from './shared/parameter-error.ts'
import { listOf } from './shared/service-job.ts'
import { unitPages, wallets } from './shared/service-parameters.ts'
import { eventList, transferList } from './shared/transfer-lists.ts'

export const walletRoutes = {
  erc20: serviceRoute(`${addressPath}/transactions:listErc20`, 'medium', 100),
  erc721: serviceRoute(`${addressPath}/transactions:listErc721`, 'medium', 100),
  erc1155: serviceRoute(`${addressPath}/transactions:listErc1155`, 'medium', 100),
  native: serviceRoute(`${addressPath}/transactions:listNative`, 'medium', 100),
  internal: serviceRoute(`${addressPath}/transactions:listInternals`, 'medium', 100),
}

/** Transactions from and to a wallet, newest first. */
export const nativeTransactionsList = listReader({
  ...eventList,
  tables: { nativeTransactions: restNativeTransactions },
  items: 'transactions',
  complete(row, item, given) {
    checkChain(item, String(given['chain_id']))
    required(row.gas_price_raw, item, 'gasPrice')
  },
  key: ['transaction_hash'],
})

/** Calls from and to a wallet, newest first. The service does not number them. */
export const internalTransactionsList = listReader({
  ...eventList,
  tables: { internalTransactions: restInternalTransactions },
  items: 'transactions',
  complete(row, _, { positions }) {
    const { from_address, to_address, amount_raw, call_type, is_reverted, gas_used, gas_limit } = row
    const call = [from_address, to_address, amount_raw, call_type, is_reverted, gas_used, gas_limit].join(' ')
    row.position = (positions as Positions)(row.transaction_hash, call)
  },
  key: ['transaction_hash', 'position'],
})

const erc20 = { erc20Transfers: restErc20Transfers }
export const walletErc20List = transferList('transactions', erc20, 'erc20')
const erc721 = { erc721Transfers: restErc721Transfers }
export const walletErc721List = transferList('transactions', erc721, 'erc721')
const erc1155 = { erc1155Transfers: restErc1155Transfers }
export const walletErc1155List = transferList('transactions', erc1155, 'erc1155')

type Kind = { readonly route: ServiceRoute; readonly tables: Tables; readonly list: ListReader<any> }

const kinds = {
  erc20: {
    route: walletRoutes.erc20,
    tables: erc20,
    list: walletErc20List,
  },
  erc721: {
    route: walletRoutes.erc721,
    tables: erc721,
    list: walletErc721List,
  },
  erc1155: {
    route: walletRoutes.erc1155,
    tables: erc1155,
    list: walletErc1155List,
  },
  native: {
    route: walletRoutes.native,
    tables: { nativeTransactions: restNativeTransactions },
    list: nativeTransactionsList,
  },
  internal: {
    route: walletRoutes.internal,
    tables: { internalTransactions: restInternalTransactions },
    list: internalTransactionsList,
  },
} as const satisfies { readonly [name: string]: Kind }
type KindName = keyof typeof kinds
const kindNames = Object.keys(kinds) as KindName[]

const { mostItems } = walletRoutes.erc20
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
          const { route, tables, list } = kinds[name]
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
                list({ network, chain_id: chainId, address: wallet }),
                { values: [{ from_address: [wallet], to_address: [wallet] }], range: requestedBlocks(slice) },
              ),
            ),
          }
        }),
      )
    }),
})
