import { hash } from 'node:crypto'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { version as duckdbVersion } from '@duckdb/node-api'
import type { DerivedView } from '../define/index.ts'
import { CatalogError, type ChainlakeError, StorageError, VerifyError } from '../errors.ts'
import { interruptAt, withDuckDb } from '../lib/duckdb.ts'
import { diskRefusal, fileDigest, fileIdentity, noInodes, setMode, syncFile, temporaryName } from '../lib/files.ts'
import { packageRoot, packageVersion } from '../lib/package.ts'
import { reachStep } from '../lib/step.ts'
import {
  addressMacro,
  builtInScripts,
  type Declarations,
  emptyLakeScripts,
  emptyTableQuery,
  filledSchemaScript,
  filledScript,
  type LakeViews,
  lakeFactsName,
  lakeScripts,
  listedScripts,
  readViewQuery,
  remoteNote,
  unlistedScript,
} from './lake-scripts.ts'
import { copyPublished, headerLine } from './published-views.ts'
import { fileFailure, readOnlyFrom, whyNotOneSelect } from './query.ts'

/**
 * The file in which the build stores the views of a lake without files. A publication spends most of its time on creating the views and
 * their comments, although they are the same for every lake. The name contains a hash of the scripts, so that a file with other
 * declarations is never used. It is compressed, since it would be the largest file of the package.
 */
export function emptyLakePath(scripts: readonly string[]): string {
  return join(packageRoot(), 'dist/views', `${emptyLakeHash(scripts)}.duckdb.gz`)
}

/** Identifies an empty lake by its scripts and by the version of DuckDB that runs them. */
export function emptyLakeHash(scripts: readonly string[]): string {
  return hash('sha256', JSON.stringify([duckdbVersion(), scripts]), 'hex').slice(0, 16)
}

/**
 * Creates a database with the views of a lake without files: unpacks the file of the build, or runs the scripts where the build left none.
 */
export async function makeEmptyLake(path: string, scripts: readonly string[], stop?: AbortSignal): Promise<void> {
  try {
    const packed = await readFile(emptyLakePath(scripts))
    await writeFile(path, await promisify(gunzip)(packed))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    await runInDatabase(path, scripts, { stop })
  }
}

/** Writes the file of `emptyLakePath`; the build calls this. */
export async function writeEmptyLake(scripts: readonly string[]): Promise<void> {
  const path = emptyLakePath(scripts)
  const temporary = `${path}.${process.pid}`
  const database = `${temporary}.duckdb`
  await runInDatabase(database, scripts)
  await writeFile(temporary, await promisify(gzip)(await readFile(database)))
  await rm(database)
  await rename(temporary, path)
}

/** Runs scripts in one transaction in a database, and creates the database if it does not exist. `confined`: they can reach no other file. */
export async function runInDatabase(
  path: string,
  scripts: readonly string[],
  { stop, confined = false }: { readonly stop?: AbortSignal | undefined; readonly confined?: boolean } = {},
): Promise<void> {
  stop?.throwIfAborted()
  await withDuckDb(path, async (connection) => {
    const release = interruptAt(stop, connection)
    try {
      await connection.run("SET TimeZone = 'UTC'")
      if (confined) await readOnlyFrom(connection, [])
      await connection.run('BEGIN')
      for (const script of scripts) {
        stop?.throwIfAborted()
        await connection.run(script)
      }
      await connection.run('COMMIT')
      await connection.run('CHECKPOINT')
    } finally {
      release()
    }
  })
}

/** The short list: the tables with rows, and the views that read one of them, also through other views. */
function listedNames(
  { files, filledViews = [] }: Pick<LakeViews, 'files' | 'filledViews'>,
  derived: readonly DerivedView[],
): ReadonlySet<string> {
  const withRows = files.tables.filter((table) => table.files.some(({ rows }) => rows > 0))
  const listed = new Set([...withRows, ...filledViews].map(({ name }) => name))
  // Each view comes after the views that it reads.
  for (const { name, dependsOn } of derived) if (dependsOn.some((read) => listed.has(read))) listed.add(name)
  return listed
}

/** Tables and views. The build makes an empty lake of those of this program; those of own pipelines are added to it. */
export type ShownDeclarations = Declarations & { readonly own?: Declarations }

type ShownViews = LakeViews & ShownDeclarations

type ViewsToPublish = ShownViews & {
  /** Identity of the `lake.ducklake` that shows the same snapshot; see `fileIdentity`. */
  readonly catalogCopy: string
  /** The owner of the files until they are in place: an id with a lock that this process holds. */
  readonly owner: string
  /** Ends the build when it is aborted. The build then throws its reason. */
  readonly stop?: AbortSignal | undefined
}

const suffixes = ['duckdb', 'duckdb.wal', 'sql']

/**
 * Builds `lake.duckdb`, the file for analysts, and `views.sql`, the same views as text, next to the published files under temporary names.
 * Throws `StorageError`.
 */
export async function buildViews(options: ViewsToPublish) {
  const { files, catalogCopy, location = null, stop } = options
  const lakeDir = resolve(options.lakeDir)
  const temporary = join(lakeDir, temporaryName('views', options.owner))
  const remove = async (): Promise<void> => {
    for (const suffix of suffixes) await rm(`${temporary}.${suffix}`, { force: true })
  }
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work()
    } catch (cause) {
      // Find out the failure before removing the written files, because that frees space.
      const failure = viewsFailure(cause, options)
      await remove()
      throw stop?.aborted ? stop.reason : failure
    }
  }
  const made = await scriptsFor(options)
  const { tables, derived, facts } = made.scripts
  const list = [...made.listed].map(filledScript)
  // With another short list, the views begin again with the empty lake: names may be listed only while no table has files.
  const base = emptyLakeHash([...made.builtIn, ...made.own, ...list])
  await attempt(async () => {
    const path = `${temporary}.duckdb`
    const published = await copyPublished(path, { lakeDir, base })
    if (published === null) await buildDatabase(path, made, stop)
    else await completeDatabase(path, changedSince(published, made.scripts), stop)
    const lakeFile = await fileIdentity(`${temporary}.duckdb`)
    reachStep('publish.after-views-build')
    const lakeSha256 = await fileDigest(`${temporary}.duckdb`)
    const lines = [...textHead(options), ...tables.map(({ text }) => text), ...derived, facts, ...list]
    const text = `${lines.join('\n')}\n`
    const textSha256 = hash('sha256', text, 'hex')
    const facets = { version: packageVersion(), base, lakeFile, lakeSha256, textSha256 }
    const header = headerLine({ ...files.snapshot, catalogCopy, lakeDir, location, ...facets })
    await writeFile(`${temporary}.sql`, `${header}\n${text}`, { flag: 'wx', mode: 0o644, flush: true })
  })
  return {
    /** Renames the files into place: readers keep what they opened and never see half a file. Throws `StorageError`. */
    replace: () =>
      attempt(async () => {
        await rm(join(lakeDir, 'lake.duckdb.wal'), { force: true })
        await rename(`${temporary}.duckdb`, join(lakeDir, 'lake.duckdb'))
        reachStep('publish.after-views-rename')
        await rename(`${temporary}.sql`, join(lakeDir, 'views.sql'))
        reachStep('publish.after-views-text')
      }),
    /** Removes the files that are not in place. */
    remove,
  }
}

/** Writes one file of views, for reading. Throws the errors of `buildViews`. */
export async function writeViewsFile(path: string, options: ShownViews): Promise<void> {
  const made = await scriptsFor(options)
  try {
    await buildDatabase(path, made)
  } catch (cause) {
    throw viewsFailure(cause, options)
  }
}

/** What a file of views is made of: declarations, names in the short list, and scripts. Throws the errors of `verifyOwn`. */
async function scriptsFor(options: ShownViews) {
  await verifyOwn(options)
  const { own, ...builtIn } = options
  const tables = [...builtIn.tables, ...(own?.tables ?? [])]
  const derived = [...builtIn.derived, ...(own?.derived ?? [])]
  return {
    tables,
    derived,
    listed: listedNames(options, derived),
    /** The scripts of an empty lake. */
    builtIn: listedScripts(await builtInScripts(builtIn), builtIn),
    /** Those of own tables and views, which follow. */
    own: own === undefined ? [] : listedScripts(await emptyLakeScripts(own), own),
    ownViews: (own?.derived ?? []).map(({ name }) => name),
    scripts: await lakeScripts({ ...options, tables, derived }),
  }
}

type Made = Awaited<ReturnType<typeof scriptsFor>>

function viewsFailure(cause: unknown, { store, ...options }: LakeViews): ChainlakeError {
  const lakeDir = resolve(options.lakeDir)
  if (cause instanceof CatalogError) return cause
  const failure = cause instanceof Error ? fileFailure(store, cause) : null
  if (failure instanceof VerifyError) return failure
  const refusal = diskRefusal(cause, lakeDir)
  const inodes = refusal?.code === noInodes.code ? ' (all inodes are taken: see df -i)' : ''
  return new StorageError('The views could not be written.', {
    code: refusal?.code ?? 'storage.views',
    // A run with --follow continues: the data is committed, and the cause may be fixed in the meantime.
    kind: 'transient',
    details: { lake: lakeDir, reason: cause instanceof Error ? cause.message : String(cause) },
    hint: `The exported data is safe. Check the free space${inodes} and the permissions of the folder, then run chainlake views.`,
    cause,
  })
}

/**
 * Refuses tables and views of own pipelines that could run anything but a SELECT. They come from the catalog, where every writer of the
 * lake can put other text.
 *
 * @throws CatalogError `catalog.view`.
 */
async function verifyOwn({ tables, derived, own }: ShownDeclarations): Promise<void> {
  if (own === undefined) return
  const names = new Set([...tables, ...derived].map(({ name }) => name)).add(lakeFactsName)
  await withDuckDb(':memory:', async (connection) => {
    await readOnlyFrom(connection, [])
    for (const view of [...own.tables, ...own.derived]) {
      if (names.has(view.name)) throw foreignView(view.name, 'A built-in table or view, or another one, has this name.')
      if (!/^[a-z][a-z0-9_]*$/.test(view.name)) throw foreignView(view.name, 'Its name is not snake_case.')
      names.add(view.name)
      const query = 'dependsOn' in view ? await readViewQuery(view) : emptyTableQuery(view)
      const mistake = await whyNotOneSelect(connection, query)
      if (mistake !== null) throw foreignView(view.name, `Its query is not one SELECT: ${mistake.reason}.`)
    }
  })
}

function foreignView(view: string, reason: string, cause?: unknown): CatalogError {
  return new CatalogError('The catalog has a view or a table that chainlake does not show.', {
    code: 'catalog.view',
    details: { view, reason },
    hint: 'Its SQL was not executed, and the views are unchanged. chainlake records no such view: find out who else writes to this catalog. Restore a backup that you trust with chainlake restore, or delete the row from chainlake.own_view.',
    cause,
  })
}

/** Creates the views from the beginning. */
async function buildDatabase(
  path: string,
  { builtIn, own, ownViews, scripts, tables, derived, listed }: Made,
  stop?: AbortSignal,
): Promise<void> {
  await makeEmptyLake(path, builtIn, stop)
  // Own views are created over empty tables, so they need no file.
  if (own.length > 0) await runOwn(path, own, ownViews, stop)
  const unlisted = [...tables, ...derived]
    .filter(({ name }) => !listed.has(name))
    .map(({ name }) => unlistedScript(name))
  const withFiles = scripts.tables.flatMap(({ here, isFilled }) => (isFilled ? [here] : []))
  await completeDatabase(path, [...unlisted, ...withFiles, ...scripts.filled, scripts.facts], stop)
}

/** Runs the scripts of own views without access to any file. */
async function runOwn(
  path: string,
  own: readonly string[],
  views: readonly string[],
  stop: AbortSignal | undefined,
): Promise<void> {
  try {
    await runInDatabase(path, own, { stop, confined: true })
  } catch (cause) {
    const [reason = ''] = cause instanceof Error ? cause.message.split('\n') : []
    if (!reason.includes('disabled by configuration')) throw cause
    throw foreignView(views.join(', '), `A view of a lake may read no file. ${reason}`, cause)
  }
}

/** The scripts whose views are not the published ones: a commit changes few of the tables. All other views are those of the empty lake. */
function changedSince(published: ReadonlySet<string>, { tables, filled, facts }: Made['scripts']): string[] {
  const changed = tables.flatMap(({ text, here }) => (published.has(text) ? [] : [here]))
  return [...changed, ...filled.filter((text) => !published.has(text)), facts]
}

/** Mode 0444: a program that opened the file for writing would lock out all others. */
async function completeDatabase(
  path: string,
  scripts: readonly string[],
  stop: AbortSignal | undefined,
): Promise<void> {
  await runInDatabase(path, scripts, { stop })
  await setMode(path, 0o444)
  await syncFile(path)
}

/** The lines of the text before its views. */
function textHead(views: Pick<LakeViews, 'store' | 'location'>): string[] {
  const note = remoteNote(views)
  return [
    ...(note === '' ? [] : [`-- ${note}`]),
    '-- The views of lake.duckdb as text: read it into any DuckDB.',
    "SET TimeZone = 'UTC';",
    addressMacro,
    filledSchemaScript,
  ]
}
