import { addressBytes } from '../../codec/ids.ts'
import { bareAddress } from '../../src/decode/values.ts'
import { type NetworkIdentity, p, type ValuesOf } from '../../src/define/index.ts'
import { ConfigError, DecodeError } from '../../src/errors.ts'
import { addressPrefixOf } from '../../src/sources/known-networks.ts'
import { addresses, parameterError } from './parameters.ts'

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

/**
 * The addresses of a job, without chain prefix and without duplicates. Those that it names are part of the identity of its streams; those from
 * the lake are not, because they grow every day, and they may be of several networks. Throws `ConfigError` for an address of another network.
 */
export function requestedAddresses(
  { addresses, 'known-addresses': known = [] }: ValuesOf<typeof addressParameters>,
  { network, hrp }: NetworkIdentity,
) {
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

/**
 * Addresses without chain prefix and duplicates, in their order: the spelling of an address does not change the stream. Throws `ConfigError`
 * for an address of another network.
 */
export function bareAddresses(
  network: string,
  addresses: readonly string[] | undefined,
): readonly string[] | undefined {
  checkAddresses(network, addresses)
  return addresses === undefined ? undefined : [...new Set(addresses.map(bareAddress))]
}

/**
 * Throws `ConfigError` for an address with the prefix of another network than that of the lake, or with a wrong checksum: a service may
 * return nothing for it. If the name of a network contains no id, the prefix is unknown. 0x addresses are the same everywhere.
 */
export function checkAddresses(network: string, addresses: readonly string[] | undefined): void {
  const expected = addressPrefixOf(network)
  for (const address of addresses ?? []) {
    if (address.startsWith('0x')) continue
    const bare = bareAddress(address)
    const prefix = bare.slice(0, bare.lastIndexOf('1'))
    if (expected !== null && prefix !== expected)
      throw wrongAddress(
        `The address ${address} does not belong to the network ${network}: its addresses begin with ${expected}1.`,
        `Give addresses of ${network}, or the network of the addresses.`,
      )
    if (!isAddress(bare))
      throw wrongAddress(
        `The address ${address} has a wrong checksum: a character of it is not as it was.`,
        'Copy it again from where it comes from.',
      )
  }
}

function isAddress(bare: string): boolean {
  try {
    return addressBytes(bare).length === 20
  } catch (error) {
    if (error instanceof DecodeError) return false
    throw error
  }
}

function wrongAddress(message: string, hint: string): ConfigError {
  return new ConfigError(message, { code: 'config.address', hint })
}
