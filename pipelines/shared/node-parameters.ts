import { p } from '../../src/define/index.ts'
import { idPattern } from './service-parameters.ts'

const id = (what: string) => ({ source: `^${idPattern}$`, says: `must be the id of ${what}, as CB58 text` })

/** The subnet id of the Primary Network, on every network. */
const primarySubnet = '11111111111111111111111111111111LpoYY'

/**
 * The Primary Network, and every subnet in transactions or answers of a node in the lake, in order of appearance, so that
 * a new subnet does not change the streams of earlier ones.
 */
const knownSubnets = `SELECT subnet_id FROM (
  SELECT '${primarySubnet}' AS subnet_id, -1 AS height, 0 AS tx_index
  UNION ALL SELECT tx_id, height, tx_index FROM p_transactions WHERE tx_type = 'CreateSubnetTx'
  UNION ALL SELECT subnet_id, height, tx_index FROM p_transactions WHERE subnet_id IS NOT NULL
  UNION ALL SELECT subnet_id, NULL, NULL FROM node_blockchains WHERE subnet_id IS NOT NULL
) GROUP BY subnet_id ORDER BY min((height, tx_index)) NULLS LAST, subnet_id`

/** Subnets to observe. */
export const subnets = p.list(
  'Subnets to request; inline, from a file or a query (default: the Primary Network and every subnet already in the lake).',
  { pattern: id('a subnet'), query: knownSubnets },
)

/** The subnets of a job, without duplicates. Default with an empty lake: the Primary Network. */
export function subnetsOf(list: readonly string[] | undefined): readonly string[] {
  return list === undefined || list.length === 0 ? [primarySubnet] : [...new Set(list)]
}

/** The parameters that select a subnet. A method without them uses the Primary Network. */
export function ofSubnet(subnetId: string): { readonly subnetID?: string } {
  return subnetId === primarySubnet ? {} : { subnetID: subnetId }
}

export const blockchainIds = (comment: string) => p.list(comment, { pattern: id('a blockchain') })

export const txIds = (comment: string) =>
  p.list.required(comment, { pattern: id('a transaction'), example: '@tx-ids.txt' })

export const blockIds = (comment: string) =>
  p.list.required(comment, { pattern: id('a block'), example: '@block-ids.txt' })

export const assetIds = (comment: string, query: string) => p.list(comment, { pattern: id('an asset'), query })

/** The requested encoding: bytes can be verified, JSON can be read. */
export const encoding = p.text(
  'Encoding of the answer: hex (default) or json. Each item is stored once, in the encoding that arrived first.',
  {
    choices: ['hex', 'json'],
  },
)

export const accounts = p.list.required('0x addresses of accounts; inline, from a file or a query.', {
  pattern: { source: '^0x[0-9a-fA-F]{40}$', says: 'must be 0x and 40 hexadecimal digits' },
  example: '@accounts.txt',
})
