import { chains } from '../../../schemas/chains.ts'
import type { Inventory } from '../../catalog/catalog.ts'
import type { Table } from '../../define/index.ts'
import { countText } from '../../lib/text/count-text.ts'
import type { Finding, Remark } from '../lake/finding.ts'
import { type Checked, type LakeRows, rowCount, tablesWithFiles } from '../lake/lake-rows.ts'

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
  return { findings, remarks: await secondNames(rows) }
}

/** Of a table with more rows, one block in this many is compared. */
const sampled = 64
const wholeRows = 1_000_000

/**
 * EVM chains that the lake has under two names: by two networks, or by a chain id and a blockchain id. Blocks of equal hashes show it, and
 * otherwise transactions of equal hashes in blocks of equal numbers.
 */
async function secondNames(rows: LakeRows): Promise<Remark[]> {
  const found = new Map<string, Remark>()
  const add = (names: readonly string[], proof: string, table?: string): void => {
    const [first, ...others] = names
    for (const other of others)
      if (!found.has(`${first} ${other}`))
        found.set(`${first} ${other}`, {
          message: `${first} and ${other} are one EVM chain: ${proof}. Sums over both count its rows twice. \`chainlake repair --chain ${other}\` removes the rows of one of them.`,
          ...(table === undefined ? {} : { table }),
        })
  }
  for (const names of namesOfBlocks(rows.inventory)) add(names, 'the same block identifies both')
  for (const table of tablesWithFiles(rows)) {
    const proof = proofIn(table)
    if (proof === null || !rows.looksAt(table)) continue
    const relation = rows.relation(table, rows.filesOf(table))
    const [names] = await rows.engine.rows(`SELECT count(DISTINCT (network, chain_id))::INT AS n FROM ${relation}`)
    if (Number(names?.['n']) < 2) continue
    const sample = rowCount(rows.filesOf(table)) > wholeRows ? `AND block_number % ${sampled} = 0` : ''
    const same = await rows.engine.rows(
      `SELECT names, count(*)::BIGINT AS n FROM (SELECT list_sort(list(DISTINCT network || '/' || chain_id)) AS names FROM ${relation} WHERE block_number > 0 ${sample} GROUP BY ${proof.columns} HAVING count(DISTINCT (network, chain_id)) > 1) GROUP BY names ORDER BY names`,
    )
    for (const { names, n } of same)
      add(
        names as unknown as string[],
        `${table.name} has ${countText(Number(n))} ${proof.what} under both names`,
        table.name,
      )
  }
  return [...found.values()]
}

/** Names of chains that the same block identifies. A genesis block may be that of several chains. */
function namesOfBlocks({ anchors }: Inventory): string[][] {
  const byHash = new Map<string, string[]>()
  for (const { network, chainId, number, hash } of anchors)
    if (number > 0) byHash.set(hash, [...(byHash.get(hash) ?? []), `${network}/${chainId}`])
  return [...byHash.values()].filter((names) => names.length > 1)
}

/** The columns with which a table shows that two rows are of one chain; null if it has none. */
function proofIn({ columns }: Table): { readonly columns: string; readonly what: string } | null {
  const has = (name: string) => Object.hasOwn(columns, name)
  if (!['network', 'chain_id', 'block_number'].every(has)) return null
  if (has('block_hash')) return { columns: 'block_number, block_hash', what: 'blocks' }
  return has('transaction_hash') ? { columns: 'block_number, transaction_hash', what: 'transactions' } : null
}
