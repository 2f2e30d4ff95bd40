import type { InventoryFile } from '../../catalog/catalog.ts'
import type { Table } from '../../define/index.ts'

/** A fact in the names of streams: the value of a column in all rows of the stream. */
export type StreamFact = {
  readonly column: string
  /** Matches the name of a stream; the first group is the value. */
  readonly said: RegExp
  /** Whether the value is the alias or the id of a chain. */
  readonly isChain?: true
}

/** The facts that the path of a stream holds. Its parameters hold what a table declares (`streamValues`). */
const pathFacts: readonly StreamFact[] = [
  { column: 'network', said: /^([^/]+)\// },
  { column: 'chain_id', said: /^[^/]+\/(?:node\/)?[a-z-]+\/(\d+)(?:\?|$)/ },
  { column: 'blockchain_id', said: /^[^/]+\/(?:node\/)?[a-z-]+\/([PXC]|[A-Za-z0-9]{32,})(?:\?|$)/, isChain: true },
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

export function factsOf({ columns, streamValues }: Table): StreamFact[] {
  return [
    ...pathFacts.filter(({ column }) => column in columns),
    ...streamValues.map(({ column, parameter }) => ({ column, said: new RegExp(`[?&]${parameter}=([^&]+)`) })),
  ]
}
