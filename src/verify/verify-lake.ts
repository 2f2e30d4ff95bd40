import { tables as declaredTables } from '../../schemas/index.ts'
import { type Catalog, type Inventory, openCatalog } from '../catalog/catalog.ts'
import type { LakeLocation } from '../catalog/place.ts'
import { ConfigError } from '../errors.ts'
import { takeSpillFolder } from '../run/disk-space.ts'
import { verifyCatalog } from './catalog-checks.ts'
import { certify, compareCertificates, splitBy } from './certificate.ts'
import { locateDamage } from './damage.ts'
import { lastReplaced, listDataFiles, verifyFiles, verifyNamed, verifyPublished } from './files.ts'
import {
  bothChecked,
  type CheckEngine,
  type Checked,
  type LakeRows,
  lakeRows,
  nothingFound,
  openEngine,
  tornTables,
} from './lake.ts'
import type { Certificate, Finding, OnProgress, VerifyReport } from './report.ts'
import type { ComparedService } from './source/lists.ts'
import type { ComparedNode } from './source/node.ts'
import { waitingRemarks } from './streams.ts'
import { verifyRows } from './verify-rows.ts'

type VerifyOptions = {
  readonly lake: LakeLocation
  readonly fast?: boolean
  /** Verifies only these networks and tables; an empty list means all. */
  readonly networks?: readonly string[]
  readonly tables?: readonly string[]
  /** A node to compare a sample of the rows of its network with. */
  readonly node?: ComparedNode
  /** The JSON-RPC endpoint of an EVM chain, as the URL of a node, to compare a sample of the chain's blocks with. */
  readonly rpc?: ComparedNode
  /** A REST service to compare some pages of its lists with. */
  readonly service?: ComparedService
  /** An earlier certificate of this lake: bytes and rows of the files that it names are not read again. */
  readonly since?: Certificate
  /** Whether to create a certificate of the lake when nothing is wrong. */
  readonly certifying?: boolean
  readonly stop?: AbortSignal
  readonly onProgress?: OnProgress
}

/** How often a verification starts, when other processes replace and remove the files that it reads. */
const mostAttempts = 3

/**
 * Verifies a lake as of the start of the verification. Runs, compactions and expiries may continue meanwhile. It changes nothing in the lake.
 *
 * @throws CatalogError and StorageError when the lake cannot be opened or read; ConfigError for a table or network that it does not have.
 */
export async function verifyLake(options: VerifyOptions): Promise<VerifyReport> {
  const { lake, stop = new AbortController().signal } = options
  if (options.node !== undefined || options.rpc !== undefined)
    await (await import('./source/node.ts')).reachSources(options, stop)
  const catalog = await openCatalog(lake, declaredTables, { stop })
  for (let attempt = 1; ; attempt++) {
    const startedMs = performance.now()
    const paths = await listDataFiles(catalog.store)
    const whole = await catalog.inventory()
    const end = await verifyOnce(options, catalog, { startedMs, paths, whole }).then(
      (report) => ({ report, isWrong: report.findings.length > 0 }),
      (error: unknown) => ({ error, isWrong: error instanceof Error && !stop.aborted }),
    )
    const retries = end.isWrong && attempt < mostAttempts && (await isOvertaken(catalog, whole))
    if (retries) continue
    if ('report' in end) return end.report
    throw end.error
  }
}

/** Whether files of the first inventory are gone and no longer in the catalog, because other files replaced them. */
async function isOvertaken(catalog: Catalog, inventory: Inventory): Promise<boolean> {
  const before = inventory.tables.flatMap(({ files }) => files.map(({ path }) => path))
  const sizes = await catalog.store.sizes(before).catch(() => [])
  const gone = before.filter((_, position) => sizes[position] === null)
  if (gone.length === 0) return false
  const { tables } = await catalog.files()
  const named = new Set(tables.flatMap(({ files }) => files.map(({ path }) => path)))
  return gone.some((path) => !named.has(path))
}

async function verifyOnce(
  options: VerifyOptions,
  catalog: Catalog,
  {
    startedMs,
    paths,
    whole,
  }: { readonly startedMs: number; readonly paths: readonly string[]; readonly whole: Inventory },
): Promise<VerifyReport> {
  const { lake, fast = false, stop = new AbortController().signal, onProgress = () => undefined } = options
  const { store } = catalog
  const all = selected(whole, options)
  const { recent: inventory, known } =
    options.since === undefined ? { recent: all, known: null } : splitBy(all, options.since)
  const unread = new Set(known?.flatMap((table) => table.files))
  const named = await verifyNamed(paths, { store, inventory: whole, replaced: await lastReplaced(lake.folder) })
  const published = await verifyPublished(lake.folder, catalog)
  const files = await verifyFiles({
    catalog,
    inventory: all,
    hashes: (file) => !fast && !unread.has(file),
    stop,
    onProgress,
  })
  // Rows of tables with damaged files are not read.
  const torn = tornTables(files)
  const readsRows = !fast || [options.node, options.rpc, options.service].some((source) => source !== undefined)
  // A certificate is about all rows.
  const certified = options.certifying === true ? all : inventory
  const read = readsRows ? certified.tables.filter(({ name }) => !torn.has(name)) : []
  const ofRows = await withRows(read, { lake, catalog, stop }, async (engine) => {
    const located = await locateDamage(files, { engine, store, inventory: all })
    const rowsOf = (of: Inventory) =>
      lakeRows({ engine, inventory: of, catalog, findings: files, only: options.tables ?? [] })
    const before: Finding[] = [
      ...(await verifyCatalog(rowsOf(whole))),
      ...located,
      ...named.findings,
      ...published.findings,
    ]
    const rows = rowsOf(inventory)
    const ofRows = fast ? nothingFound : await verifyRows(rows, onProgress)
    stop.throwIfAborted()
    const ofNode = await compareSources(rows, catalog, options, { stop, onProgress })
    const checked = bothChecked(ofRows, ofNode)
    const isSound = before.length + checked.findings.length === 0
    const certificate = options.certifying === true && isSound ? await certify(rowsOf(certified)) : null
    return { ...checked, before, certificate }
  })
  return {
    lake: lake.folder,
    snapshot: whole.snapshot,
    mode: known !== null ? 'since' : fast ? 'fast' : 'full',
    findings: [...ofRows.before, ...ofRows.findings],
    certificate: ofRows.certificate,
    remarks: [...named.remarks, ...published.remarks, ...(await waitingRemarks(all)), ...ofRows.remarks],
    unverifiable: ofRows.unverifiable ?? [],
    checked: checkedOf(inventory.tables),
    ...(known === null ? {} : { known: checkedOf(known) }),
    seconds: (performance.now() - startedMs) / 1000,
  }
}

/** Compares a lake with a certificate of another lake, or of the same lake at an earlier time. It reads each file once. */
export async function compareLake(
  options: Pick<VerifyOptions, 'lake' | 'networks' | 'tables' | 'stop'>,
  against: Certificate,
): Promise<VerifyReport> {
  const { lake, stop = new AbortController().signal } = options
  const startedMs = performance.now()
  const catalog = await openCatalog(lake, declaredTables, { stop })
  const inventory = selected(await catalog.inventory(), options)
  const only = options.tables ?? []
  const own = await withRows(inventory.tables, { lake, catalog, stop }, (engine) =>
    certify(lakeRows({ engine, inventory, catalog, findings: [], only })),
  )
  return {
    lake: lake.folder,
    snapshot: inventory.snapshot,
    mode: 'against',
    findings: compareCertificates(own, selectedCertificate(against, options)),
    certificate: own,
    remarks: [],
    unverifiable: [],
    checked: checkedOf(inventory.tables),
    seconds: (performance.now() - startedMs) / 1000,
  }
}

/** The parts of a certificate that belong to the selected networks and tables. */
function selectedCertificate(
  { streams, tables, ...rest }: Certificate,
  { networks = [], tables: names = [] }: Pick<VerifyOptions, 'networks' | 'tables'>,
): Certificate {
  const isOf = (network: string, table: string) =>
    (networks.length === 0 || networks.includes(network)) && (names.length === 0 || names.includes(table))
  return {
    ...rest,
    streams: streams.filter(({ network, table }) => isOf(network, table)),
    tables: tables.filter(({ network, table }) => isOf(network, table)),
  }
}

async function compareSources(
  rows: LakeRows,
  catalog: Catalog,
  { node, rpc, service, since }: Pick<VerifyOptions, 'node' | 'rpc' | 'service' | 'since'>,
  asking: { readonly stop: AbortSignal; readonly onProgress: OnProgress },
): Promise<Checked> {
  const checked: Checked[] = []
  const isWhole = since === undefined
  if (node !== undefined)
    checked.push(await (await import('./source/node.ts')).compareNode(rows, node, { ...asking, isWhole }))
  if (rpc !== undefined) checked.push(await (await import('./source/node.ts')).askRpc(rows, rpc, asking))
  if (service !== undefined) {
    const { askService } = await import('./source/lists.ts')
    checked.push(await askService(rows, { catalog, isWhole }, service, asking))
  }
  return bothChecked(...checked)
}

type RowsOptions = {
  readonly lake: LakeLocation
  readonly catalog: Pick<Catalog, 'registerOwner' | 'store'>
  readonly stop: AbortSignal
}

/** Runs `use` with a DuckDB that can read the files of the tables. */
async function withRows<T>(
  tables: Inventory['tables'],
  { lake, catalog, stop }: RowsOptions,
  use: (engine: CheckEngine) => Promise<T>,
): Promise<T> {
  const held = await catalog.store.hold(tables.flatMap(({ files }) => files.map(({ path }) => path)))
  try {
    const spill = await takeSpillFolder(lake.folder, catalog)
    try {
      const engine = await openEngine(stop, spill.path)
      try {
        return await use(engine)
      } finally {
        await engine.close()
      }
    } finally {
      await spill.release()
    }
  } finally {
    await held.release()
  }
}

function checkedOf(tables: Inventory['tables']): VerifyReport['checked'] {
  const files = tables.flatMap((table) => table.files)
  return {
    tables: tables.length,
    files: files.length,
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    rows: files.reduce((sum, { rows }) => sum + rows, 0),
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
  if (wrongNetwork !== undefined) throw notInLake('network', wrongNetwork, [...known], { code: 'config.network' })
  const names = inventory.tables.map(({ name }) => name)
  const wrongTable = tables.find((name) => !names.includes(name))
  if (wrongTable !== undefined) throw notInLake('table', wrongTable, names, { code: 'config.table' })
  const isOf = (network: string | null) => networks.length === 0 || network === null || networks.includes(network)
  const isSelected = (table: string) => tables.length === 0 || tables.includes(table)
  return {
    ...inventory,
    coverage: inventory.coverage.filter(({ network, table }) => isOf(network) && isSelected(table)),
    tables: inventory.tables
      .filter(({ name }) => isSelected(name))
      .map((table) => ({ ...table, files: table.files.filter(({ network }) => isOf(network)) })),
  }
}

function notInLake(what: string, name: string, known: readonly string[], code: { readonly code: string }): ConfigError {
  return new ConfigError(`The lake has no ${what} ${JSON.stringify(name)}.`, {
    ...code,
    hint: known.length === 0 ? 'The lake is still empty.' : `It has ${[...known].sort().join(', ')}.`,
  })
}
