import { type ChainRow, chains } from '../../../schemas/chains.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import type { NetworkIdentity } from '../../define/index.ts'
import { CatalogError } from '../../errors.ts'
import { type Stream, streamId } from '../../model.ts'
import type { Store } from '../../store/store.ts'
import type { ParquetThread } from '../../write/parquet-thread.ts'

/** The stream of the table `chains`. */
export function chainsStream(network: string): Stream {
  return { network, path: 'chains', kind: 'chains', parameters: {} }
}

/** Writes the rows of a network to the table `chains`, unless they are already in the lake. These rows never change. */
export async function writeChains(options: {
  store: Store
  catalog: Catalog
  thread: ParquetThread
  runId: string
  nextPart: () => number
  identity: NetworkIdentity
  /** Ids of the streams that are already covered. */
  covered: ReadonlySet<string>
}): Promise<void> {
  const { catalog, identity, runId, covered } = options
  const stream = chainsStream(identity.network)
  if (covered.has(streamId(stream))) return
  const { createUnitWriter, removeParts } = await import('../rows/unit-writer.ts')
  const writer = createUnitWriter({ ...options, tables: [chains], firstIndex: 0, after: Promise.resolve() })
  const append = writer.appender(chains.name)
  for (const row of chainRows(identity)) append(row)
  const parts = await writer.finish()
  try {
    await catalog.commit({
      runId,
      stream,
      tables: [chains.name],
      parts,
      progress: { kind: 'slice', slice: { from: 0, to: 1 }, ends: null },
      basis: null,
    })
  } catch (error) {
    if (!(error instanceof CatalogError) || error.code !== 'catalog.overlap') throw error
    // Another run has written the rows in the meantime.
    await removeParts(options.store, parts)
  }
}

function chainRows(identity: NetworkIdentity): ChainRow[] {
  return identity.chains
    .map((chain) => ({
      network: identity.network,
      blockchain_id: chain.blockchainId,
      alias: chain.alias,
      vm_id: chain.vmId,
      subnet_id: chain.subnetId,
      native_asset_id: identity.nativeAssetId,
    }))
    .sort((a, b) => (a.blockchain_id < b.blockchain_id ? -1 : 1))
}
