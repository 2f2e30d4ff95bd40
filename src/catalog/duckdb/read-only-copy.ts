import { accessSync, chmodSync, constants, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { StorageError } from '../../errors.ts'
import { isModeRefusal } from '../../lib/files/file-mode.ts'

/**
 * Makes a catalog writable that was copied from `lake.ducklake`, which is read-only. False if this is not the reason why the user cannot
 * write. If the folder is read-only, the whole lake is meant to be read-only, and nothing is changed.
 *
 * @throws StorageError when only another user may change the file.
 */
export function letOwnerWrite(file: string): boolean {
  const { mode, uid } = statSync(file)
  if ((mode & 0o200) !== 0 || !mayWrite(dirname(file))) return false
  if (process.geteuid?.() !== uid)
    throw new StorageError('The catalog of the lake is read-only: it is a copy of lake.ducklake.', {
      code: 'storage.read-only',
      details: { file, 'owner (user id)': uid, 'this user (user id)': process.geteuid?.() },
      hint: `Let its owner run chmod u+w ${file}. Or run chainlake restore ${join(dirname(file), 'lake.ducklake')}, which makes this user the owner.`,
    })
  try {
    chmodSync(file, (mode & 0o777) | 0o200)
    return true
  } catch (error) {
    if (isModeRefusal(error)) return false
    throw error
  }
}

function mayWrite(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return (statSync(folder).mode & 0o200) !== 0
  } catch {
    return false
  }
}
