import { p } from '../../src/define/index.ts'
import { idPattern } from './service-parameters.ts'

const id = (what: string) => ({ source: `^${idPattern}$`, says: `must be the id of ${what}, as CB58 text` })

/** The id of the primary network's subnet, on every network. */
export const primarySubnet = '11111111111111111111111111111111LpoYY'

/** The primary network, and every subnet that transactions or answers of a node in the lake name. */
const knownSubnets = [
  `SELECT '${primarySubnet}' AS subnet_id`,
  "SELECT tx_id FROM p_transactions WHERE tx_type = 'CreateSubnetTx'",
  'SELECT subnet_id FROM p_transactions WHERE subnet_id IS NOT NULL',
  'SELECT subnet_id FROM node_blockchains WHERE subnet_id IS NOT NULL',
].join(' UNION ')

/** Subnets of which something is observed. */
export const subnets = p.list(
  'Subnets that are asked about; inline, from a file or a query. When absent the primary network and all that the lake knows.',
  { pattern: id('a subnet'), query: `SELECT * FROM (${knownSubnets}) ORDER BY 1` },
)

/** The subnets of a job, each once: without a lake that knows any the primary network. */
export function subnetsOf(list: readonly string[] | undefined): readonly string[] {
  return list === undefined || list.length === 0 ? [primarySubnet] : [...new Set(list)]
}

/** What a method is asked about a subnet with: the primary network is the one that nobody names. */
export function ofSubnet(subnetId: string): { readonly subnetID?: string } {
  return subnetId === primarySubnet ? {} : { subnetID: subnetId }
}

export const blockchainIds = (comment: string) => p.list(comment, { pattern: id('a blockchain') })

export const txIds = (comment: string) => p.list.required(comment, { pattern: id('a transaction') })

export const blockIds = (comment: string) => p.list.required(comment, { pattern: id('a block') })

export const assetIds = (comment: string, query: string) => p.list(comment, { pattern: id('an asset'), query })

/** How a node writes what it is asked for: bytes can be checked, JSON can be read. */
export const encoding = p.text('How the node writes it: hex (when absent) or json. Stored once, as it came first.', {
  choices: ['hex', 'json'],
})

export const accounts = p.list.required('0x addresses of accounts; inline, from a file or a query.', {
  pattern: { source: '^0x[0-9a-fA-F]{40}$', says: 'must be 0x and 40 hexadecimal digits' },
})
