import { tables as declaredTables } from '../../schemas/index.ts'
import { type Catalog, type Inventory, type NewLoss, openCatalog, type Removal } from '../catalog/catalog.ts'
import type { LakeLocation } from '../catalog/place/lake-location.ts'
import { isPipelineOfChainlake } from '../config/reserved-names.ts'
import { CatalogError, ConfigError } from '../errors.ts'
import { createEngine } from '../lookup/engine.ts'
import type { Slice } from '../model.ts'
import { publishLake } from '../run/publish/publish-lake.ts'
import { publishWhenBehind } from '../run/publish/publisher.ts'
import { futureCoverage } from '../verify/files/verify-catalog.ts'
import { verifyFiles } from '../verify/files/verify-files.ts'
import type { Finding } from '../verify/lake/finding.ts'
import { recount } from './count-rows.ts'
import { type FetchedAgain, fetchedAgain } from './fetched-again.ts'
import { planRemoval, type RemovalPlan, type RemovedFile, sourcesOf, type Wanted } from './plan-removal.ts'
import { type RecordIds, readRecordIds } from './record-ids.ts'
import { rulesOf } from './rules.ts'
import { splitPlaces, withSplitEnds } from './split-ends.ts'

/** Slices that the user wants to fetch again although nothing is wrong with them. */
export type RequestedSlices = {
  /** With its network or without: `local/P/block`, `P/block`. */
  readonly stream: string
  readonly slice: Slice
  /** Null: all tables of the stream. */
  readonly tables: readonly string[] | null
}

/** An EVM chain that loses all its rows, by its columns `network` and `chain_id`. */
export type RequestedChain = { readonly network: string; readonly chainId: string }

type RepairOptions = {
  readonly lake: LakeLocation
  /** Null: repair the damage that a check of all files finds. */
  readonly requested: RequestedSlices | RequestedChain | null
  /** Returns the plan, and changes nothing. */
  readonly dryRun?: boolean
  /** Also removes files with rows that cannot be fetched again. */
  readonly acceptLoss?: boolean
  readonly stop: AbortSignal
  readonly onProgress?: (progress: { readonly what: string; readonly done: number; readonly of: number }) => void
}

export type Repair = {
  readonly lake: string
  readonly findings: readonly Finding[]
  readonly plan: RemovalPlan
  /** The coverage that the plan takes away. */
  readonly again: readonly FetchedAgain[]
  /** Streams of the plan that the next run reads again only with the code of their pipelines: these do not come with chainlake. */
  readonly needsCode: readonly StreamOfPipeline[]
  /** The snapshot after the removal; null when nothing was removed. */
  readonly snapshotId: number | null
}

type StreamOfPipeline = {
  readonly pipeline: string
  readonly stream: string
  readonly tables: readonly string[]
}

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
      const overtaken = error instanceof CatalogError && error.code === 'catalog.overtaken'
      if (!overtaken || plans === mostPlans) throw error
    }
  }
}

async function repairOnce(options: RepairOptions, catalog: Catalog): Promise<Repair> {
  const { lake, requested, dryRun = false, acceptLoss = false, stop } = options
  const inventory = await catalog.inventory()
  const findings = requested === null ? await damageOf(inventory, catalog, options) : []
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
    again: fetchedAgain(inventory, plan),
    needsCode: needsCode(inventory, plan),
  }
  if (dryRun) return { ...repair, snapshotId: null }
  // Rows that stay belong to the earlier chain, so that no other chain may take its name.
  const chains = requested === null || 'stream' in requested || staying.length > 0 ? [] : [requested]
  const isKnown = chains.some((chain) => inventory.anchors.some(isOf(chain)))
  if (plan.files.length === 0 && plan.cuts.length === 0 && !isKnown) {
    await publishedOrKept(publishIfBehind(lake.folder, catalog, stop), { staying, stop })
    return { ...repair, snapshotId: null }
  }
  const streams = [...new Set([...plan.cuts.map(({ stream }) => stream), ...plan.lists])].flatMap(
    (stream) => inventory.streams.get(stream) ?? [],
  )
  const run = await catalog.startRun({ streams, command: 'repair' })
  let outcome = 'failed'
  try {
    const removal = await removalOf(inventory, plan, { lakeDir: lake.folder, catalog, runId: run.id, damaged })
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
  { staying, stop }: { readonly staying: readonly RemovedFile[]; readonly stop: AbortSignal },
): Promise<void> {
  try {
    await published
  } catch (error) {
    if (staying.length === 0 || stop.aborted) throw error
  }
}

/** Publishes the views when they are behind: a repair that crashed may have removed files that the views still name. */
async function publishIfBehind(lakeDir: string, catalog: Catalog, stop: AbortSignal): Promise<void> {
  const { id, release } = await catalog.own()
  try {
    await publishWhenBehind({ lakeDir, catalog, owner: id, stop })
  } finally {
    await release()
  }
}

async function damageOf(
  inventory: Inventory,
  catalog: Catalog,
  { stop, onProgress }: RepairOptions,
): Promise<readonly Finding[]> {
  const of = inventory.tables.reduce((sum, { files }) => sum + files.length, 0)
  let done = 0
  return verifyFiles({
    store: catalog.store,
    catalog,
    inventory,
    declared: inventory.declared,
    hashes: () => true,
    stop,
    onFile: () => onProgress?.({ what: 'files', done: ++done, of }),
  })
}

/** The streams of own pipelines that a plan cuts, or reads again as lists, with the tables that lose rows. */
function needsCode({ streams }: Inventory, { cuts, files }: RemovalPlan): StreamOfPipeline[] {
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

type Removing = {
  readonly lakeDir: string
  readonly catalog: Catalog
  readonly runId: string
  readonly damaged: ReadonlySet<number>
}

async function removalOf(
  inventory: Inventory,
  plan: RemovalPlan,
  { lakeDir, catalog, runId, damaged }: Removing,
): Promise<Removal> {
  const { uncovered, covered, written } = recount(inventory, plan)
  const files = new Map<number, number[]>()
  for (const { table, file } of plan.files) files.set(table.id, [...(files.get(table.id) ?? []), file.id])
  const { store } = catalog
  const engine = createEngine({ lakeDir, store, owner: runId })
  const ids = new Map<string, ReadonlyMap<number, RecordIds>>()
  try {
    for (const [stream, places] of splitPlaces(covered, uncovered))
      ids.set(
        stream,
        await readRecordIds(stream, places, {
          inventory,
          isSound: ({ id }) => !damaged.has(id),
          engine,
          store,
          bounds: catalog.fileBounds,
        }),
      )
  } finally {
    await engine.close()
  }
  return {
    runId,
    basis: inventory.snapshot.snapshotId,
    files,
    uncovered,
    covered: withSplitEnds(covered, uncovered, (stream, at) => ids.get(stream)?.get(at)),
    written,
    lists: plan.lists,
    losses: await lossesOf(inventory, plan, catalog),
    message: `${plan.files.length} files removed, to be fetched again`,
  }
}

/** The removed rows that cannot be fetched again, with the time of their observation. */
async function lossesOf(inventory: Inventory, plan: RemovalPlan, catalog: Catalog): Promise<NewLoss[]> {
  const removed = plan.lost.filter(({ file }) => plan.files.some((one) => one.file.id === file.id))
  const stats = await catalog.fileStats(removed.map(({ file }) => file.id))
  return removed.map(({ table, file }) => {
    const column = table.columns.find(({ name, parentId }) => name === 'observed_at' && parentId === null)
    const observed = stats.get(file.id)?.find(({ columnId }) => columnId === column?.id)
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
function chosenOf(
  inventory: Inventory,
  requested: RequestedSlices | RequestedChain | null,
): Pick<Wanted, 'slices' | 'lists'> {
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
