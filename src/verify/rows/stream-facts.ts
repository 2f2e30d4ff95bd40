import type { Inventory, InventoryFile } from '../../catalog/catalog.ts'
import type { Table } from '../../define/index.ts'
import type { Stream } from '../../model.ts'

/** A fact about streams: the value of a column in all rows of a stream; undefined if the stream does not have one. */
export type StreamFact = {
  readonly column: string
  readonly valueIn: (stream: Stream, idOf: IdOf) => string | undefined
}

/** The id of a chain, by its alias or id; undefined for an alias that the lake does not know because it was read from services only. */
type IdOf = (network: string, name: string) => string | undefined

const isEvmId = (chain: string) => /^\d+$/.test(chain)

/** The facts that streams hold in columns of their own. Their parameters hold what a table declares (`streamValues`). */
const columnFacts: readonly StreamFact[] = [
  { column: 'network', valueIn: ({ network }) => network },
  { column: 'chain_id', valueIn: ({ chain }) => (chain !== undefined && isEvmId(chain) ? chain : undefined) },
  {
    column: 'blockchain_id',
    valueIn: ({ network, chain }, idOf) => (chain === undefined || isEvmId(chain) ? undefined : idOf(network, chain)),
  },
]

/** The values that a column may have in the rows of a file; null if the streams of the file do not say it. */
export function allowedValues(
  { streams }: Pick<Inventory, 'streams'>,
  { sources, network }: InventoryFile,
  { column, valueIn }: StreamFact,
  idOf: IdOf,
): string[] | null {
  if (column === 'network' && network !== null) return [network]
  if (sources.length === 0) return null
  const values = sources.map(({ stream: id }) => {
    const stream = streams.get(id)
    return stream === undefined ? undefined : valueIn(stream, idOf)
  })
  return values.some((value) => value === undefined) ? null : [...new Set(values as string[])]
}

export function factsOf({ name, columns, streamValues }: Table): StreamFact[] {
  return [
    // The blockchain ids of tables of the P-Chain are those of other chains.
    ...columnFacts.filter(({ column }) => column in columns && !(column === 'blockchain_id' && name.startsWith('p_'))),
    ...streamValues.map(({ column, parameter }) => ({
      column,
      valueIn: ({ parameters }: Stream) => parameters[parameter]?.toString(),
    })),
  ]
}
