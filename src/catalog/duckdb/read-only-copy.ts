import { accessSync, chmodSync, constants, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { StorageError } from '../../errors.ts'

/**
 * Lets the owner write a catalog that was copied from `lake.ducklake`, which is read-only for everybody. False when that is not what keeps
 * this user from writing. A folder that may not be written is not touched: then the lake is meant to be read-only.
 *
 * @throws StorageError when only another user can.
 */
export function letOwnerWrite(file: string): boolean {
  const { mode, uid } = statSync(file)
  if ((mode & 0o200) !== 0 || !mayWrite(dirname(file))) return false
  if (process.geteuid?.() !== uid)
    throw new StorageError('The catalog of the lake is read-only, as copies of lake.ducklake are.', {
      code: 'storage.read-only',
      details: { file, 'owner (user id)': uid, 'this user (user id)': process.geteuid?.() },
      hint: `Its owner can change that: chmod u+w ${file}. Or run chainlake restore ${join(dirname(file), 'lake.ducklake')}: then it belongs to this user.`,
    })
  chmodSync(file, (mode & 0o777) | 0o200)
  return true
}

function mayWrite(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return (statSync(folder).mode & 0o200) !== 0
  } catch {
    return false
  }
}
