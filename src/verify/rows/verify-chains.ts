import { chains } from '../../../schemas/chains.ts'
import type { Finding } from '../lake/finding.ts'
import type { Checked, LakeRows } from '../lake/lake-rows.ts'

/** Checks that the table of chains has a row with the same ids for each chain of the catalog, and that its streams have one slice each. */
export async function verifyChains(rows: LakeRows): Promise<Checked> {
  const { inventory } = rows
  const findings: Finding[] = inventory.coverage
    .filter(({ table, slice }) => table === chains.name && (slice.from !== 0 || slice.to !== 1))
    .map(({ network, stream, table, slice }) => ({
      kind: 'catalog.coverage',
      message: 'The chains of a network are one slice, but the catalog lists other slices as covered.',
      network,
      stream,
      table,
      slice,
    }))
  const found = await rows.engine.rows(
    `SELECT network, blockchain_id, alias, vm_id, subnet_id, native_asset_id FROM ${rows.relation(chains, rows.filesOf(chains))}`,
  )
  for (const { network, chains: known, nativeAssetId } of inventory.networks) {
    const own = found.filter((row) => row['network'] === network)
    if (own.length === 0 && !inventory.coverage.some((row) => row.table === chains.name && row.network === network))
      continue
    for (const { alias, blockchainId, vmId, subnetId } of known) {
      const row = own.find((each) => each['blockchain_id'] === blockchainId)
      const place = { network, table: chains.name, key: { network, blockchain_id: blockchainId } }
      if (row === undefined)
        findings.push({
          ...place,
          kind: 'rows.missing',
          message: `The table chains does not have the ${alias}-Chain.`,
          rows: 1,
        })
      else if (
        row['alias'] !== alias ||
        row['subnet_id'] !== subnetId ||
        (row['vm_id'] !== null && row['vm_id'] !== vmId) ||
        (row['native_asset_id'] !== null && nativeAssetId !== null && row['native_asset_id'] !== nativeAssetId)
      )
        findings.push({
          ...place,
          kind: 'rows.count',
          message: `The ids of the ${alias}-Chain in the table chains differ from the catalog.`,
          expected: [alias, vmId, subnetId, nativeAssetId].join(', '),
          found: [row['alias'], row['vm_id'], row['subnet_id'], row['native_asset_id']].join(', '),
        })
    }
  }
  return { findings, remarks: [] }
}
