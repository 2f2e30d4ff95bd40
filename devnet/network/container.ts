/** A container of an index, as the node has accepted it. */
export type GeneratedContainer = {
  readonly bytes: Uint8Array
  readonly id: Uint8Array
  /** When the node accepted it, in Unix seconds. Nanoseconds are added later. */
  readonly clock: number
  readonly nanoseconds: number
}
