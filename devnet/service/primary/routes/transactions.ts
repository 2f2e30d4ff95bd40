import { encodeCb58 } from '../../../../codec/ids.ts'
import type { Dialect } from '../../../index/methods.ts'
import type { ChainAlias } from '../../../network/shared-memory.ts'
import {
  between,
  choice,
  commaList,
  integer,
  listRoute,
  repeated,
  ServiceError,
  type ServiceRoute,
  text,
} from '../../plumbing/index.ts'
import { transactionTotals } from '../counts/transactions.ts'
import { transactionsOn } from '../ledger/journal.ts'
import type { PrimaryLedger, PrimaryState } from '../ledger/ledger.ts'
import type { LedgerTx } from '../ledger/model.ts'
import { createTransactionTexts, type TransactionText } from '../shapes/transaction.ts'
import { chainInfo, sortOrders, textsInOrder } from './lists.ts'
import { createListMemory } from './memory.ts'
import { anyAddress, mostAddresses } from './readers.ts'

const txTypes = [
  'AddValidatorTx',
  'AddSubnetValidatorTx',
  'AddDelegatorTx',
  'CreateChainTx',
  'CreateSubnetTx',
  'ImportTx',
  'ExportTx',
  'AdvanceTimeTx',
  'RewardValidatorTx',
  'RemoveSubnetValidatorTx',
  'TransformSubnetTx',
  'AddPermissionlessValidatorTx',
  'AddPermissionlessDelegatorTx',
  'BaseTx',
  'TransferSubnetOwnershipTx',
  'ConvertSubnetToL1Tx',
  'RegisterL1ValidatorTx',
  'SetL1ValidatorWeightTx',
  'DisableL1ValidatorTx',
  'IncreaseL1ValidatorBalanceTx',
  'AddAutoRenewedValidatorTx',
  'SetAutoRenewedValidatorConfigTx',
  'RewardAutoRenewedValidatorTx',
  'UNKNOWN',
  'CreateAssetTx',
  'OperationTx',
] as const

/** A page ends early when its transactions have this many UTXOs. */
const mostUtxos = 300

const parameters = {
  addresses: commaList(anyAddress, mostAddresses),
  l1ValidationId: text({
    read: (given) => validationIdOf(given),
    says: 'must be a validation id',
  }),
  txTypes: repeated(txTypes),
  startTimestamp: integer({ least: 0 }),
  endTimestamp: integer({ least: 0 }),
  sortOrder: choice(sortOrders),
}

/** Transactions of the P-Chain, X-Chain and C-Chain (specification 4.3). */
export function transactionRoute(ledger: PrimaryLedger): ServiceRoute {
  const memory = createListMemory<LedgerTx>()
  const texts = new Map<string, TransactionText>()
  const textsOf = ({ book }: PrimaryState, chain: ChainAlias, dialect: Dialect): TransactionText => {
    const known = texts.get(`${chain} ${dialect}`) ?? createTransactionTexts(book.assets, chain, dialect)
    texts.set(`${chain} ${dialect}`, known)
    return known
  }
  return listRoute({
    path: '/v1/networks/{network}/blockchains/{blockchainId}/transactions',
    parameters,
    pageSize: { default: 10, most: 100 },
    cost: 'xl',
    totals: async (dialect) => transactionTotals(await ledger.state(), dialect),
    handle: async ({ parts: { blockchainId: chain, network }, query, settings }) => {
      const { addresses, l1ValidationId, txTypes: types, startTimestamp, endTimestamp, sortOrder } = query
      const filters = [types, startTimestamp, endTimestamp].some((each) => each !== undefined)
      if (filters && addresses === undefined && l1ValidationId === undefined)
        throw ServiceError.of(400, 'Latest transaction route does not support txTypes or timestamp filters')
      const state = await ledger.state()
      const within = between(settings, startTimestamp, endTimestamp)
      const name = JSON.stringify([chain, addresses, l1ValidationId, types, startTimestamp, endTimestamp])
      const list = memory.of(name, state.containers, () =>
        candidates(state, chain, addresses, l1ValidationId).filter(({ type, place }) => {
          return (types === undefined || types.some((each) => each === type)) && within(place.time)
        }),
      )
      const { rows, item } = textsInOrder(list, sortOrder, textsOf(state, chain, settings.dialect))
      const weigh = (index: number): number => utxosOf(item(index))
      return { items: 'transactions', rows, extra: chainInfo(chain, network), cut: { weigh, most: mostUtxos } }
    },
  })
}

/** The transactions that the filters have to check, oldest first. */
function candidates(
  state: PrimaryState,
  chain: ChainAlias,
  addresses: readonly string[] | undefined,
  l1ValidationId: string | undefined,
): readonly LedgerTx[] {
  const ofValidator = l1ValidationId === undefined ? null : chain === 'P' ? state.byValidation.get(l1ValidationId) : []
  if (addresses === undefined) return ofValidator === null ? transactionsOn(state, chain) : (ofValidator ?? [])
  const ofAddresses = state.addresses.txs(chain, addresses)
  if (ofValidator !== null) return (ofValidator ?? []).filter((tx) => ofAddresses.has(tx))
  return [...ofAddresses].sort((a, b) => a.order - b.order)
}

function utxosOf({ consumed, emitted }: LedgerTx): number {
  return consumed.length + emitted.length
}

/** CB58 text of a validation id, which a request may give as CB58 or hex; null if it is neither. */
function validationIdOf(given: string): string | null {
  if (/^0x[0-9a-fA-F]{64}$/.test(given)) return encodeCb58(Buffer.from(given.slice(2), 'hex'))
  return /^[1-9A-HJ-NP-Za-km-z]{32,60}$/.test(given) ? given : null
}
