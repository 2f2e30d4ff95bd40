import {
  restErc20Transfers,
  restErc721Transfers,
  restErc1155Transfers,
  restInternalTransactions,
  restNativeTransactions,
} from '../schemas/rest-tokens.ts'
import { required } from '../src/decode/json/fields.ts'
import { type ListReader, listReader } from '../src/decode/list-reader.ts'
import { p, pipeline, serviceStream, type Tables } from '../src/define/index.ts'
import { addressPath, serviceRoute } from '../src/sources/service-routes.ts'
import { evmAddresses, parameterError, wallets } from './shared/parameters.ts'
import {
  blockWindow,
  checkChain,
  eventList,
  listOf,
  onEvmChain,
  type Positions,
  refusedOfTransfers,
  requestedBlocks,
  transferList,
  transferParameters,
} from './shared/service.ts'

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

function kind(method: string, tables: Tables, list: ListReader<any>) {
  return { route: serviceRoute(`${addressPath}/transactions:${method}`, 'medium', 100), tables, list }
}

const kinds = {
  erc20: kind('listErc20', erc20, walletErc20List),
  erc721: kind('listErc721', erc721, walletErc721List),
  erc1155: kind('listErc1155', erc1155, walletErc1155List),
  native: kind('listNative', { nativeTransactions: restNativeTransactions }, nativeTransactionsList),
  internal: kind('listInternals', { internalTransactions: restInternalTransactions }, internalTransactionsList),
}
type KindName = keyof typeof kinds
const kindNames = Object.keys(kinds) as KindName[]

/** The routes of the kinds. A test compares their costs with those that the provider lists. */
export const walletRoutes = Object.values(kinds).map(({ route }) => route)

export const walletTransfersPipeline = pipeline({
  name: 'wallet-transfers',
  comment:
    'ERC-20, ERC-721 and ERC-1155 transfers, transactions and internal transactions of wallets, from the REST service.',
  parameters: {
    ...transferParameters,
    wallets,
    kinds: p.list('What to read (default: erc20). Each kind is a list of its own.', { choices: kindNames }),
  },
  tables: Object.assign({}, ...Object.values(kinds).map(({ tables }) => tables)) as Tables,
  refused: refusedOfTransfers,
  reads: 'service',
  walks: ['blockWindow'],
  streams: (given, facts) =>
    onEvmChain(given, facts, (values) => {
      const { network, 'chain-id': chainId, 'page-size': pageSize } = values
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
