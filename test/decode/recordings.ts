import type { ChainContext, Container } from '../../src/model.ts'
import { recordedContainers } from '../recorded.ts'

const local = {
  network: 'local',
  networkId: 12345,
  hrp: 'local',
  nativeAssetId: '2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe',
  durangoTime: 0,
}
const localChains = {
  P: '11111111111111111111111111111111LpoYY',
  X: '2eNy1mUFdmaxXNj1eQHUe7Np4gju9sJsEtWQ4MX3ToiNKuADed',
  C: '2owdGqyG6FFzTHy5qhenDXQcEghvr571KZE3gSfRJERSJinuwC',
}

/** The networks, as the recorded nodes report them. */
const networks = {
  granite: { ...local, chains: localChains },
  legacy: { ...local, chains: localChains },
  helicon: {
    network: 'network-88003',
    networkId: 88003,
    hrp: 'custom',
    nativeAssetId: '2acTdwngF4oFmMWpi4LqwZUFgnn1oSpezGX7CbWM2eXjF8uywm',
    durangoTime: 0,
    chains: {
      P: '11111111111111111111111111111111LpoYY',
      X: '8HMjoNhy7dMHTpkbq42J6rfmVqShiyi7vz6o8CBWgRXaxhSav',
      C: 'UiSRx3oXBdb6v2p31dzXSMvQ8zRYb1U5cFuWHy1YBDgZzfFZs',
    },
  },
} as const

export type RecordingName = 'granite' | 'helicon'
export const recordingNames = ['granite', 'helicon'] as const

export function contextOf(recording: keyof typeof networks, chain: 'P' | 'X' | 'C'): ChainContext {
  const { chains, ...network } = networks[recording]
  return { ...network, chain, blockchainId: chains[chain], evmChainId: chain === 'C' ? 43_112 : null, fxs: null }
}

type Rows = { readonly [table: string]: object[] }
type Decode<R extends Rows> = (container: Container, context: ChainContext) => R

/** The rows of many containers, table by table. */
export function rowsOfAll<R extends Rows>(
  containers: readonly Container[],
  decode: Decode<R>,
  context: ChainContext,
): R {
  const all: Record<string, object[]> = {}
  for (const container of containers)
    for (const [table, rows] of Object.entries(decode(container, context))) {
      all[table] ??= []
      for (const row of rows) all[table].push(row)
    }
  return all as R
}

const known = new Map<string, Rows>()

/** The rows of all containers of a chain in a recording; decoded once. */
export function recordedRows<R extends Rows>(recording: RecordingName, chain: 'P' | 'X' | 'C', decode: Decode<R>): R {
  const path = `${recording}/${chain.toLowerCase()}-containers`
  const rows = known.get(path) ?? rowsOfAll(recordedContainers(path), decode, contextOf(recording, chain))
  known.set(path, rows)
  return rows as R
}
