import { reachStep } from '../../lib/step.ts'
import { readSmallFiles, type SmallFiles, type SmallFilesOptions } from '../files/small-files.ts'
import type { Backend } from '../session/backend.ts'
import type { Session } from '../session/session.ts'
import { type Replacement, replaceFiles } from './replace-files.ts'

/** Merges small files of a table into large ones. */
export type Compaction = {
  /** The small visible files of a table, with their properties. */
  readonly smallFiles: (options: SmallFilesOptions) => Promise<SmallFiles>
  /** Replaces files by others; see `replaceFiles`. Returns the snapshot's id. */
  readonly replace: (replacement: Replacement) => Promise<number>
}

type Read = <T>(use: (session: Session) => Promise<T>) => Promise<T>

export function createCompaction(read: Read, write: Backend['write']): Compaction {
  return {
    smallFiles: (options) => read((session) => readSmallFiles(session, options)),
    replace: async (replacement) => {
      const snapshotId = await write((session) => replaceFiles(session, replacement))
      reachStep('compact.after-close')
      return snapshotId
    },
  }
}
