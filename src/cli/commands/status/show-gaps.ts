import { awaitedLists, gapsOf } from '../../../run/status/lake-gaps.ts'
import { lakeStatus } from '../../../run/status/lake-status.ts'
import { readSettings } from '../../settings/settings.ts'
import type { SettingFlags } from '../../settings/typed-value.ts'
import { printJson, printLine } from '../../terminal/output.ts'
import { gapsText } from './gaps-text.ts'

type GapsFlags = SettingFlags & { readonly check?: boolean | undefined; readonly json?: boolean | undefined }

/** Exit code when something is missing. */
const incompleteExitCode = 9

/** `chainlake gaps`: resolves to the exit code. */
export async function showGaps(flags: GapsFlags): Promise<number> {
  const { lake } = await readSettings(flags)
  const status = await lakeStatus(lake)
  const gaps = gapsOf(status)
  const lists = awaitedLists(status)
  if (flags.json) await printJson([...gaps, ...lists.map((list) => ({ ...list, unit: 'list', from: null, to: null }))])
  else await printLine(gapsText(gaps, lists))
  return flags.check === true && gaps.length + lists.length > 0 ? incompleteExitCode : 0
}
