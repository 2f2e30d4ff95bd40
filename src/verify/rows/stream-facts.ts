import type { InventoryFile } from '../../catalog/catalog.ts'
import type { Table } from '../../define/index.ts'

/** A fact in the names of streams: the value of a column in all rows of the stream. */
export type StreamFact = {
  readonly column: string
  /** Matches the path and parameters of a stream; the first group is the value. */
  readonly said: RegExp
  /** The tables that this fact applies to. By default, all tables that have the column. */
  readonly tables?: readonly string[]
  /** Whether the value is the alias or the id of a chain. */
  readonly isChain?: true
}

const chainName = '([A-Za-z0-9]+)'

/** All facts that the names of streams hold. */
export const streamFacts: readonly StreamFact[] = [
  { column: 'network', said: /^([^/]+)\// },
  {
    column: 'chain_id',
    said: /^[^/]+\/(?:node\/)?(?:evm-blocks|evm-logs|evm-proofs|evm-state|balances|holders|token-transfers|wallet-transfers|tps|rest-evm-blocks)\/(\d+)(?:\?|$)/,
  },
  {
    column: 'blockchain_id',
    said: new RegExp(
      `^[^/]+/(?:node/)?(?:address-balances|utxo-set|rest-transactions|rest-utxos|vertices|node-blocks)/${chainName}(?:\\?|$)`,
    ),
    isChain: true,
  },
  { column: 'node_id', said: /\/node-blocks\/[^?]+\?(?:.*&)?nodeId=([^&]+)/, tables: ['rest_node_blocks'] },
  {
    column: 'token_address',
    said: /\/token-transfers\/[^?]+\?(?:.*&)?contract=([^&]+)/,
    tables: ['rest_erc20_transfers', 'rest_erc721_transfers', 'rest_erc1155_transfers'],
  },
  { column: 'interval', said: /\/tps\/[^?]+\?(?:.*&)?interval=([^&]+)/, tables: ['metrics_chain_tps'] },
  { column: 'currency', said: /\/rewards\?(?:.*&)?currency=([^&]+)/, tables: ['rest_rewards'] },
]

/**
 * The values that a column may have in the rows of a file; null if the streams of the file do not say it. `idOf` returns the id of a chain
 * for its alias or id, or undefined for an alias that the lake does not know because it was read from services only.
 */
export function allowedValues(
  { sources, network }: InventoryFile,
  { column, said, isChain }: StreamFact,
  idOf: (network: string, name: string) => string | undefined,
): string[] | null {
  if (column === 'network' && network !== null) return [network]
  if (sources.length === 0) return null
  const values = sources.map(({ stream }) => {
    const value = said.exec(stream)?.[1]
    return value === undefined || isChain !== true ? value : idOf(stream.split('/')[0] ?? '', value)
  })
  return values.some((value) => value === undefined) ? null : [...new Set(values as string[])]
}

export function factsOf(table: Table): StreamFact[] {
  return streamFacts.filter(
    ({ column, tables }) => column in table.columns && (tables === undefined || tables.includes(table.name)),
  )
}
