import { idText } from '../../codec/ids.ts'
import { chainTexts } from '../../devnet/network/genesis.ts'

type Moved = { readonly asset: string; readonly amount: bigint }

/** Follows transfers between chains: an import must consume an exported output once and with the stated amounts. */
export type Traffic = {
  readonly problems: string[]
  /** How many outputs have been imported, by source and destination (`PX`). */
  readonly imported: Map<string, number>
  /** How many of them were of an asset other than the native one, by source and destination. */
  readonly foreign: Map<string, number>
  export(from: Alias, to: Uint8Array, place: Place, moved: Moved): void
  import(to: Alias, from: Uint8Array, place: Place, moved: Moved): void
  waiting(): number
}

export type Alias = keyof typeof chainTexts
type Place = { readonly txID: Uint8Array; readonly outputIndex: number }

export function createTraffic(nativeAsset: string): Traffic {
  const waiting = new Map<string, Moved>()
  const problems: string[] = []
  const imported = new Map<string, number>()
  const foreign = new Map<string, number>()
  const bump = (map: Map<string, number>, way: string): void => {
    map.set(way, (map.get(way) ?? 0) + 1)
  }
  return {
    problems,
    imported,
    foreign,
    export: (from, to, place, moved) => {
      const key = `${from}${aliasOf(to)} ${keyOf(place)}`
      if (waiting.has(key)) problems.push(`${key} is exported twice`)
      waiting.set(key, moved)
    },
    import: (to, from, place, { asset, amount }) => {
      const way = `${aliasOf(from)}${to}`
      const key = `${way} ${keyOf(place)}`
      const moved = waiting.get(key)
      if (moved === undefined) problems.push(`${key} is imported, but was not exported`)
      else if (moved.asset !== asset || moved.amount !== amount) problems.push(`${key} is misstated`)
      waiting.delete(key)
      bump(imported, way)
      if (asset !== nativeAsset) bump(foreign, way)
    },
    waiting: () => waiting.size,
  }
}

function keyOf({ txID, outputIndex }: Place): string {
  return `${idText(txID)}:${outputIndex}`
}

function aliasOf(id: Uint8Array): string {
  const text = idText(id)
  return Object.entries(chainTexts).find(([, known]) => known === text)?.[0] ?? text
}

type ExportTx = {
  readonly destinationChain: Uint8Array
  readonly exportedOutputs: readonly { readonly assetID: Uint8Array; readonly output: Output }[]
}
type Output = { readonly amount: bigint } | { readonly output: { readonly amount: bigint } }

/** Exported outputs are numbered after the other outputs. */
export function exportFrom(alias: Alias, traffic: Traffic, txID: Uint8Array, first: number, tx: ExportTx): void {
  tx.exportedOutputs.forEach(({ assetID, output }, at) => {
    const amount = 'amount' in output ? output.amount : output.output.amount
    traffic.export(alias, tx.destinationChain, { txID, outputIndex: first + at }, { asset: idText(assetID), amount })
  })
}
