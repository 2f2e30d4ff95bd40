import { restUtxos } from '../schemas/rest-transactions.ts'
import { p, pipeline, type ServiceSettings, serviceStream, type ValuesOf } from '../src/define/index.ts'
import { parametersText } from '../src/model.ts'
import { blockchainPath, serviceRoute } from '../src/sources/service-routes.ts'
import { checkAddresses } from './shared/addresses.ts'
import { addresses, blockchain, idPattern, network, pageSize, parameterError } from './shared/parameters.ts'
import {
  chainList,
  commaSeparated,
  filterChunks,
  type JobChain,
  jobChain,
  listOf,
  requestedValues,
} from './shared/service.ts'

export const restUtxosRoute = serviceRoute(`${blockchainPath}/utxos`, 'xl', 100)
export const restUtxosByPostRoute = { ...serviceRoute(`${blockchainPath}/utxos`, 'xl', 1024), method: 'POST' } as const

/** The UTXOs of addresses (specification 4.2). One table holds those of the P-Chain, X-Chain and C-Chain. */
export const restUtxosList = chainList({
  tables: { utxos: restUtxos },
  items: 'utxos',
  key: ['utxo_id'],
  time: 'block_time',
})

const { mostItems: mostByGet } = restUtxosRoute
const { mostItems: mostByPost } = restUtxosByPostRoute

const parameters = {
  network,
  blockchain,
  addresses: {
    ...addresses,
    comment: `${addresses.comment} Put owners that sign together next to each other: the service omits UTXOs that the addresses of one request cannot sign.`,
  },
  'asset-id': p.text('Only UTXOs of this asset; on the X-Chain only.', {
    pattern: { source: `^${idPattern}$`, says: 'must be the id of an asset' },
  }),
  'min-utxo-amount': p.text('Only UTXOs of at least this amount, in the least unit.', {
    pattern: { source: '^(0|[1-9][0-9]{0,19})$', says: 'must be a whole number' },
  }),
  'include-spent': p.boolean('Include spent UTXOs (default: true).'),
  'sort-by': p.text('Order of the answers (default: timestamp).', { choices: ['timestamp', 'amount'] }),
  'sort-order': p.text('Direction of that order (default: asc).', { choices: ['asc', 'desc'] }),
  method: p.text(
    `Method of the request: get returns pages of at most ${mostByGet}, post of at most ${mostByPost} at the same price and accepts more addresses (default: the cheaper one). It changes no row.`,
    { choices: ['get', 'post'] },
  ),
  'page-size': pageSize(mostByPost),
}
type Values = ValuesOf<typeof parameters>

export const restUtxosPipeline = pipeline({
  name: 'rest-utxos',
  comment: 'UTXOs of addresses on a chain of the Primary Network. Each run reads all of them and stores only changes.',
  parameters,
  tables: { utxos: restUtxos },
  reads: 'service',
  walks: ['snapshot'],
  streams(values, { service: settings }) {
    const chain = jobChain(values, settings)
    check(values, chain)
    checkAddresses(chain.network, values.addresses)
    const addresses = ownAddresses(values)
    checkMethod(values, addresses)
    const post = takesPost(values, addresses, settings)
    checkPageSize(values, post)
    return filterChunks(addresses, addressesAtOnce(values, addresses, settings)).map((chunk) => {
      const stream = serviceStream(
        chain.network,
        'rest-utxos',
        {
          addresses: chunk,
          assetId: values['asset-id'],
          minUtxoAmount: values['min-utxo-amount'],
          includeSpent: values['include-spent'] ?? true,
        },
        chain.alias,
      )
      // The chain, the addresses and the filters, since another filter selects other UTXOs.
      const name = `${chain.alias}${parametersText(stream.parameters)}`
      const list = listOf(
        post ? restUtxosByPostRoute : restUtxosRoute,
        chain.parts,
        {
          assetId: values['asset-id'],
          minUtxoAmount: values['min-utxo-amount'],
          includeSpent: values['include-spent'] ?? true,
          sortBy: values['sort-by'] ?? 'timestamp',
          sortOrder: values['sort-order'] ?? 'asc',
          pageSize: values['page-size'],
          ...(post ? {} : { addresses: commaSeparated(chunk) }),
        },
        restUtxosList(chain),
        { values: requestedValues({ addresses: chunk, asset_id: values['asset-id'] }) },
        post ? { addresses: commaSeparated(chunk) } : undefined,
      )
      return { stream, walk: { kind: 'snapshot', subjects: [{ name, lists: [list] }] } }
    })
  },
})

/** Distinct addresses without P- and X-, which add nothing; C- stays: it requests the UTXOs of the C-Chain. */
function ownAddresses({ addresses }: Values): readonly string[] | undefined {
  return addresses && [...new Set(addresses.map((address) => address.replace(/^[PX]-/, '')))]
}

/** Whether only the POST route works: it accepts C- addresses, and more addresses than a GET. */
function needsPost(addresses: readonly string[] | undefined, { getAddresses }: ServiceSettings): boolean {
  return asksForCChain(addresses) || (addresses ?? []).length > getAddresses
}

function asksForCChain(addresses: readonly string[] | undefined): boolean {
  return addresses?.some((address) => address.startsWith('C-')) === true
}

/** The method of the job. Default: the cheaper one. Pages cost the same, so that is the request with larger pages. */
function takesPost(values: Values, addresses: readonly string[] | undefined, settings: ServiceSettings): boolean {
  if (values.method !== undefined) return values.method === 'post'
  const count = addresses?.length ?? 0
  if (count === 0 || needsPost(addresses, settings)) return count > 0
  return count <= settings.postAddresses && (values['page-size'] ?? mostByPost) > mostByGet
}

/**
 * Addresses of one stream. They are part of its name, and the method is not: a list that fits into a GET stays one stream with
 * either method.
 */
function addressesAtOnce(
  { method }: Values,
  addresses: readonly string[] | undefined,
  settings: ServiceSettings,
): number {
  const { getAddresses, postAddresses } = settings
  if (method !== 'get' && needsPost(addresses, settings)) return postAddresses
  return method === 'post' ? Math.min(getAddresses, postAddresses) : getAddresses
}

function check(values: Values, { alias }: JobChain): void {
  if (values['asset-id'] !== undefined && alias !== 'X')
    throw parameterError(
      'asset-id filters UTXOs of the X-Chain only.',
      'Set blockchain to x-chain, or leave asset-id out and filter in the query.',
    )
}

function checkMethod({ method }: Values, addresses: readonly string[] | undefined): void {
  if (method === 'post' && (addresses ?? []).length === 0)
    throw parameterError(
      'method post lists the UTXOs of given addresses only, and the job names none.',
      'Give addresses, or leave method out.',
    )
  if (method === 'get' && asksForCChain(addresses))
    throw parameterError('Only method post takes C- addresses.', 'Leave method out or set it to post.')
}

function checkPageSize(values: Values, post: boolean): void {
  const size = values['page-size'] ?? 0
  if (post || size <= mostByGet) return
  throw parameterError(
    `A page-size above ${mostByGet} is for method post only, which lists the UTXOs of given addresses.`,
    `Set page-size to at most ${mostByGet} or leave it out${values.method === 'get' ? ', or leave method out' : ''}.`,
  )
}
