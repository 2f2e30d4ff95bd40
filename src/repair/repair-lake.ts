import { idText } from '../../codec/ids.ts'
import { tables as declaredTables } from '../../schemas/index.ts'
import {
  type Catalog,
  type CoverageRow,
  type Inventory,
  type InventoryFile,
  type NewLoss,
  openCatalog,
  type Removal,
} from '../catalog/catalog.ts'
import type { LakeLocation } from '../catalog/place.ts'
import { isPipelineOfChainlake } from '../config/reserved-names.ts'
import { parquetQuery, type Table } from '../define/index.ts'
import { ConfigError, errorKind } from '../errors.ts'
import { groupBy } from '../lib/arrays.ts'
import { sqlName } from '../lib/text.ts'
import { createEngine } from '../lookup/engine.ts'
import type { Slice, SliceEnds } from '../model.ts'
import { countOf, intersect } from '../plan/intervals.ts'
import { publishLake } from '../run/publish/publish-views.ts'
import { publishLatest } from '../run/publish/publisher.ts'
import { futureCoverage } from '../verify/catalog-checks.ts'
import { verifyFiles } from '../verify/files.ts'
import { rowCount } from '../verify/lake.ts'
import type { OnProgress } from '../verify/report.ts'
import { rowsOfSequence, type Sequence, sequenceOf } from '../verify/sequences.ts'
import { planRemoval, type RemovalPlan, recount, rulesOf, sourcesOf } from './plan-removal.ts'

/** What the user wants to remove although nothing is wrong with it. */
export type Requested =
  /** Slices of a stream, with its network or without: `local/P/block`, `P/block`. `tables`: null for all tables of the stream. */
  { readonly stream: string; readonly slice: Slice; readonly tables: readonly string[] | null } | RequestedChain

/** An EVM chain that loses all its rows, by its columns `network` and `chain_id`. */
type RequestedChain = { readonly network: string; readonly chainId: string }

type RepairOptions = {
  readonly lake: LakeLocation
  /** Null: repair the damage that a check of all files finds. */
  readonly requested: Requested | null
  /** Returns the plan, and changes nothing. */
  readonly dryRun?: boolean
  /** Also removes files with rows that cannot be fetched again. */
  readonly acceptLoss?: boolean
  readonly stop: AbortSignal
  readonly onProgress?: OnProgress
}

/** `snapshotId`: the snapshot after the removal; null when nothing was removed. */
export type Repair = Awaited<ReturnType<typeof repairOnce>>

/** Attempts to apply a plan: a concurrent commit makes a plan stale. */
const mostPlans = 3

/**
 * Removes damaged files and their coverage from a lake in one transaction, so that the next run fetches exactly these rows again.
 *
 * @throws LockedError while a run is active; CatalogError; StorageError; ConfigError for a stream that the lake does not have.
 */
export async function repairLake(options: RepairOptions): Promise<Repair> {
  const catalog = await openCatalog(options.lake, declaredTables, { stop: options.stop })
  for (let plans = 1; ; plans++) {
    try {
      return await repairOnce(options, catalog)
    } catch (error) {
      if (errorKind(error) !== 'conflict' || plans === mostPlans) throw error
    }
  }
}

async function repairOnce(options: RepairOptions, catalog: Catalog) {
  const { lake, requested, dryRun = false, acceptLoss = false, stop } = options
  const inventory = await catalog.inventory()
  const findings = requested === null ? await verifyFiles({ ...options, catalog, inventory, hashes: () => true }) : []
  const wrong = new Set(findings.flatMap(({ file }) => file ?? []))
  const damaged = new Set(
    inventory.tables.flatMap(({ files }) => files.flatMap(({ id, path }) => (wrong.has(path) ? [id] : []))),
  )
  const rules = await rulesOf(inventory, catalog)
  const plan = planRemoval(inventory, { damaged, acceptLoss, ...chosenOf(inventory, requested) }, rules)
  const staying = acceptLoss ? [] : plan.lost
  const repair = {
    lake: lake.folder,
    findings,
    plan,
    /** The coverage that the plan takes away. */
    again: fetchedAgain(inventory, plan),
    /** Streams of the plan that the next run reads again only with the code of their pipelines: these do not come with chainlake. */
    needsCode: needsCode(inventory, plan),
  }
  if (dryRun) return { ...repair, snapshotId: null }
  // Rows that stay belong to the earlier chain, so that no other chain may take its name.
  const chains = requested === null || 'stream' in requested || staying.length > 0 ? [] : [requested]
  const isKnown = chains.some((chain) => inventory.anchors.some(isOf(chain)))
  if (plan.files.length === 0 && plan.cuts.length === 0 && !isKnown) {
    // A repair that crashed may have removed files that the views still name.
    await publishedOrKept(publishLatest(lake, stop), { staying, stop })
    return { ...repair, snapshotId: null }
  }
  const streams = [...new Set([...plan.cuts.map(({ stream }) => stream), ...plan.lists])].flatMap(
    (stream) => inventory.streams.get(stream) ?? [],
  )
  const run = await catalog.startRun({ streams, command: 'repair' })
  let outcome = 'failed'
  try {
    const removal = await removalOf(plan, { lakeDir: lake.folder, runId: run.id }, { inventory, damaged, catalog })
    const snapshotId = await catalog.removeSlices({ ...removal, chains })
    await publishedOrKept(publishLake({ lakeDir: lake.folder, catalog, owner: run.id, stop }), { staying, stop })
    outcome = 'done'
    return { ...repair, snapshotId }
  } finally {
    await run.end(outcome)
  }
}

/**
 * Waits until the views are published. If they cannot be written and damaged files stay in the lake, the old views are kept: the result of the
 * repair says what to do about these files.
 */
async function publishedOrKept(
  published: Promise<unknown>,
  { staying, stop }: { readonly staying: RemovalPlan['lost']; readonly stop: AbortSignal },
): Promise<void> {
  try {
    await published
  } catch (error) {
    if (staying.length === 0 || stop.aborted) throw error
  }
}

/** The streams of own pipelines that a plan cuts, or reads again as lists, with the tables that lose rows. */
function needsCode({ streams }: Inventory, { cuts, files }: RemovalPlan) {
  return [...streams.values()].flatMap(({ pipeline, stream }) => {
    if (pipeline === null || isPipelineOfChainlake(pipeline)) return []
    const ofFiles = files.filter(({ file }) => file.sources.some((source) => source.stream === stream))
    const tables = [
      ...cuts.flatMap((cut) => (cut.stream === stream ? [cut.table] : [])),
      ...ofFiles.map(({ table }) => table.name),
    ]
    return tables.length === 0 ? [] : [{ pipeline, stream, tables: [...new Set(tables)].sort() }]
  })
}

async function removalOf(
  plan: RemovalPlan,
  { lakeDir, runId }: { readonly lakeDir: string; readonly runId: string },
  options: Omit<Options, 'engine'>,
): Promise<Removal> {
  const { inventory, catalog } = options
  const { uncovered, covered, written } = recount(inventory, plan)
  const byTable = groupBy(plan.files, ({ table }) => table.id)
  const engine = createEngine({ lakeDir, store: catalog.store, owner: runId })
  try {
    return {
      runId,
      basis: inventory.snapshot.snapshotId,
      files: new Map([...byTable].map(([id, own]) => [id, own.map(({ file }) => file.id)])),
      uncovered,
      covered: await withSplitEnds(covered, uncovered, { ...options, engine }),
      written,
      lists: plan.lists,
      losses: await lossesOf(inventory, plan, catalog),
      message: `${plan.files.length} files removed, to be fetched again`,
    }
  } finally {
    await engine.close()
  }
}

/** The removed rows that cannot be fetched again, with the time of their observation. */
async function lossesOf(
  inventory: Inventory,
  plan: RemovalPlan,
  catalog: Pick<Catalog, 'fileStats'>,
): Promise<NewLoss[]> {
  const removed = plan.lost.filter(({ file }) => plan.files.some((one) => one.file.id === file.id))
  const stats = await catalog.fileStats(removed.map(({ file }) => file.id))
  return removed.map(({ table, file }) => {
    const column = table.columns.find(({ name, parentId }) => name === 'observed_at' && parentId === null)
    const observed = stats.get(file.id)?.find(({ fieldId }) => fieldId === column?.id)
    return {
      table: table.name,
      network: file.network,
      rows: file.rows,
      observedTo: observed?.max ?? null,
      sources: sourcesOf(inventory, table.name, file),
    }
  })
}

/** What to remove although its files are not damaged: what the user wants, or coverage that ends in the future. */
function chosenOf(inventory: Inventory, requested: Requested | null) {
  if (requested === null)
    return { slices: futureCoverage(inventory).map((row) => ({ ...row, tables: [row.table] })), lists: [] }
  if ('stream' in requested)
    return { slices: [{ ...requested, stream: streamOf(inventory, requested.stream) }], lists: [] }
  const { streams, anchors } = inventory
  const { network, chainId } = requested
  const own = [...streams.values()].flatMap((each) =>
    each.network === network && each.chain === chainId ? [each.stream] : [],
  )
  if (own.length === 0 && !anchors.some(isOf(requested)))
    throw new ConfigError(`The lake has no chain ${network}/${chainId}.`, {
      code: 'config.stream',
      details: { known: [...new Set(anchors.map(({ network, chainId }) => `${network}/${chainId}`))].join(', ') },
      hint: 'Give the network and the chain id as in the columns of the rows.',
    })
  const slice = { from: 0, to: Number.MAX_SAFE_INTEGER }
  return { slices: own.map((stream) => ({ stream, slice, tables: null })), lists: own }
}

function isOf({ network, chainId }: RequestedChain): (anchor: RequestedChain) => boolean {
  return (anchor) => anchor.network === network && anchor.chainId === chainId
}

/** Finds a stream of the lake by its name. The network may be left out when only one network has the stream. */
function streamOf({ coverage }: Inventory, name: string): string {
  const networks = new Map(coverage.map(({ stream, network }) => [stream, network]))
  const known = [...networks.keys()]
  const found = known.includes(name) ? [name] : known.filter((stream) => stream === `${networks.get(stream)}/${name}`)
  if (found.length === 1 && found[0] !== undefined) return found[0]
  throw new ConfigError(
    found.length > 1
      ? `Several networks of the lake have the stream ${name}.`
      : `The lake has no coverage of a stream ${name}.`,
    {
      code: 'config.stream',
      details: { known: (found.length > 1 ? found : known).slice(0, 20).join(', ') },
      hint: 'Give the name that chainlake status shows, such as mainnet/P/block.',
    },
  )
}

/** The ids of a record and of the one before it; null where the rows of the lake have none. */
type Ids = { readonly id: string | null; readonly parentId: string | null }

/** The ids of a record of a stream, and of the block in it. */
type RecordIds = { readonly ends: Ids; readonly blockEnds: Ids }

const none: Ids = { id: null, parentId: null }
const unknown: RecordIds = { ends: none, blockEnds: none }

/** The column with the id of a record, by table. Raw containers are not needed, since their blocks are in a table, too. */
const idColumns: Readonly<Record<string, string>> = {
  p_blocks: 'container_id',
  x_blocks: 'container_id',
  c_blocks: 'container_id',
  x_transactions: 'tx_id',
  x_vertices: 'vertex_id',
  evm_blocks: 'block_hash',
}

type Options = {
  readonly inventory: Inventory
  /** Ids of files that may not be read. */
  readonly damaged: ReadonlySet<number>
  readonly engine: ReturnType<typeof createEngine>
  readonly catalog: Pick<Catalog, 'fileBounds' | 'fileStats' | 'store'>
}

/** Reads the ids of the records at some coordinates from the rows of the lake; none for streams without such rows. */
async function readRecordIds(
  stream: string,
  places: readonly number[],
  options: Options,
): Promise<Map<number, RecordIds>> {
  const { inventory, engine, catalog } = options
  const origin = inventory.streams.get(stream)
  const sequence = Object.keys(idColumns).flatMap((table) => (origin && sequenceOf({ table, origin })) ?? [])[0]
  if (origin === undefined || sequence === undefined || places.length === 0) return new Map()
  const { table, place, link } = sequence
  const files = await filesWith(sequence, places, origin.network, options)
  if (files.length === 0) return new Map()
  const paths = files.map(({ path }) => path)
  const urls = paths.map((path) => catalog.store.url(path))
  const has = (column = ''): string => (column in table.columns ? sqlName(column) : 'NULL')
  const query = `SELECT ${sqlName(place)} AS place, ${sqlName(idColumns[table.name]!)} AS id, ${has('wrapper')} AS wrapper,
      ${has('wrapper_parent_id')} AS wrapper_parent, ${has(link?.id)} AS block_id, ${has(link?.parent)} AS block_parent
    FROM ${parquetQuery(table, urls, rowCount(files))}
    WHERE ${rowsOfSequence(inventory, sequence, origin)} AND ${sqlName(place)} IN (${places.join(', ')})`
  const rows = await engine.within(paths, async (connection) =>
    (await connection.runAndReadAll(query)).getRowObjectsJson(),
  )
  return new Map(rows.map((row) => [Number(row['place']), idsOf(table, row)]))
}

/** The undamaged files of the network that may hold a row at one of the coordinates. */
async function filesWith(
  { table, place }: Sequence,
  places: readonly number[],
  network: string,
  { inventory, damaged, catalog }: Options,
): Promise<readonly InventoryFile[]> {
  const known = inventory.tables.find(({ name }) => name === table.name)
  if (known === undefined) return []
  const limits = await catalog.fileBounds(table.name, place)
  return known.files.filter((file) => {
    const limit = limits.get(file.id)
    const holds = limit === undefined || places.some((at) => limit.min <= at && at <= limit.max)
    return holds && (file.network === null || file.network === network) && !damaged.has(file.id)
  })
}

/** The ids of a row. The parent of a bare block is the parent of its container, written as a container id. */
function idsOf(table: Table, row: Readonly<Record<string, unknown>>): RecordIds {
  const text = (name: string) => (row[name] === null || row[name] === undefined ? null : String(row[name]))
  const [id, block] = [text('id'), { id: text('block_id'), parentId: text('block_parent') }]
  if (table.name === 'evm_blocks')
    return { ends: { id, parentId: Number(row['place']) === 0 ? null : block.parentId }, blockEnds: none }
  const bare = text('wrapper') === 'none' ? asContainerId(block.parentId) : null
  return { ends: { id, parentId: id === null ? null : (text('wrapper_parent') ?? bare) }, blockEnds: block }
}

function asContainerId(parent: string | null): string | null {
  return parent?.startsWith('0x') === true ? idText(Buffer.from(parent.slice(2), 'hex')) : parent
}

/**
 * Adds the ends to parts of split slices. A part keeps the end of the whole slice where both begin or end; at a split the rows of the lake
 * give the ids. An id that the rows do not have is null, so that later runs compare nothing with it.
 */
async function withSplitEnds(
  parts: readonly CoverageRow[],
  whole: readonly CoverageRow[],
  options: Options,
): Promise<CoverageRow[]> {
  const split = parts.map((part) => {
    const { from, to } = part.slice
    const row = whole.find(
      (one) => one.stream === part.stream && one.table === part.table && one.slice.from <= from && to <= one.slice.to,
    )
    return { part, row, first: from === row?.slice.from ? [] : [from], last: to === row?.slice.to ? [] : [to - 1] }
  })
  const ids = new Map<string, ReadonlyMap<number, RecordIds>>()
  for (const [stream, own] of groupBy(split, ({ part }) => part.stream)) {
    const places = new Set(own.flatMap(({ first, last }) => [...first, ...last]))
    ids.set(stream, await readRecordIds(stream, [...places], options))
  }
  return split.map(({ part, row, first, last }) => {
    if (row === undefined) return part
    const [begin, end] = [first, last].map(([at]) =>
      at === undefined ? undefined : (ids.get(part.stream)?.get(at) ?? unknown),
    )
    return {
      ...part,
      ends: splitEnds(row.ends, begin?.ends, end?.ends),
      blockEnds: splitEnds(row.blockEnds, begin?.blockEnds, end?.blockEnds),
    }
  })
}

/** The ends of a part: those of the whole slice, except where the part has its own. */
function splitEnds(whole: SliceEnds | null, first?: Ids, last?: Ids): SliceEnds | null {
  if (whole === null) return null
  const ends = {
    firstId: first === undefined ? whole.firstId : first.id,
    firstParentId: first === undefined ? whole.firstParentId : first.parentId,
    lastId: last === undefined ? whole.lastId : last.id,
  }
  return ends.firstId === null && ends.lastId === null ? null : ends
}

/**
 * The coverage that a plan takes away, by stream, for tables that lose the same slices. The cuts of a plan overlap, because a removed file cuts
 * all slices that it holds; here each coordinate of a table is named once. `unit`: what the slices count. `covered`: how much the stream covers
 * before the removal.
 */
export function fetchedAgain({ coverage, streams }: Inventory, { cuts }: RemovalPlan) {
  const tables = new Map(cuts.map(({ stream, table }) => [`${stream} ${table}`, { stream, table }]))
  const lost = [...tables.values()].flatMap(({ stream, table }) => {
    const isOwn = (one: { readonly stream: string; readonly table: string }) =>
      one.stream === stream && one.table === table
    const own = coverage.filter(isOwn).map(({ slice }) => slice)
    const slices = intersect(
      own,
      cuts.filter(isOwn).map(({ slice }) => slice),
    )
    const unit = streams.get(stream)?.unit ?? 'records'
    return slices.length === 0 ? [] : [{ table, group: { stream, unit, slices, covered: countOf(own) } }]
  })
  return [...groupBy(lost, ({ group }) => JSON.stringify(group)).values()]
    .map((own) => ({ ...own[0]!.group, tables: own.map(({ table }) => table) }))
    .sort((a, b) => (a.stream < b.stream ? -1 : a.stream > b.stream ? 1 : 0))
}
