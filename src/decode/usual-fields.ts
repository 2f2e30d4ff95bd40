/** Lists of field names, in order, of objects without unknown fields. Most objects at one path of an answer match one of the first. */
export type UsualFields = string[][]

const none: readonly string[] = []
const mostUsual = 8

/** Returns the names of the fields of an object that are not `known`. Callers may only add to `known`. */
export function unknownNames(
  object: Readonly<Record<string, unknown>>,
  known: ReadonlySet<string>,
  usual: UsualFields,
): readonly string[] {
  for (const names of usual) if (hasNoOthers(object, names)) return none
  const found = Object.keys(object)
  const unknown = found.filter((name) => !known.has(name))
  if (unknown.length === 0 && usual.length < mostUsual) usual.push(found)
  return unknown
}

/** Returns whether the fields of an object are the first of `names`. This takes a fifth of the time of looking up each field. */
function hasNoOthers(object: Readonly<Record<string, unknown>>, names: readonly string[]): boolean {
  let position = 0
  for (const name in object) if (names[position++] !== name) return false
  return true
}
