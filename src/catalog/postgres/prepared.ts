/** So many statements are prepared on a connection at most. */
const mostPrepared = 150
/** Of so many texts it is known that they were asked for before. */
const mostSeen = 1_000

/**
 * Names for statements that are asked for again and again in the same words, so that a connection takes them apart and plans them once.
 * Null for those that are not, such as with numbers in them, and for those that give all columns, which another version may add to.
 */
export function statementNames(): (sql: string) => string | null {
  const names = new Map<string, string>()
  let seen = new Set<string>()
  return (sql) => {
    const known = names.get(sql)
    if (known !== undefined) return known
    if (names.size >= mostPrepared || sql.length > 10_000 || !/^(SELECT (?!\*)|INSERT|UPDATE|DELETE)/.test(sql))
      return null
    if (!seen.has(sql)) {
      if (seen.size >= mostSeen) seen = new Set()
      seen.add(sql)
      return null
    }
    seen.delete(sql)
    const name = `s${names.size + 1}`
    names.set(sql, name)
    return name
  }
}
