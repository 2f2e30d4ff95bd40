import { bareAddress } from '../../src/decode/bounds.ts'
import { type NetworkIdentity, p } from '../../src/define/index.ts'
import { parameterError } from './parameter-error.ts'
import { bareAddresses } from './primary-network.ts'
import { addresses } from './service-parameters.ts'

const owners = ['validation_reward_owner', 'delegation_reward_owner', 'remaining_balance_owner']

/** Every address that owns an output in the lake, or that receives rewards or remaining balances. */
const knownAddresses = [
  ...['p_outputs', 'x_outputs', 'c_atomic_outputs'].map((table) => `SELECT unnest(addresses) AS address FROM ${table}`),
  ...['p_state_outputs', 'x_state_outputs'].map((table) => `SELECT unnest(addresses) FROM ${table}`),
  ...owners.map((owner) => `SELECT unnest(${owner}_addresses) FROM p_validations`),
].join(' UNION ')

/** The addresses to request UTXOs or balances for. */
export const addressParameters = {
  addresses: {
    ...addresses,
    comment:
      'Addresses, with or without chain prefix; inline, from a file or a query (default: those of known-addresses).',
  },
  'known-addresses': p.list('What stands for addresses when they are absent: all that the lake knows.', {
    query: `SELECT address FROM (${knownAddresses}) ORDER BY address`,
  }),
}

type Given = {
  readonly addresses: readonly string[] | undefined
  readonly 'known-addresses': readonly string[] | undefined
}

type RequestedAddresses = {
  /** Without chain prefix and without duplicates. */
  readonly list: readonly string[]
  /** Addresses that a job names are part of the identity of its streams. Addresses from the lake are not, because they grow every day. */
  readonly named: readonly string[] | undefined
}

/** The addresses of a job. Throws `ConfigError` for an address of another network. Addresses from the lake may be of several networks. */
export function requestedAddresses(
  { addresses, 'known-addresses': known = [] }: Given,
  { network, hrp }: NetworkIdentity,
): RequestedAddresses {
  const named = addresses === undefined || addresses.length === 0 ? undefined : bareAddresses(network, addresses)
  const foreign = named?.find((address) => !address.startsWith(`${hrp}1`))
  if (foreign !== undefined)
    throw parameterError(
      `The address ${foreign} does not belong to the network ${network}: its addresses begin with ${hrp}1.`,
      'Give addresses of the network of the node.',
    )
  const usual = () => [...new Set(known.map(bareAddress))].filter((address) => address.startsWith(`${hrp}1`))
  return { list: named ?? usual(), named }
}
