import { join, resolve } from 'node:path'
import { tables as declaredTables } from '../../../schemas/index.ts'
import { openCatalog } from '../../catalog/catalog.ts'
import type { LakeLocation } from '../../catalog/place.ts'
import { StorageError } from '../../errors.ts'
import { replaceFile } from '../../lib/files.ts'
import { abortLater } from '../../lib/wait.ts'
import { makeReport } from '../../report/make-report.ts'
import type { RunEvent } from '../../run/events.ts'
import type { FlagsOf } from '../flags/command.ts'
import { readSettings } from '../settings.ts'
import { printLine, untilSignal, writableFile } from '../terminal/terminal.ts'
import type { reportCommand } from './lake.ts'

/** `chainlake report`: writes the report and prints its path. */
export async function runReport(flags: FlagsOf<typeof reportCommand>): Promise<number> {
  const { lake } = await readSettings(flags)
  // Without a lake no report is written: a file in the folder would keep the next run from creating the lake.
  await openCatalog(lake, declaredTables)
  const file = flags.out === undefined ? defaultReport(lake.folder) : await writableFile('--out', flags.out)
  return untilSignal(async ({ signal: stop }) => {
    await writeReport(lake, file, stop)
    await printLine(file)
    return 0
  })
}

export function defaultReport(lakeDir: string): string {
  return join(resolve(lakeDir), 'report.html')
}

/** Makes the report and replaces the file atomically, so that readers see a whole one. Throws StorageError, and what `makeReport` throws. */
export async function writeReport(lake: LakeLocation, file: string, stop?: AbortSignal): Promise<void> {
  const html = await makeReport({ lake, nowMs: Date.now(), stop })
  try {
    await replaceFile(file, html)
  } catch (cause) {
    throw new StorageError('The report could not be written.', {
      code: 'storage.report',
      details: { file, reason: cause instanceof Error ? cause.message : String(cause) },
      hint: 'Check free space and permissions of the folder, or name another file.',
      cause,
    })
  }
}

type ReportKeeping = {
  /** Makes the report and replaces the file. */
  readonly write: (stop: AbortSignal) => Promise<void>
  readonly stop: AbortSignal
  /** Called when a report could not be made during the run; the next publication tries again. */
  readonly failed: (error: unknown) => void
}

/** Time for the report after a stop: most of the 10 seconds that a stop may take. */
const graceMs = 9_000

/** Keeps a report that is rewritten after each publication. Makes one at a time; publications in the meantime are in the next one. */
export function keepReport({ write, stop, failed }: ReportKeeping) {
  const limit = abortLater(stop, graceMs)
  let making: Promise<void> | null = null
  let isBehind = false
  const make = async (): Promise<void> => {
    while (isBehind) {
      isBehind = false
      await write(limit).catch(failed)
    }
    making = null
  }
  return {
    onEvent: ({ kind }: RunEvent): void => {
      if (kind !== 'published') return
      isBehind = true
      making ??= make()
    },
    /** Writes the report a last time, after all runs have ended. Throws what `write` throws. */
    end: async (): Promise<void> => {
      isBehind = false
      await making
      await write(limit).catch((error: unknown) => {
        // The previous report stays; it is complete.
        if (!limit.aborted) throw error
        failed(error)
      })
    },
  }
}
