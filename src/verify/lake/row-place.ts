import { evmStateDiffsPipeline } from '../../../pipelines/evm-state-diffs.ts'
import { evmTracesPipeline } from '../../../pipelines/evm-traces.ts'
import type { Inventory } from '../../catalog/catalog.ts'
import type { Table } from '../../define/index.ts'
import { pathId } from '../../model.ts'
import type { AnswerRow } from './engine.ts'
import type { Finding } from './finding.ts'

type Networks = Pick<Inventory, 'networks'>
type Place = Pick<Finding, 'network' | 'table' | 'stream' | 'slice' | 'height'>

/** The location of a row: its network and height, and the stream and coordinate that it was read from. */
export function placeOfRow(inventory: Networks, { name }: Pick<Table, 'name'>, row: AnswerRow): Place {
  const network: string | undefined = row['network'] ?? undefined
  const height = numberOf(row['height'] ?? row['block_number'])
  const place: Place = {
    table: name,
    ...(network === undefined ? {} : { network }),
    ...(height === null ? {} : { height }),
  }
  if (network === undefined || height === null) return place
  const path = streamOf(inventory, name, network, row)
  if (path === null) return place
  return { ...place, stream: pathId({ network, path }), slice: { from: height, to: height + 1 } }
}

function streamOf(inventory: Networks, table: string, network: string, row: AnswerRow): string | null {
  if (table.startsWith('p_')) return 'P/block'
  const chain: string | undefined = row['blockchain_id'] ?? undefined
  if ((table.startsWith('x_') || table.startsWith('c_')) && chain !== undefined)
    return `${chainName(inventory, network, chain)}/block`
  const evm: string | undefined = row['chain_id'] ?? undefined
  if (table.startsWith('evm_') && evm !== undefined) return `${evmPipelineOf(table)}/${evm}`
  return null
}

/** The pipeline over all blocks of an EVM chain that fills a table. Its name is that of its streams. */
function evmPipelineOf(table: string): string {
  const own = [evmTracesPipeline, evmStateDiffsPipeline].find(({ tables, optional }) =>
    [tables, ...Object.values(optional)].flatMap((each) => Object.values(each)).some(({ name }) => name === table),
  )
  return own?.name ?? 'evm-blocks'
}

/** The name of a chain in streams: its alias, or else its id. */
export function chainName({ networks }: Networks, network: string, blockchainId: string): string {
  const chains = networks.find((known) => known.network === network)?.chains ?? []
  return chains.find((chain) => chain.blockchainId === blockchainId)?.alias ?? blockchainId
}

/** The id of a chain, from its name in streams. */
export function chainId({ networks }: Networks, network: string, name: string): string {
  const chains = networks.find((known) => known.network === network)?.chains ?? []
  return chains.find(({ alias }) => alias === name)?.blockchainId ?? name
}

export function numberOf(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value)
}
