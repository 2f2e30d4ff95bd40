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

/** Whose a name in the lake's folder is; `owner` is null for the names of versions that wrote a process id. Null: no temporary. */
export function readTemporaryName(name: string): { readonly owner: string | null } | null {
  const [, owner = ''] = /^\.(?:views|lookup|staged)-([0-9A-Za-z]+)-[0-9a-f]+(?:\.|$)/.exec(name) ?? []
  if (owner === '') return null
  return { owner: /^\d+$/.test(owner) ? null : owner }
}
