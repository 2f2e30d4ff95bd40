import { randomBytes } from 'node:crypto'

/**
 * Temporary files and folders of a lake carry in their names who made them: an id whose lock that process holds for as
 * long as it lives. Process ids would not do: containers that share a volume each have their own.
 */
export type TemporaryKind = 'views' | 'lookup' | 'staged'

/** A new name in the lake's folder, without a suffix. */
export function temporaryName(kind: TemporaryKind, owner: string): string {
  return `.${kind}-${owner}-${randomBytes(6).toString('hex')}`
}

/** Who made the temporary of this name in the lake's folder; null: it is no temporary. */
export function ownerOfTemporary(name: string): string | null {
  return /^\.(?:views|lookup|staged)-([0-9A-Za-z]+)-[0-9a-f]+(?:\.|$)/.exec(name)?.[1] ?? null
}
