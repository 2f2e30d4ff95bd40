/** The rules of the chain from one height on. Heights and times are fixed: a longer chain begins like a shorter one. */
export type Era = {
  readonly name: EraName
  /** Container index from which on the era may begin; it does when no stake ends before its time. */
  readonly from: number
  /** Activation in Unix seconds. */
  readonly time: number
}

export type EraName =
  | 'apricot'
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

const eraHours = 2 * 3600

const beginnings: readonly (readonly [EraName, number])[] = [
  ['apricot', 0],
  ['apricot4', 120],
  ['apricot5', 190],
  ['banff', 260],
  ['cortina', 350],
  ['durango', 440],
  ['etna', 580],
  ['granite', 760],
  ['helicon', 920],
]

export const eras: readonly Era[] = beginnings.map(([name, from], position) => ({
  name,
  from,
  time: genesisTime + position * eraHours,
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
