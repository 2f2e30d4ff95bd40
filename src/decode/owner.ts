import { addressTexts } from './texts.ts'

/** An owner as the codec returns it. Owners of L1 validators have no locktime (Unix seconds). */
type OwnerValue = {
  readonly threshold: number
  readonly addresses: readonly Uint8Array[]
  readonly locktime?: bigint
}

type OwnerCells<P extends string> = { [K in `${P}_threshold`]: number | bigint | null } & {
  [K in `${P}_locktime`]: bigint | null
} & { [K in `${P}_addresses`]: string[] | null }

/** Fills the three columns of an owner. */
export function setOwner<const P extends string>(row: OwnerCells<P>, prefix: P, owner: OwnerValue, hrp: string): void {
  const cells = row as Record<string, unknown>
  cells[`${prefix}_threshold`] = owner.threshold
  cells[`${prefix}_locktime`] = owner.locktime ?? null
  cells[`${prefix}_addresses`] = addressTexts(hrp, owner.addresses)
}
