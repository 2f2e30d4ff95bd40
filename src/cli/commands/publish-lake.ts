import { resolve } from 'node:path'
import { lakeExists } from '../../catalog/lake.ts'
import type { LakeLocation } from '../../catalog/place.ts'
import { ConfigError } from '../../errors.ts'
import { parseLocation } from '../../iceberg/table.ts'
import { counted, countText, shellText } from '../../lib/text.ts'
import { gaveUp } from '../../run/error-parts.ts'
import type { EmitEvent } from '../../run/events.ts'
import { publishTables, publishTablesInTurn, type TablesTarget } from '../../run/publish/publication.ts'
import { type IcebergSummary, icebergTarget } from '../../run/publish/publish-iceberg.ts'
import { type ParquetSummary, parquetTarget } from '../../run/publish/publish-parquet.ts'
import { parseMoment, republishLake } from '../../run/publish/publish-views.ts'
import { publishLatest } from '../../run/publish/publisher.ts'
import { publishedLocation } from '../../views/published-views.ts'
import type { FlagsOf } from '../flags/command.ts'
import { itemsOf, readSettings } from '../settings.ts'
import { createLogger, eventListener, type Logger } from '../terminal/run-events.ts'
import { textTable } from '../terminal/tables.ts'
import { printResult, untilSignal } from '../terminal/terminal.ts'
import type { runCommand } from './export.ts'
import type { publishCommand, viewsCommand } from './lake.ts'

/** `chainlake publish`: resolves to the exit code. After a signal the previous publication stays. */
export async function publishAs(
  flags: FlagsOf<typeof publishCommand>,
  [text = '']: readonly string[],
): Promise<number> {
  const { lake, logLevel } = await readSettings(flags)
  const format = text === '' ? null : parseFormat(text)
  const { location: uri = null, to = null } = flags
  refuseOption('location', uri, 'iceberg', format)
  refuseOption('to', to, 'parquet', format)
  const location = uri === null ? null : parseLocation(uri)
  const tables = flags.table === undefined ? null : itemsOf(flags.table)
  if (tables?.length === 0)
    throw new ConfigError('--table names no table.', {
      code: 'config.usage',
      hint: 'Name tables, or leave out --table.',
    })
  const logger = createLogger(logLevel)
  const published = async (stop: AbortSignal) => {
    const options = { stop, emit: eventListener(logger) }
    if (format === null) {
      await publishLatest(lake, stop)
      return { summary: {}, text: `The views show the latest snapshot of ${lake.folder}.` }
    }
    if (format === 'iceberg') {
      const summary = await publishTables(icebergTarget(lake, { location, tables }), options)
      return { summary, text: icebergText(lake.folder, summary) }
    }
    const summary = await publishTables(parquetTarget(lake, { to, tables }), options)
    return { summary, text: parquetText(lake.folder, summary) }
  }
  return printPublished(lake, flags, 'the previous publication is', published)
}

/** Prints a publication, as JSON or for people. After a signal it says what is unchanged. */
async function printPublished(
  lake: LakeLocation,
  flags: { readonly json?: boolean | undefined },
  unchanged: string,
  published: (stop: AbortSignal) => Promise<{ readonly summary: object; readonly text: string }>,
): Promise<number> {
  return untilSignal(async ({ signal }) => {
    try {
      const { summary, text } = await published(signal)
      await printResult(flags, { lake: lake.folder, ...summary }, text)
    } catch (error) {
      if (!gaveUp(error, signal)) throw error
      process.stderr.write(`Stopped by a signal; ${unchanged} unchanged.\n`)
    }
  })
}

/**
 * `chainlake views`: resolves to the exit code. After a signal the previous views stay, without leftover files. Views of a past snapshot
 * stay until the next publication.
 */
export async function rewriteViews(flags: FlagsOf<typeof viewsCommand>): Promise<number> {
  const { lake } = await readSettings(flags)
  const { 'as-of': asOf, location } = flags
  const moment = asOf === undefined ? {} : { asOf: parseMoment(asOf) }
  return printPublished(lake, flags, 'the views are', async (stop) => {
    const snapshotId = await republishLake(lake, { stop, location, ...moment })
    const readAt = await publishedLocation(lake.folder)
    return {
      summary: { snapshotId, location: readAt },
      text: viewsText(resolve(lake.folder), snapshotId, readAt, asOf !== undefined),
    }
  })
}

/**
 * How a run is published at its end: its commits, including the finished units of jobs that failed or ended early. Null: it is not. Throws `ConfigError` before the run for what cannot be published.
 */
export function publicationAtEnd(flags: FlagsOf<typeof runCommand>, lake: LakeLocation) {
  const { publish, 'publish-to': to = null } = flags
  const format = publish === undefined ? null : parseFormat(publish)
  refuseOption('publish-to', to, 'parquet', format)
  if (format === null) return null
  const target: TablesTarget<IcebergSummary | ParquetSummary> =
    format === 'iceberg' ? icebergTarget(lake) : parquetTarget(lake, { to })
  return async (logger: Logger, options: { readonly stop: AbortSignal; readonly emit: EmitEvent }): Promise<void> => {
    if (options.stop.aborted || !(await lakeExists(lake))) return
    try {
      const { changed, snapshotId } = await publishTablesInTurn(target, options)
      logger.info(`published as ${format}`, { tables: changed.length, snapshot: snapshotId })
    } catch (error) {
      if (!gaveUp(error, options.stop)) throw error
      logger.warn(`stopped before the publication as ${format}; run chainlake publish ${format}`)
    }
  }
}

/** The formats in which a lake can be published. */
const formats = ['iceberg', 'parquet'] as const
type Format = (typeof formats)[number]

/** Throws `ConfigError` `config.publish` for any other format. */
function parseFormat(text: string): Format {
  const format = formats.find((each) => each === text)
  if (format !== undefined) return format
  throw new ConfigError(`A lake cannot be published as ${JSON.stringify(text)}.`, {
    code: 'config.publish',
    hint: `The formats are ${formats.join(' and ')}.`,
  })
}

/** Throws `ConfigError` `config.publish` for an option that belongs to another format. */
function refuseOption(flag: string, value: string | null, owner: Format, format: Format | null): void {
  if (value === null || owner === format) return
  throw new ConfigError(`--${flag} is an option of the format ${owner}.`, {
    code: 'config.publish',
    hint: `Omit --${flag}, or publish as ${owner}.`,
  })
}

/** What was published, for people: a row for each changed table, and `end`. */
function publishedText<C extends { readonly table: string }, T extends { readonly table: string }>(
  lake: string,
  { changed, tables }: { readonly changed: readonly C[]; readonly tables: readonly T[] },
  headings: readonly string[],
  cellsOf: (change: C, table: Partial<T>) => readonly (string | number)[],
  end: string,
): string {
  if (tables.length === 0) return `Nothing to publish: ${lake} has no tables yet.`
  const byName = new Map(tables.map((table) => [table.table, table]))
  const rows = changed.map((change) => [change.table, ...cellsOf(change, byName.get(change.table) ?? {})])
  return [...(rows.length === 0 ? [] : [textTable(['table', ...headings], rows)]), end].join('\n')
}

export function icebergText(lake: string, summary: IcebergSummary): string {
  const { changed, unchanged, snapshotId, location } = summary
  return publishedText(
    lake,
    summary,
    ['>version', '>files added', '>removed', '>files', '>rows', '>bytes'],
    ({ addedFiles, removedFiles }, { version = 0, files = 0, rows = 0, bytes = 0 }) => [
      `v${version}`,
      addedFiles,
      removedFiles,
      files,
      rows,
      bytes,
    ],
    `Iceberg shows snapshot ${snapshotId} of ${lake} at ${location}/iceberg: ${counted(changed.length, 'table')} written, ${countText(unchanged.length)} unchanged.`,
  )
}

function parquetText(lake: string, summary: ParquetSummary): string {
  const { changed, tables, snapshotId, folder } = summary
  return publishedText(
    lake,
    summary,
    ['>files added', '>rewritten', '>removed', '>files', '>rows'],
    ({ added, rewritten, removed }, { files = 0, rows = 0 }) => [added, rewritten, removed, files, rows],
    `${folder} shows snapshot ${snapshotId} of ${lake}: ${counted(changed.length, 'table')} changed, ${countText(tables.length - changed.length)} unchanged.`,
  )
}

function viewsText(lake: string, snapshotId: number, readAt: string | null, isPast: boolean): string {
  return [
    `Wrote lake.duckdb, views.sql and lake.ducklake of snapshot ${snapshotId} in ${lake}.`,
    ...(isPast ? ['The next publication (a run, or chainlake views) shows the latest snapshot again.'] : []),
    ...(readAt === null
      ? []
      : [
          `Readers find the lake at ${readAt}, also after later runs. To end that: chainlake views --location ${shellText(lake)} --lake ${shellText(lake)}`,
        ]),
  ].join('\n')
}
