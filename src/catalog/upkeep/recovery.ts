import { readdir, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { ownerOfTemporary } from '../../lib/files/temporary-name.ts'
import { reachStep } from '../../lib/step.ts'
import { inDataFolder, readDataFileName } from '../../store/data-file-path.ts'
import type { Store } from '../../store/store.ts'
import { newCatalogPrefix } from '../duckdb/create-file.ts'
import { publishedDraft } from '../duckdb/publish-copy.ts'
import { restartBroken } from '../files/broken-observations.ts'
import type { VisibleFile } from '../files/lost-files.ts'
import { namedFiles } from '../files/named-files.ts'
import type { LakePaths } from '../place/paths.ts'
import { type RunStatus, readRuns, restoredOutcome, runLock } from '../runs/runs.ts'
import type { Locks } from '../session/backend.ts'
import { inTransaction, type Session } from '../session/session.ts'

export type Recovery = {
  /** Runs that crashed. */
  readonly died: readonly string[]
  /** Removed files of dead runs that the catalog did not reference; relative to the lake. */
  readonly removed: readonly string[]
  /** Files under `data/` of unknown origin. Recovery does not remove them. */
  readonly unknown: readonly string[]
  /** Open observations that were restarted because some of their files were missing. */
  readonly restarted: readonly string[]
}

/** What was read before a new run is registered. */
type Before = {
  /** Runs without a recorded end. */
  readonly open: readonly RunStatus[]
  readonly visible: readonly VisibleFile[]
  /** Lists all files under `data/`, even if no run may have left some. The time depends on the number of files. */
  readonly listsFiles: boolean
}

/**
 * Removes the leftovers of dead runs. Call it under the exclusive catalog lock, and call `readOpenRuns` under the same lock before. Then no
 * run can register, commit or end meanwhile. A live run has registered before it wrote its first part.
 */
export async function recoverLake(
  session: Session,
  { paths, locks }: { readonly paths: LakePaths; readonly locks: Locks },
  { open, visible, listsFiles }: Before,
): Promise<Recovery> {
  const alive = open.filter((run) => run.state === 'running').map((run) => run.id)
  const died = open.filter((run) => run.state === 'died').map((run) => run.id)
  const restarted = await restartBroken(session, paths.store, alive)
  const { orphans, unknown, folders } =
    listsFiles || died.length + restarted.length > 0
      ? await listData(paths.store, await namedFiles(session, visible), await sortedRuns(session, locks, paths.store))
      : nothing
  const drafts = await leftovers(paths)
  const removed = [...orphans, ...drafts]
  if (removed.length + died.length > 0) reachStep('recovery.before-removal')
  for (const file of orphans) await paths.store.remove(file)
  for (const draft of drafts) await rm(join(paths.lake, draft), { force: true })
  await removeTemporaries(paths, locks)
  // A live run may have created a folder, but not yet the file in it.
  if (alive.length === 0) for (const folder of deepestFirst(folders)) await paths.store.remove(folder)
  await markDied(session, died)
  await locks.removeFree()
  if (removed.length + died.length > 0) reachStep('recovery.after-removal')
  return { died, removed, unknown, restarted }
}

type Listed = { readonly orphans: string[]; readonly unknown: string[]; readonly folders: string[] }

const nothing: Listed = { orphans: [], unknown: [], folders: [] }

type SortedRuns = { readonly dead: ReadonlySet<string>; readonly alive: ReadonlySet<string> }

async function sortedRuns(session: Session, locks: Locks, { remote }: Store): Promise<SortedRuns> {
  const runs = await readRuns(session, locks)
  const ids = (of: readonly RunStatus[]) => new Set(of.map(({ id }) => id))
  const mayStill = (run: RunStatus) => remote !== null && locks.reach === 'machine' && mayLive(run)
  return {
    dead: ids(runs.filter((run) => !keepsFiles(run) && !mayStill(run))),
    alive: ids(runs.filter((run) => run.state === 'running' || mayStill(run))),
  }
}

/** Whether to keep unreferenced files of the run: it is alive, or another catalog may reference them. */
function keepsFiles({ state }: RunStatus): boolean {
  return state === 'running' || state === restoredOutcome
}

const abandonedAfterMs = 24 * 3_600_000

/** Whether a run of another machine may be alive. Machines may share a remote store without sharing locks, so a run counts as dead after a day. */
function mayLive({ state, host, ended }: RunStatus): boolean {
  const isOver = ended !== null && (state !== 'died' || Date.now() - ended.getTime() > abandonedAfterMs)
  return host !== hostname() && !isOver
}

async function listData(store: Store, named: ReadonlySet<string>, { dead, alive }: SortedRuns): Promise<Listed> {
  const orphans: string[] = []
  const unknown: string[] = []
  const folders: string[] = []
  for (const path of await store.list(inDataFolder(''))) {
    const isFolder = path.endsWith('/')
    if (isFolder) folders.push(path)
    if (isFolder || named.has(path)) continue
    const runId = readDataFileName(path.slice(path.lastIndexOf('/') + 1))?.runId ?? null
    if (runId !== null && dead.has(runId)) orphans.push(path)
    else if (runId === null || !alive.has(runId)) unknown.push(path)
  }
  return { orphans, unknown, folders }
}

/** Leftover drafts of a catalog and of its published copy. A draft is only made under the catalog lock, so these have no live owner. */
async function leftovers(paths: LakePaths): Promise<string[]> {
  const names = await readdir(paths.lake)
  return names.filter((name) => name.startsWith(newCatalogPrefix) || name.startsWith(publishedDraft))
}

/** Removes temporary files and folders of dead owners. Call it under the exclusive catalog lock. */
export async function removeTemporaries(paths: LakePaths, locks: Locks): Promise<void> {
  for (const name of await readdir(paths.lake)) {
    const owner = ownerOfTemporary(name)
    if (owner === null || (await locks.isHeld(runLock(owner)))) continue
    // Files of other users may stay.
    await rm(join(paths.lake, name), { recursive: true, force: true }).catch(() => undefined)
  }
}

function deepestFirst(folders: readonly string[]): string[] {
  return [...folders].sort((a, b) => b.length - a.length)
}

async function markDied(session: Session, died: readonly string[]): Promise<void> {
  if (died.length === 0) return
  await inTransaction(session, () =>
    session.run("UPDATE chainlake.run SET ended = now(), outcome = 'died' WHERE ended IS NULL AND run_id = ANY($1)", [
      died,
    ]),
  )
}
