import type { IndexPath } from './network.ts'

/**
 * A generated network is a folder: a file for each index, and `created.json` with the blockchains that the P chain has
 * created. A file holds the JSON texts of its containers, side by side with commas between them; then their 32-byte ids;
 * then where each text begins (float64, one more than there are containers); then how many containers there are after
 * each step (float64, from none at step 0 on); then a JSON trailer and its length (u32).
 */
export type Trailer = {
  readonly count: number
  readonly steps: number
  readonly textBytes: number
}

export type CachedChain = {
  readonly id: string
  readonly name: string
  readonly subnetId: string
  /** Height of the P block with its transaction. */
  readonly height: number
}

export const idBytes = 32
export const numberBytes = 8

export const createdFile = 'created.json'

export function indexFile(path: IndexPath): string {
  return `${path.replace('/', '-')}.containers`
}
