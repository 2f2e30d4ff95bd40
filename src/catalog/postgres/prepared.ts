/** Maximum number of prepared statements per connection. */
const mostPrepared = 150
/** Maximum number of SQL texts to remember after their first use. */
const mostSeen = 1_000

/**
 * Returns names for SQL texts that are executed repeatedly, so that a connection parses and plans them once. Null for texts that are new,
 * for example with literals in them, and for `SELECT *`, because another version of chainlake may add columns.
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
