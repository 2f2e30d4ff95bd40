import { tables as declaredTables } from '../../schemas/index.ts'
import { type Catalog, type Inventory, openCatalog, type TakenHash } from '../catalog/catalog.ts'
import { ChainlakeError, ConfigError } from '../errors.ts'
import type { Store } from '../store/store.ts'
import type { AskedNode } from './ask-node.ts'
import { type Certificate, certify } from './certificate.ts'
import { compareCertificates } from './compare-certificates.ts'
import { type Engine, openEngine } from './engine.ts'
import type { Finding, Remark } from './finding.ts'
import { bothChecked, type Checked, type LakeRows, lakeRows, nothingFound, tornTables } from './lake-rows.ts'
import type { VerifyReport } from './report.ts'
import { verifyCatalog } from './verify-catalog.ts'
import { verifyFiles } from './verify-files.ts'
import { listDataFiles, verifyNamed } from './verify-named.ts'
import { verifyRows } from './verify-rows.ts'

export type VerifyOptions = {
  readonly lakeDir: string
  readonly fast?: boolean
  /** Only these networks and tables; all when empty. */
  readonly networks?: readonly string[]
  readonly tables?: readonly string[]
  /** A file for a certificate of what is there, written when nothing is wrong. */
  readonly certificate?: string
  /** A node that is asked for a sample of what the lake holds of its network. */
  readonly node?: AskedNode
  /** Whether a certificate of what is there is made, too, when nothing is wrong. */
  readonly certifying?: boolean
  readonly stop?: AbortSignal
  readonly onProgress?: (progress: VerifyProgress) => void
}

export type VerifyProgress = { readonly what: string; readonly done: number; readonly of: number }

/**
 * Proves a lake, as of the moment when it begins: runs may go on. Nothing is changed but for hashes of files that have none.
 *
 * @throws CatalogError and StorageError when the lake cannot be opened or read; ConfigError for a table or network that it lacks.
 */
export async function verifyLake(options: VerifyOptions): Promise<VerifyReport> {
  const { lakeDir, fast = false, stop = new AbortController().signal, onProgress = () => undefined } = options
  const startedMs = performance.now()
  const catalog = await openCatalog(lakeDir, declaredTables, { stop })
  const { store } = catalog
  const paths = await listDataFiles(store)
  const whole = await catalog.inventory()
  const inventory = selected(whole, options)
  const all = inventory.tables.reduce((sum, { files }) => sum + files.length, 0)
  let done = 0
  const named = await verifyNamed(paths, { store, inventory: whole })
  const files = await verifyFiles({
    store,
    catalog,
    inventory,
    declared: declaredTables,
    hashing: !fast,
    stop,
    onFile: () => onProgress({ what: 'files', done: ++done, of: all }),
  })
  const before: Finding[] = [...verifyCatalog(whole), ...files.findings, ...named.findings]
  // Of tables with files that are not whole no rows are read.
  const torn = tornTables(files.findings)
  const readsRows = !fast || options.node !== undefined
  const read = readsRows ? inventory.tables.filter(({ name }) => !torn.has(name)) : []
  const ofRows = await withRows(read, store, stop, async (engine) => {
    const rows = lakeRows({ engine, inventory, store, catalog, findings: files.findings })
    const ofRows = fast ? nothingFound : await verifyRows(rows, onProgress)
    const ofNode =
      options.node === undefined ? nothingFound : await compareNode(rows, options.node, { stop, onProgress })
    const checked = bothChecked(ofRows, ofNode)
    const isSound = before.length + checked.findings.length === 0
    return { ...checked, certificate: options.certifying === true && isSound ? await certify(rows) : null }
  })
  const recorded = await keepHashes(
    catalog,
    files.taken.filter(({ path }) => !ofRows.findings.some(({ file }) => file === path)),
  )
  return {
    lake: lakeDir,
    snapshot: whole.snapshot,
    mode: fast ? 'fast' : 'full',
    findings: [...before, ...ofRows.findings],
    certificate: ofRows.certificate,
    remarks: [...named.remarks, ...ofRows.remarks, ...recorded.remarks],
    checked: checkedOf(inventory),
    hashesRecorded: recorded.count,
    seconds: (performance.now() - startedMs) / 1000,
  }
}

/** Compares what a lake holds with what a certificate says of another one, or of the same one before. Files are read once, for their rows. */
export async function compareLake(
  options: Pick<VerifyOptions, 'lakeDir' | 'networks' | 'tables' | 'stop'>,
  against: Certificate,
): Promise<VerifyReport> {
  const { lakeDir, stop = new AbortController().signal } = options
  const startedMs = performance.now()
  const catalog = await openCatalog(lakeDir, declaredTables, { stop })
  const inventory = selected(await catalog.inventory(), options)
  const { store } = catalog
  const own = await withRows(inventory.tables, store, stop, (engine) =>
    certify(lakeRows({ engine, inventory, store, catalog, findings: [] })),
  )
  return {
    lake: lakeDir,
    snapshot: inventory.snapshot,
    mode: 'against',
    findings: compareCertificates(own, selectedCertificate(against, options)),
    certificate: own,
    remarks: [],
    checked: checkedOf(inventory),
    hashesRecorded: 0,
    seconds: (performance.now() - startedMs) / 1000,
  }
}

/** What of a certificate is about the networks and tables that are looked at. */
function selectedCertificate(
  { streams, tables, ...rest }: Certificate,
  { networks = [], tables: names = [] }: Pick<VerifyOptions, 'networks' | 'tables'>,
): Certificate {
  const isOf = (network: string, table: string) =>
    (networks.length === 0 || networks.includes(network)) && (names.length === 0 || names.includes(table))
  return {
    ...rest,
    streams: streams.filter(({ stream, table }) => isOf(stream.split('/')[0] ?? '', table)),
    tables: tables.filter(({ network, table }) => isOf(network, table)),
  }
}

async function compareNode(
  rows: LakeRows,
  node: AskedNode,
  options: { readonly stop: AbortSignal; readonly onProgress: (progress: VerifyProgress) => void },
): Promise<Checked> {
  const { askNode } = await import('./ask-node.ts')
  return askNode(rows, node, options)
}

/** Runs `use` with a DuckDB, and the files of tables where it reads them. */
async function withRows<T>(
  tables: Inventory['tables'],
  store: Store,
  stop: AbortSignal,
  use: (engine: Engine) => Promise<T>,
): Promise<T> {
  const held = await store.readable(tables.flatMap(({ files }) => files.map(({ path }) => path)))
  try {
    const engine = await openEngine(stop)
    try {
      return await use(engine)
    } finally {
      await engine.close()
    }
  } finally {
    await held.release()
  }
}

function checkedOf({ tables }: Inventory): VerifyReport['checked'] {
  const files = tables.flatMap((table) => table.files)
  return {
    tables: tables.length,
    files: files.length,
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    rows: files.reduce((sum, { rows }) => sum + rows, 0),
  }
}

/** Hashes can be taken of a lake that may only be read; they are just not kept then. */
async function keepHashes(
  catalog: Pick<Catalog, 'recordHashes'>,
  taken: readonly TakenHash[],
): Promise<{ count: number; remarks: readonly Remark[] }> {
  if (taken.length === 0) return { count: 0, remarks: [] }
  try {
    await catalog.recordHashes(taken)
    return { count: taken.length, remarks: [] }
  } catch (error) {
    if (!(error instanceof ChainlakeError) || error.exitCode !== 5) throw error
    const message = `Hashes of ${taken.length} files of an older version were taken, but could not be recorded: ${error.message}`
    return { count: 0, remarks: [{ message }] }
  }
}

function selected(
  inventory: Inventory,
  { networks = [], tables = [] }: Pick<VerifyOptions, 'networks' | 'tables'>,
): Inventory {
  const known = new Set([
    ...inventory.networks.map(({ network }) => network),
    ...inventory.tables.flatMap(({ files }) => files.flatMap(({ network }) => network ?? [])),
  ])
  const wrongNetwork = networks.find((name) => !known.has(name))
  if (wrongNetwork !== undefined) throw notInLake('network', wrongNetwork, [...known])
  const names = inventory.tables.map(({ name }) => name)
  const wrongTable = tables.find((name) => !names.includes(name))
  if (wrongTable !== undefined) throw notInLake('table', wrongTable, names)
  const isOf = (network: string | null) => networks.length === 0 || network === null || networks.includes(network)
  return {
    ...inventory,
    coverage: inventory.coverage.filter(({ network }) => isOf(network)),
    tables: inventory.tables
      .filter(({ name }) => tables.length === 0 || tables.includes(name))
      .map((table) => ({ ...table, files: table.files.filter(({ network }) => isOf(network)) })),
  }
}

function notInLake(what: 'network' | 'table', name: string, known: readonly string[]): ConfigError {
  return new ConfigError(`The lake has no ${what} ${JSON.stringify(name)}.`, {
    code: `config.${what}`,
    hint: known.length === 0 ? 'It holds nothing yet.' : `It has ${[...known].sort().join(', ')}.`,
  })
}
