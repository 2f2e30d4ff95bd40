import type { NetworkChain } from '../define/index.ts'

/** Constants of the public networks (wire-format.md 1.2 and 1.3; real-service.md (c)). */
type KnownNetwork = {
  readonly chains: readonly NetworkChain[]
  readonly nativeAssetId: string
  /** Activation of Durango in Unix seconds. */
  readonly durangoTime: number
}

/** Id of the P chain and of the primary subnet on every network. */
export const primaryId = '11111111111111111111111111111111LpoYY'

/** Virtual machines of the primary network. */
export const vmIds = {
  P: 'rWhpuQPF1kb72esV2momhMuTYGkEb1oL29pt2EBXWmSy4kxnT',
  X: 'jvYyfQTxGMJLuGWa55kdP2p2zSUYsQ5Raupu4TW34ZAUBAbtq',
  C: 'mgj786NP7uDwBCcq6YwThhaN8FLyybkCa4zBWTQbNgmK6k9A6',
} as const

function primaryChains(x: string, c: string): readonly NetworkChain[] {
  return [
    { alias: 'P', blockchainId: primaryId, vmId: vmIds.P, subnetId: primaryId },
    { alias: 'X', blockchainId: x, vmId: vmIds.X, subnetId: primaryId },
    { alias: 'C', blockchainId: c, vmId: vmIds.C, subnetId: primaryId },
  ]
}

/** The public networks by their ids. */
export const knownNetworks: Readonly<Record<number, KnownNetwork>> = {
  1: {
    chains: primaryChains(
      '2oYMBNV4eNHyqk2fjjV5nVQLDbtmNJzq5s3qs3Lo6ftnC6FByM',
      '2q9e4r6Mu3U68nU1fYjgbR6JvwrRx36CohpAX5UQxse55x1Q5',
    ),
    nativeAssetId: 'FvwEAhmxKfeiG8SnEvq42hc6whRyY3EFYAvebMqDNDGCgxN5Z',
    durangoTime: Date.UTC(2024, 2, 6, 16) / 1000,
  },
  5: {
    chains: primaryChains(
      '2JVSBoinj9C2J33VntvzYtVJNZdN2NKiwwKjcumHUWEb5DbBrm',
      'yH8D7ThNJkxmtkuv2jgBa4P1Rn3Qpr4pPr7QYNfcdoS6k6HWp',
    ),
    nativeAssetId: 'U8iRqJoiJm8xZHAacmvYyZVwqQx6uDNtQeP3CQ6fcgQk3JqnK',
    durangoTime: Date.UTC(2024, 1, 13, 16) / 1000,
  },
}

type NamedNetwork = {
  readonly id: number
  /** Human-readable part of bech32 addresses. */
  readonly prefix: string
  readonly name?: string
  /** EVM chain id of the C-Chain. Its genesis is built into the node and cannot be changed. */
  readonly evmChainId?: number
}

const networks: readonly NamedNetwork[] = [
  { id: 1, prefix: 'avax', name: 'mainnet', evmChainId: 43_114 },
  { id: 2, prefix: 'cascade' },
  { id: 3, prefix: 'denali' },
  { id: 4, prefix: 'everest' },
  { id: 5, prefix: 'fuji', name: 'fuji', evmChainId: 43_113 },
  { id: 10, prefix: 'testing' },
  { id: 12345, prefix: 'local', name: 'local', evmChainId: 43_112 },
]

function networkOf(networkId: number): NamedNetwork | undefined {
  return networks.find(({ id }) => id === networkId)
}

/** EVM chain id of the C-Chain; null for networks that choose their own. */
export function evmChainId(networkId: number): number | null {
  return networkOf(networkId)?.evmChainId ?? null
}

/** EVM chain id of a C-Chain of a public network by its blockchain id; null for any other chain. */
export function evmChainIdOf(blockchainId: string): number | null {
  const isOf = ({ chains }: KnownNetwork) =>
    chains.some(({ alias, blockchainId: id }) => alias === 'C' && id === blockchainId)
  const [networkId] = Object.entries(knownNetworks).find(([, known]) => isOf(known)) ?? []
  return networkId === undefined ? null : evmChainId(Number(networkId))
}

/** The network with this EVM chain id as that of its C-Chain; null for any other chain. */
export function networkOfCChain(chainId: bigint): number | null {
  return networks.find(({ evmChainId }) => evmChainId !== undefined && BigInt(evmChainId) === chainId)?.id ?? null
}

/** Value of the column `network`: `mainnet`, `fuji`, `local`, otherwise `network-<id>`. */
export function networkName(networkId: number): string {
  return networkOf(networkId)?.name ?? `network-${networkId}`
}

export function isPublic(network: string): boolean {
  return Object.keys(knownNetworks).some((id) => networkName(Number(id)) === network)
}

/** Human-readable part of the network's bech32 addresses. */
export function addressPrefix(networkId: number): string {
  return networkOf(networkId)?.prefix ?? 'custom'
}

/** The address prefix by the network's name; null if the name does not contain the network id. */
export function addressPrefixOf(network: string): string | null {
  const digits = /^network-(\d{1,10})$/.exec(network)?.[1]
  const id = digits === undefined ? networks.find(({ name }) => name === network)?.id : Number(digits)
  return id === undefined ? null : addressPrefix(id)
}

/** Whether a network, by its name, has this EVM chain id as that of its C-Chain. */
export function isCChain(network: string, chainId: string): boolean {
  const known = /^\d+$/.test(chainId) ? networkOfCChain(BigInt(chainId)) : null
  return known !== null && networkName(known) === network
}
