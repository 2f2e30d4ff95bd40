import { join, resolve } from 'node:path'
import { tables as declaredTables } from '../../../../schemas/index.ts'
import { openCatalog } from '../../../catalog/catalog.ts'
import { StorageError } from '../../../errors.ts'
import { replaceFile } from '../../../lib/files/replace-file.ts'
import { makeReport } from '../../../report/make-report.ts'
import { readSettings } from '../../settings/settings.ts'
import type { SettingFlags } from '../../settings/typed-value.ts'
import { printLine } from '../../terminal/output.ts'
import { untilSignal } from '../../terminal/signals.ts'
import { writableFile } from '../../terminal/writable-file.ts'

type ReportFlags = SettingFlags & { readonly out?: string | undefined }

/** `chainlake report`: writes the page and says where it is. */
export async function runReport(flags: ReportFlags): Promise<number> {
  const { lake } = await readSettings(flags)
  // Where no lake is, no page is made: in its folder it would keep the next run from making one.
  await openCatalog(lake, declaredTables)
  const file = flags.out === undefined ? usualReport(lake) : await writableFile('--out', flags.out)
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

/** Where the page of a lake is when nobody says it. */
export function usualReport(lakeDir: string): string {
  return join(resolve(lakeDir), 'report.html')
}

/** Makes the page and puts it in the place of the file: readers see a whole one. Throws StorageError, and what `makeReport` does. */
export async function writeReport(lakeDir: string, file: string, stop?: AbortSignal): Promise<void> {
  const html = await makeReport({ lakeDir, nowMs: Date.now(), stop })
  try {
    await replaceFile(file, html)
  } catch (cause) {
    throw new StorageError('The report could not be written.', {
      code: 'storage.report',
      details: { file, reason: cause instanceof Error ? cause.message : String(cause) },
      hint: 'Check the free space and the permissions of its folder, or name another file.',
      cause,
    })
  }
}
