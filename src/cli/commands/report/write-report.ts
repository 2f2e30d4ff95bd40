import { join, resolve } from 'node:path'
import { tables as declaredTables } from '../../../../schemas/index.ts'
import { openCatalog } from '../../../catalog/catalog.ts'
import type { LakeLocation } from '../../../catalog/place/lake-location.ts'
import { StorageError } from '../../../errors.ts'
import { replaceFile } from '../../../lib/files/replace-file.ts'
import { makeReport } from '../../../report/make-report.ts'
import { readSettings } from '../../settings/settings.ts'
import type { SettingFlags } from '../../settings/typed-value.ts'
import { printLine } from '../../terminal/output.ts'
import { untilSignal } from '../../terminal/signals.ts'
import { writableFile } from '../../terminal/writable-file.ts'

type ReportFlags = SettingFlags & { readonly out?: string | undefined }

/** `chainlake report`: writes the report and prints its path. */
export async function runReport(flags: ReportFlags): Promise<number> {
  const { lake } = await readSettings(flags)
  // Without a lake no report is written: a file in the folder would keep the next run from creating the lake.
  await openCatalog(lake, declaredTables)
  const file = flags.out === undefined ? defaultReport(lake.folder) : await writableFile('--out', flags.out)
  return untilSignal(async ({ signal, code }) => {
    try {
      await writeReport(lake, file, signal)
      await printLine(file)
      return 0
    } catch (error) {
      if (signal.aborted && error === signal.reason) return code() ?? 1
      throw error
    }
  })
}

/** The default path of the report of a lake. */
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
