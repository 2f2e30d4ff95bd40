import {
  restCollectibleBalances,
  restErc20Balances,
  restErc721Balances,
  restErc1155Balances,
  restNativeBalances,
} from '../schemas/rest-tokens.ts'
import { optionalAddress, optionalObject, type Reading, required, text } from '../src/decode/json/fields.ts'
import { type Given, type ListReader, listReader, rowReader } from '../src/decode/list-reader.ts'
import { type List, p, pipeline, serviceStream } from '../src/define/index.ts'
import { chunksOf } from '../src/lib/arrays.ts'
import { addressPath, serviceRoute } from '../src/sources/service-routes.ts'
import {
  chainId,
  contractAddress,
  evmAddresses,
  network,
  observedTogether,
  pageSize,
  parameterError,
  subjectName,
  wallets,
} from './shared/parameters.ts'
import {
  checkChain,
  checkStandard,
  listOf,
  onEvmChain,
  otherStandard,
  requestedValues,
  standardOf,
} from './shared/service.ts'

const tables = {
  erc20Balances: restErc20Balances,
  erc1155Balances: restErc1155Balances,
  erc721Balances: restErc721Balances,
  collectibleBalances: restCollectibleBalances,
  nativeBalances: restNativeBalances,
}

const nativeRow = rowReader(restNativeBalances.columns)

/**
 * Reads the native balance, which every page of a wallet's balances repeats (specification 2.8). Only the first page gives a row, so that
 * an observation does not mix balances of different moments.
 */
function nativeOf(answer: Reading, given: Given): { rows: { nativeBalances?: any[] } } {
  const row = optionalObject(answer, 'nativeTokenBalance', (native) => {
    checkChain(native, String(given['chain_id']))
    return nativeRow(native, given)
  })
  const { memory } = answer.context
  if (row === null || memory.has('native')) return { rows: {} }
  memory.set('native', true)
  return { rows: { nativeBalances: [row] } }
}

/** A list of the tokens of a wallet (specification 2.8 and 4.5). `address` in the given values is that of the wallet. */
function heldTokens(items: string, table: keyof typeof tables, standard: 'erc20' | 'erc721' | 'erc1155') {
  return listReader({
    tables,
    items,
    tableOf: () => table,
    ofAnswer: nativeOf,
    ignore: ['ercType'],
    complete(row, token, given) {
      checkChain(token, String(given['chain_id']))
      checkStandard(token, null, standard)
      row.standard = standard
      row.owner = (standard === 'erc20' ? null : optionalAddress(token, 'ownerAddress')) ?? given['address']
    },
    key: standard === 'erc20' ? ['token_address'] : ['token_address', 'token_id'],
  })
}

export const erc20BalancesList = heldTokens('erc20TokenBalances', 'erc20Balances', 'erc20')
export const erc721BalancesList = heldTokens('erc721TokenBalances', 'erc721Balances', 'erc721')
export const erc1155BalancesList = heldTokens('erc1155TokenBalances', 'erc1155Balances', 'erc1155')

/** ERC-721 and ERC-1155 tokens, by `ercType` (specification 4.5). Throws `DecodeError` for another standard. */
export const collectibleBalancesList = listReader({
  tables,
  items: 'collectibleBalances',
  tableOf: () => 'collectibleBalances',
  complete(row, token, given) {
    checkChain(token, String(given['chain_id']))
    const stated = text(token, 'ercType')
    row.standard = standardOf(stated)
    if (row.standard !== 'erc721' && row.standard !== 'erc1155') throw otherStandard(token, stated)
    if (row.standard === 'erc1155') required(row.balance_raw, token, 'balance')
    else Object.assign(row, { balance: null, balance_raw: null })
    row.owner = optionalAddress(token, 'ownerAddress') ?? given['address']
  },
  key: ['token_address', 'token_id'],
})

export const nativeBalanceList = listReader({
  tables,
  items: 'nativeTokenBalance',
  isOne: true,
  token: null,
  tableOf: () => 'nativeBalances',
  complete: (_, native, given) => checkChain(native, String(given['chain_id'])),
  key: ['address'],
})

function balanceList(
  method: string,
  list: ListReader<any>,
  has: { readonly history: boolean; readonly native: boolean },
) {
  const route = serviceRoute(`${addressPath}/balances:${method}`, 'medium', method === 'getNative' ? null : 500)
  return { route, list, has }
}

/**
 * `history`: whether the service also knows these balances at an earlier block. `native`: whether the answers also hold the native balance, of
 * the same block. Lists with history come first: of several native balances of a wallet, the first one becomes the row.
 */
const lists = {
  native: balanceList('getNative', nativeBalanceList, { history: true, native: true }),
  erc20: balanceList('listErc20', erc20BalancesList, { history: true, native: true }),
  erc1155: balanceList('listErc1155', erc1155BalancesList, { history: true, native: true }),
  erc721: balanceList('listErc721', erc721BalancesList, { history: false, native: true }),
  collectibles: balanceList('listCollectibles', collectibleBalancesList, { history: false, native: false }),
}

type ListName = keyof typeof lists
const listNames = Object.keys(lists) as ListName[]
export const balanceRoutes = Object.values(lists).map(({ route }) => route)

export const balancesPipeline = pipeline({
  name: 'balances',
  comment: 'ERC-20, ERC-1155, ERC-721 and native balances of wallets, from the REST service.',
  parameters: {
    network,
    'chain-id': chainId,
    wallets,
    lists: p.list(
      'Lists to read (default: all). Answers for erc20, erc1155 and erc721 also hold the native balance; native requests it alone.',
      { choices: listNames },
    ),
    'contract-address': contractAddress,
    'block-number': p.whole('Block of the native, ERC-20 and ERC-1155 balances (default: the newest).'),
    'filter-spam-tokens': p.boolean('Leave out ERC-20 tokens that the service takes for spam (default: false).'),
    'page-size': pageSize(500),
  },
  tables,
  reads: 'service',
  walks: ['snapshot'],
  streams: (given, facts) =>
    onEvmChain(given, facts, (values) => {
      const {
        network,
        'chain-id': chainId,
        'block-number': blockNumber,
        'filter-spam-tokens': filterSpam = false,
      } = values
      const names = listNames.filter((name) => values.lists?.includes(name) ?? true)
      checkLists(names, blockNumber, filterSpam)
      const contract = values['contract-address']?.toLowerCase()
      const filters = {
        lists: names.length === listNames.length ? undefined : names.join(','),
        'contract-address': contract,
        'block-number': blockNumber,
        'filter-spam-tokens': filterSpam ? 'true' : undefined,
      }
      const queryOf = (name: ListName): Parameters<typeof listOf>[2] => {
        return {
          ...(name === 'erc20'
            ? { contractAddresses: contract, filterSpamTokens: filterSpam }
            : { contractAddress: name === 'native' ? undefined : contract }),
          blockNumber: lists[name].has.history ? blockNumber : undefined,
          pageSize: values['page-size'],
        }
      }
      const balances = (name: ListName, wallet: Given & { readonly address: string }): List => {
        const { route, list } = lists[name]
        return listOf(route, { chainId, address: wallet.address }, queryOf(name), list(wallet), {
          values: requestedValues({ owner: wallet.address, token_address: contract }),
        })
      }
      const requested = needed(names, blockNumber)
      return chunksOf(evmAddresses(values.wallets), observedTogether).map((wallets) => ({
        stream: serviceStream(network, 'balances', { wallets, ...filters }, chainId),
        walk: {
          kind: 'snapshot',
          subjects: wallets.map((address) => {
            const name = subjectName(`${chainId}/${address}`, filters)
            return {
              name,
              lists: requested.map((list) => balances(list, { network, chain_id: chainId, address, subject: name })),
            }
          }),
        },
      }))
    }),
})

/** The native balance needs no request of its own if another list has it, of the same block. */
function needed(names: readonly ListName[], blockNumber: number | undefined): readonly ListName[] {
  const others = names.filter((name) => name !== 'native')
  const hasNative = others.some((name) => {
    const { has } = lists[name]
    return has.native && (has.history || blockNumber === undefined)
  })
  return hasNative ? others : names
}

function checkLists(names: readonly ListName[], blockNumber: number | undefined, filterSpam: boolean): void {
  if (names.length === 0)
    throw parameterError('The job reads no list of balances: lists is empty.', 'Name one, or leave lists out.')
  if (blockNumber !== undefined && !names.some((name) => lists[name].has.history))
    throw parameterError(
      'block-number is for native, ERC-20 and ERC-1155 balances, which the job does not read.',
      'Add one of them to lists, or leave block-number out.',
    )
  if (filterSpam && !names.includes('erc20'))
    throw parameterError(
      'filter-spam-tokens is for ERC-20 balances, which the job does not read.',
      'Add erc20 to lists, or leave filter-spam-tokens out.',
    )
}
