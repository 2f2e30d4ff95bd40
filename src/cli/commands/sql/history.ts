import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** Throws for a user without HOME and without an entry in /etc/passwd, such as the one of a container with any uid. */
const historyPath = () => join(homedir(), '.chainlake_history')
/** Entries that are kept. */
export const historyLength = 1_000

/** The history, newest first as readline expects it; empty when the file cannot be read. */
export function readHistory(): string[] {
  try {
    return readFileSync(historyPath(), 'utf8').split('\n').filter(Boolean).reverse()
  } catch {
    return []
  }
}

/** Saves the history, one entry per line, for this user alone: queries may hold what others should not see. A failure is ignored. */
export function writeHistory(entries: readonly string[]): void {
  try {
    const path = historyPath()
    writeFileSync(path, `${entries.slice(0, historyLength).reverse().join('\n')}\n`, { mode: 0o600 })
    // The mode of a file that exists does not change otherwise.
    chmodSync(path, 0o600)
  } catch {}
}
