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
