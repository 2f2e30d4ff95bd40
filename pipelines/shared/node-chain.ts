import type { NetworkIdentity } from '../../src/define/index.ts'
import { ConfigError } from '../../src/errors.ts'

/** A chain of a node, named by a job. */
export type NodeChain = {
  /** P, X or C; null for another chain. */
  readonly alias: 'P' | 'X' | 'C' | null
  readonly blockchainId: string
  /** Such as `/ext/bc/X`. */
  readonly path: string
}

/** A chain by its alias or by its id. Throws `ConfigError` for an alias without a known id. */
export function nodeChain({ chains, network }: NetworkIdentity, name: string): NodeChain {
  const known = chains.find(({ alias, blockchainId }) => alias === name || blockchainId === name)
  const path = `/ext/bc/${name}`
  if (known !== undefined) return { alias: known.alias, blockchainId: known.blockchainId, path }
  if (!/^[PXC]$/.test(name)) return { alias: null, blockchainId: name, path }
  throw new ConfigError(`The id of the ${name} chain of ${network} is unknown.`, {
    code: 'config.chain-unknown',
    hint: `Name the chain by its blockchain id instead of ${name}.`,
  })
}

/** Chains by their names, without duplicates under another name. */
export function nodeChains(identity: NetworkIdentity, names: readonly string[]): NodeChain[] {
  const byId = new Map(names.map((name) => nodeChain(identity, name)).map((chain) => [chain.blockchainId, chain]))
  return [...byId.values()]
}
