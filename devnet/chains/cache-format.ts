import type { IndexPath } from './network.ts'

/**
 * A generated network is a folder with one file for each index, and `created.json` with the blockchains that the P-Chain has created. An
 * index file holds the JSON texts of its containers, separated by commas; then their 32-byte ids; then the offset of each text (float64,
 * one more than there are containers); then the number of containers after each step (float64, starting with step 0); then a JSON trailer
 * and its length in bytes (u32).
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
  /** Height of the P-Chain block with the transaction. */
  readonly height: number
}

export const idBytes = 32
export const numberBytes = 8

export const createdFile = 'created.json'

export function indexFile(path: IndexPath): string {
  return `${path.replace('/', '-')}.containers`
}
