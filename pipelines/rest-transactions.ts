import { decodeCb58 } from '../codec/ids.ts'
import { restCAtomicTransactions, restPTransactions, restXTransactions } from '../schemas/rest-transactions.ts'
import { contradiction, hex, id, type Reading } from '../src/decode/json/fields.ts'
import { jsonText } from '../src/decode/json/kinds.ts'
import { type ListWalk, p, pipeline, serviceStream, type Tables, type ValuesOf } from '../src/define/index.ts'
import { fieldOf } from '../src/lib/json.ts'
import type { Slice } from '../src/model.ts'
import { serviceRoutes } from '../src/sources/service-routes.ts'
import { bareAddresses } from './shared/addresses.ts'
import {
  blockchain,
  idPattern,
  mustBeRange,
  network,
  pageSize,
  parameterError,
  primaryOrEvmAddresses,
  trailingSeconds,
} from './shared/parameters.ts'
import {
  chainList,
  commaSeparated,
  defaultTrailing,
  filterChunks,
  type JobChain,
  jobChain,
  knownListWalk,
  listOf,
  orderInStream,
  requestedSeconds,
  timeBounds,
  timeWindow,
} from './shared/service.ts'

const u64End = 1n << 64n
const int64End = 1n << 63n
const decimalEnd = 10n ** 38n

/**
 * Reads genesisData of a created chain. The creator of a chain may write any text, so the whole text is stored. Other columns are null
 * without an error where it has no such value.
 */
const genesis = {
  json: (data: unknown) => (typeof data === 'string' ? data : jsonText(data)),
  chainId: (data: unknown) => wholeBelow(fieldOf(fieldOf(data, 'config'), 'chainId'), u64End),
  feeConfig(data: unknown) {
    const fees = fieldOf(fieldOf(data, 'config'), 'feeConfig')
    if (typeof fees !== 'object' || fees === null) return null
    const int64 = (name: string) => wholeBelow(fieldOf(fees, name), int64End)
    return {
      gas_limit: wholeBelow(fieldOf(fees, 'gasLimit'), u64End),
      target_block_rate: int64('targetBlockRate'),
      target_gas: int64('targetGas'),
      min_base_fee: wholeBelow(fieldOf(fees, 'minBaseFee'), decimalEnd),
      base_fee_change_denominator: int64('baseFeeChangeDenominator'),
      min_block_gas_cost: int64('minBlockGasCost'),
      max_block_gas_cost: int64('maxBlockGasCost'),
      block_gas_cost_step: int64('blockGasCostStep'),
    }
  },
}

function wholeBelow(value: unknown, end: bigint): bigint | null {
  const whole =
    typeof value === 'bigint'
      ? value
      : typeof value === 'number' && Number.isSafeInteger(value)
        ? BigInt(value)
        : typeof value === 'string' && /^(\d{1,40}|0x[0-9a-f]{1,32})$/i.test(value)
          ? BigInt(value)
          : null
  return whole !== null && whole >= 0n && whole < end ? whole : null
}

/** Reads the validation id in hex. Throws `DecodeError` if it differs from the one in CB58. */
function validationIdHex(_: unknown, at: Reading): string {
  const stated = id(at, 'validationId')
  const found = hex(at, 'validationIdHex')
  if (found.replace('0x', '') === Buffer.from(decodeCb58(stated)).toString('hex')) return found
  throw contradiction(at, 'validationIdHex', found, 'validationId', stated)
}

/** Reads a text of the BLS credentials, if it is there. The specification does not define their content. */
const textOf = (name: string) => (credentials: unknown) => {
  const found = fieldOf(credentials, name)
  return typeof found === 'string' ? found.toLowerCase() : null
}

const pTransactionReaders = {
  genesis_json: genesis.json,
  evm_chain_id: genesis.chainId,
  evm_fee_config: genesis.feeConfig,
  'l1_validator_details.validation_id_hex': validationIdHex,
  'l1_validator_details.bls_public_key': textOf('publicKey'),
  'l1_validator_details.bls_proof_of_possession': textOf('proofOfPossession'),
}

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
}
type Values = ValuesOf<typeof parameters>

const byChain = {
  P: { tables: { pTransactions: restPTransactions }, decode: pTransactionsList },
  X: { tables: { xTransactions: restXTransactions }, decode: xTransactionsList },
  C: { tables: { cAtomicTransactions: restCAtomicTransactions }, decode: cTransactionsList },
} as const

export const restTransactionsPipeline = pipeline({
  name: 'rest-transactions',
  comment: 'Transactions of a chain of the Primary Network: all from the newest on, or those of addresses by time.',
  parameters,
  tables: { ...byChain.P.tables, ...byChain.X.tables, ...byChain.C.tables },
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
        pageSize: values['page-size'],
        sortOrder: order,
      },
      byChain[chain.alias].decode(chain),
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
