import { restCAtomicTransactions } from '../schemas/rest-c-atomic-transactions.ts'
import { restPTransactions } from '../schemas/rest-p-transactions.ts'
import { restXTransactions } from '../schemas/rest-x-transactions.ts'
import { chainList } from '../src/decode/service/chain-lists.ts'
import { pTransactionReaders } from '../src/decode/service/p-transaction.ts'
import { type ListWalk, p, pipeline, serviceStream, type Tables, type ValuesOf } from '../src/define/index.ts'
import type { Slice } from '../src/model.ts'
import { serviceRoutes } from '../src/sources/service-routes.ts'
import { parameterError } from './shared/parameter-error.ts'
import {
  bareAddresses,
  defaultTrailing,
  type JobChain,
  jobChain,
  listedChain,
  requestedSeconds,
  timeBounds,
  timeWindow,
} from './shared/primary-network.ts'
import {
  commaSeparated,
  filterChunks,
  knownListWalk,
  listOf,
  mustBeRange,
  orderInStream,
} from './shared/service-job.ts'
import {
  blockchain,
  idPattern,
  network,
  pageSize,
  primaryOrEvmAddresses,
  trailingSeconds,
  unitPages,
} from './shared/service-parameters.ts'

const listed = { items: 'transactions', key: ['tx_id'], time: 'block_time' }

/** P-Chain transactions (specification 2.3 and 4.3). A job with a range of seconds stores those in the range. */
export const pTransactionsList = chainList({
  ...listed,
  tables: { pTransactions: restPTransactions },
  readers: pTransactionReaders,
})

/** X-Chain transactions (OpenAPI XChainLinearTransaction and XChainNonLinearTransaction). */
export const xTransactionsList = chainList({ ...listed, tables: { xTransactions: restXTransactions } })

/** Atomic transactions of the C-Chain (OpenAPI CChainExportTransaction and CChainImportTransaction). */
export const cTransactionsList = chainList({ ...listed, tables: { cAtomicTransactions: restCAtomicTransactions } })

const parameters = {
  network,
  blockchain,
  addresses: primaryOrEvmAddresses,
  'l1-validation-id': p.text('Transactions of this L1 validator; on the P-Chain only.', {
    pattern: { source: `^(${idPattern}|0x[0-9a-fA-F]{64})$`, says: 'must be a validation id' },
  }),
  'tx-types': p.list('Only these kinds, such as AddDelegatorTx; needs addresses or l1-validation-id.', {
    pattern: { source: '^([A-Z][A-Za-z0-9]*Tx|UNKNOWN)$', says: 'must be the name of a kind, such as ExportTx' },
  }),
  'start-timestamp': p.time('First second (default: 2020-09-10). Needs addresses or l1-validation-id.'),
  'end-timestamp': p.time(
    'End of the range, exclusive (default: after the newest transaction). Needs addresses or l1-validation-id.',
  ),
  'page-size': pageSize(serviceRoutes.transactions.mostItems),
  'sort-order': p.text(
    'Without addresses, the end to begin with: desc (default) the newest, asc the oldest; with addresses, the order within a range of time.',
    { choices: ['asc', 'desc'] },
  ),
  'trailing-seconds': trailingSeconds,
  'unit-pages': unitPages,
}
type Values = ValuesOf<typeof parameters>

const tables = {
  pTransactions: restPTransactions,
  xTransactions: restXTransactions,
  cAtomicTransactions: restCAtomicTransactions,
}

const byChain = {
  P: { tables: { pTransactions: restPTransactions }, decode: pTransactionsList },
  X: { tables: { xTransactions: restXTransactions }, decode: xTransactionsList },
  C: { tables: { cAtomicTransactions: restCAtomicTransactions }, decode: cTransactionsList },
} as const

export const restTransactionsPipeline = pipeline({
  name: 'rest-transactions',
  comment: 'Transactions of a chain of the Primary Network: all from the newest on, or those of addresses by time.',
  parameters,
  tables,
  reads: 'service',
  walks: ['pageChain', 'oldestFirst', 'timeWindow'],
  streams(values, { service: settings }) {
    check(values)
    const chain = jobChain(values, settings)
    checkChain(values, chain)
    return filterChunks(bareAddresses(chain.network, values.addresses), settings.getAddresses).map((addresses) => ({
      stream: serviceStream(
        chain.network,
        'rest-transactions',
        {
          addresses,
          l1ValidationId: values['l1-validation-id'],
          txTypes: values['tx-types'],
          sortOrder: isFiltered(values) ? undefined : orderInStream(values['sort-order']),
        },
        chain.alias,
      ),
      tables: byChain[chain.alias].tables as Tables,
      walk: walkOf(values, chain, addresses),
    }))
  },
})

function walkOf(values: Values, chain: JobChain, addresses: readonly string[] | undefined): ListWalk {
  const list = (slice: Slice | null, order: string) =>
    listOf(
      serviceRoutes.transactions,
      chain.parts,
      {
        addresses: commaSeparated(addresses),
        l1ValidationId: values['l1-validation-id'],
        txTypes: values['tx-types'],
        ...(slice === null ? {} : timeBounds(slice)),
        pageSize: values['page-size'] ?? serviceRoutes.transactions.mostItems,
        sortOrder: order,
      },
      byChain[chain.alias].decode(listedChain(chain)),
      slice === null ? {} : { range: requestedSeconds(slice) },
    )
  const trailing = values['trailing-seconds']
  const order = values['sort-order']
  if (!isFiltered(values))
    return knownListWalk((requested) => list(null, requested), order, trailing ?? defaultTrailing)
  return timeWindow(chain, values['start-timestamp'], values['end-timestamp'], trailing, (slice) =>
    list(slice, order ?? 'asc'),
  )
}

/** Whether the request filters: only then does the service accept kinds and times (specification 4.3, Rules). */
function isFiltered(values: Values): boolean {
  return (values.addresses ?? []).length > 0 || values['l1-validation-id'] !== undefined
}

function check(values: Values): void {
  mustBeRange(['start-timestamp', values['start-timestamp']], ['end-timestamp', values['end-timestamp']])
  if (isFiltered(values)) return
  for (const parameter of ['tx-types', 'start-timestamp', 'end-timestamp'] as const) {
    const value = values[parameter]
    if (value === undefined || (typeof value === 'object' && value.length === 0)) continue
    throw parameterError(
      `The service filters by ${parameter} only for given addresses or a given L1 validator.`,
      `Add addresses or l1-validation-id, or leave ${parameter} out and filter in the query.`,
    )
  }
}

function checkChain(values: Values, { alias }: JobChain): void {
  if (values['l1-validation-id'] !== undefined && alias !== 'P')
    throw parameterError(
      'l1-validation-id selects transactions of the P-Chain only.',
      'Set blockchain to p-chain, or leave l1-validation-id out.',
    )
  const evm = values.addresses?.find((address) => address.startsWith('0x'))
  if (evm !== undefined && alias !== 'C')
    throw parameterError(
      `The address ${evm} has atomic transactions on the C-Chain only.`,
      'Set blockchain to c-chain, or put 0x addresses into a job of their own.',
    )
}
