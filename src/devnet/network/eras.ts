/** The rules of the network from one height of the P chain on. Heights and times are fixed: a longer chain begins like a shorter one. */
export type Era = {
  readonly name: EraName
  /** Container index from which on the era may begin; it does when no stake ends before its time. */
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

/** 2025-11-01T00:00:00Z: the time of the genesis. */
export const genesisTime = 1_761_955_200

/** Name, container index and hours after the genesis. Apricot 2 comes with 3, Fortuna with Etna. */
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

/** Whether an era's rules hold in another, later or equal one. */
export function since(era: Era, name: EraName): boolean {
  return position.get(era.name)! >= position.get(name)!
}

export function timeOf(name: EraName): number {
  return eras[position.get(name)!]!.time
}

/** Length of an epoch of Granite (ACP-181), in seconds. */
export const epochSeconds = 300
