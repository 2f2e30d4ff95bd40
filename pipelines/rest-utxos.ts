import { restUtxos } from '../schemas/rest-utxos.ts'
import { decodeUtxos } from '../src/decode/service/utxos.ts'
import { p, type ServiceSettings, servicePipeline, serviceStream, type ValuesOf } from '../src/define/index.ts'
import { type Stream, streamId } from '../src/model.ts'
import { serviceRoutes } from '../src/sources/service-routes.ts'
import { parameterError } from './shared/parameter-error.ts'
import { type JobChain, jobChain } from './shared/primary-network.ts'
import { chunksOf, commaSeparated, listOf } from './shared/service-job.ts'
import { addresses, blockchain, idPattern, network, pageSize } from './shared/service-parameters.ts'

const parameters = {
  network,
  blockchain,
  addresses: {
    ...addresses,
    comment: `${addresses.comment} Owners who sign together should stand together: the service leaves out what the addresses of one request cannot sign.`,
  },
  'asset-id': p.text('Only UTXOs of this asset; on the X chain only.', {
    pattern: { source: `^${idPattern}$`, says: 'must be the id of an asset' },
  }),
  'min-utxo-amount': p.text('Only UTXOs of at least this amount, in the least unit.', {
    pattern: { source: '^(0|[1-9][0-9]{0,19})$', says: 'must be a whole number' },
  }),
  'include-spent': p.boolean('Spent UTXOs too; true when absent.'),
  'sort-by': p.text('Order of the answers; timestamp when absent.', { choices: ['timestamp', 'amount'] }),
  'sort-order': p.text('Direction of that order; asc when absent.', { choices: ['asc', 'desc'] }),
  'page-size': pageSize(serviceRoutes.utxosByPost.mostItems),
}
type Values = ValuesOf<typeof parameters>

const tables = { utxos: restUtxos }

export const restUtxosPipeline = servicePipeline({
  name: 'rest-utxos',
  comment: 'UTXOs of addresses on a chain of the primary network, read whole each time; only what changed is stored.',
  parameters,
  tables,
  walks: ['scan'],
  streams(values, settings) {
    const chain = jobChain(values, settings)
    check(values, chain)
    const addresses = ownAddresses(values)
    const post = takesPost(addresses, settings)
    checkPageSize(values, post)
    return chunksOf(addresses, post ? settings.postAddresses : settings.getAddresses).map((chunk) => {
      const stream = serviceStream(chain.network, `rest-utxos/${chain.alias}`, {
        addresses: chunk,
        assetId: values['asset-id'],
        minUtxoAmount: values['min-utxo-amount'],
        includeSpent: values['include-spent'] ?? true,
      })
      const list = post ? postList(values, chain, chunk ?? []) : getList(values, chain, chunk)
      return { stream, tables, walk: { kind: 'scan', subjects: [{ name: subjectOf(stream), lists: [list] }] } }
    })
  },
})

/** Addresses each once, without P- and X-, which say nothing more; C- stays: it is what asks for the C chain's. */
function ownAddresses({ addresses }: Values): readonly string[] | undefined {
  return addresses && [...new Set(addresses.map((address) => address.replace(/^[PX]-/, '')))]
}

/** Only the POST route takes C- addresses, and more of them than a GET. */
function takesPost(addresses: readonly string[] | undefined, { getAddresses }: ServiceSettings): boolean {
  return addresses?.some((address) => address.startsWith('C-')) === true || (addresses ?? []).length > getAddresses
}

function getList(values: Values, chain: JobChain, chunk: readonly string[] | undefined) {
  const query = { ...queryOf(values, serviceRoutes.utxos.mostItems), addresses: commaSeparated(chunk) }
  return listOf(serviceRoutes.utxos, chain.parts, query, decodeOf(chain))
}

function postList(values: Values, chain: JobChain, chunk: readonly string[]) {
  const query = queryOf(values, serviceRoutes.utxosByPost.mostItems)
  return listOf(serviceRoutes.utxosByPost, chain.parts, query, decodeOf(chain), { addresses: chunk.join(',') })
}

function decodeOf({ network, id }: JobChain) {
  return decodeUtxos({ network, blockchainId: id })
}

function queryOf(values: Values, mostItems: number) {
  return {
    assetId: values['asset-id'],
    minUtxoAmount: values['min-utxo-amount'],
    includeSpent: values['include-spent'] ?? true,
    sortBy: values['sort-by'] ?? 'timestamp',
    sortOrder: values['sort-order'] ?? 'asc',
    pageSize: values['page-size'] ?? mostItems,
  }
}

/** What is observed: the chain, the addresses and the filters. Under another filter other UTXOs are there. */
function subjectOf(stream: Stream): string {
  return streamId(stream).slice(`${stream.network}/rest-utxos/`.length)
}

function check(values: Values, { alias }: JobChain): void {
  if (values['asset-id'] !== undefined && alias !== 'X')
    throw parameterError(
      'asset-id filters UTXOs of the X chain only.',
      'Set blockchain to x-chain, or leave asset-id out and filter in the query.',
    )
}

function checkPageSize(values: Values, post: boolean): void {
  const size = values['page-size'] ?? 0
  const most = serviceRoutes.utxos.mostItems
  if (post || size <= most) return
  throw parameterError(
    `A page-size above ${most} is only for requests for many addresses or for C- ones.`,
    `Set page-size to at most ${most}, or leave it out.`,
  )
}
