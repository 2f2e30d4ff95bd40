import { sha256 } from '../../codec/hash.ts'
import { decodeCb58 } from '../../codec/ids.ts'

/** Facts of the simulated network. Its name `local` and its chains are those of a node's own local test network. */
export const networkId = 12345
export const hrp = 'local'
export const nativeAssetText = '2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe'
export const chainTexts = {
  P: '11111111111111111111111111111111LpoYY',
  X: '2eNy1mUFdmaxXNj1eQHUe7Np4gju9sJsEtWQ4MX3ToiNKuADed',
  C: '2owdGqyG6FFzTHy5qhenDXQcEghvr571KZE3gSfRJERSJinuwC',
} as const
export const vmTexts = {
  P: 'rWhpuQPF1kb72esV2momhMuTYGkEb1oL29pt2EBXWmSy4kxnT',
  X: 'jvYyfQTxGMJLuGWa55kdP2p2zSUYsQ5Raupu4TW34ZAUBAbtq',
  C: 'mgj786NP7uDwBCcq6YwThhaN8FLyybkCa4zBWTQbNgmK6k9A6',
} as const

export const nativeAsset = decodeCb58(nativeAssetText)
/**
 * The empty id: it stands for the P-Chain, the primary network and the transaction of genesis outputs. Nodes also use it for a missing id.
 */
export const zeroIdText = chainTexts.P
export const zeroId = new Uint8Array(32)
const xChainId = decodeCb58(chainTexts.X)
const cChainId = decodeCb58(chainTexts.C)
/** The virtual machine of blockchains of subnets. */
export const evmVmText = 'srEXiWaHuhNyGwPUi444Tu47ZEDwxTWrbQiuD7FmgSAQ6X7Dy'
export const evmVmId = decodeCb58(evmVmText)
export const secpFxId = decodeCb58('spdxUxVJQbX85MGxMHbKw1sHxMnSqJ3QBzDyDYEP3h6TLuxqQ')
export const assetVmId = decodeCb58(vmTexts.X)

/** The chain id in the transactions of each chain. The id of the P-Chain is the empty one. */
export const chainIds = { P: zeroId, X: xChainId, C: cChainId } as const

/** A hash that represents the state before the first block of a chain. It depends on the seed. */
export function genesisHash(seed: number, of: string): Uint8Array {
  return sha256(new TextEncoder().encode(`chainlake devnet ${of} ${seed}`))
}

/**
 * The rules of the network from a P-Chain height on. Heights and times are fixed, so a longer chain begins with the same blocks as a
 * shorter one.
 */
export type Era = {
  readonly name: EraName
  /** First container index at which the era may begin. It begins there if no stake ends before its time. */
  readonly from: number
  /** Activation in Unix seconds. */
  readonly time: number
}

export type EraName =
  | 'apricot'
  | 'apricot1'
  | 'apricot3'
  | 'apricot4'
  | 'apricot5'
  | 'banff'
  | 'cortina'
  | 'durango'
  | 'etna'
  | 'granite'
  | 'helicon'

/** Genesis time: 2025-11-01T00:00:00Z, in Unix seconds. */
export const genesisTime = 1_761_955_200

/** Name, container index and hours after the genesis. Apricot 2 starts together with Apricot 3, and Fortuna with Etna. */
const beginnings: readonly (readonly [EraName, number, number])[] = [
  ['apricot', 0, 0],
  ['apricot1', 30, 0.5],
  ['apricot3', 60, 1],
  ['apricot4', 120, 2],
  ['apricot5', 190, 4],
  ['banff', 260, 6],
  ['cortina', 350, 8],
  ['durango', 440, 10],
  ['etna', 580, 12],
  ['granite', 760, 14],
  ['helicon', 920, 16],
]

export const eras: readonly Era[] = beginnings.map(([name, from, hours]) => ({
  name,
  from,
  time: genesisTime + hours * 3600,
}))

const position = new Map(eras.map(({ name }, at) => [name, at]))

/** Whether the rules of an era hold in `era`: it is the same era or a later one. */
export function since(era: Era, name: EraName): boolean {
  return position.get(era.name)! >= position.get(name)!
}

export function timeOf(name: EraName): number {
  return eras[position.get(name)!]!.time
}

/** Length of a Granite epoch (ACP-181), in seconds. */
export const epochSeconds = 300
