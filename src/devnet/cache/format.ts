/**
 * A generated chain in one file: the JSON texts of its containers, side by side with commas between them; then their
 * 32-byte ids; then where each text begins (float64, one more than there are containers); then a JSON trailer and its
 * length (u32).
 */
export type Trailer = {
  readonly count: number
  readonly textBytes: number
  readonly chains: readonly CachedChain[]
}

export type CachedChain = {
  readonly id: string
  readonly name: string
  readonly subnetId: string
  readonly height: number
}

export const idBytes = 32
export const offsetBytes = 8
