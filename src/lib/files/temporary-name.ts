import { randomBytes } from 'node:crypto'

/**
 * The name of a temporary file or folder of a lake contains the id of its owner. The owner's process holds the lock of that id for as long
 * as it lives. Process ids would not work: containers that share a volume each have their own.
 */
type TemporaryKind = 'views' | 'lookup' | 'staged'

/** A new name in the lake's folder, without a suffix. */
export function temporaryName(kind: TemporaryKind, owner: string): string {
  return `.${kind}-${owner}-${randomBytes(6).toString('hex')}`
}

/** The owner of the temporary file or folder with this name in the lake's folder; null for other names. */
export function ownerOfTemporary(name: string): string | null {
  return /^\.(?:views|lookup|staged)-([0-9A-Za-z]+)-[0-9a-f]+(?:\.|$)/.exec(name)?.[1] ?? null
}
