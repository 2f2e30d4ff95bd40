import type { DuckDBConnection } from '@duckdb/node-api'

/** The text of each view by its name. */
export async function readViews(views: DuckDBConnection): Promise<Map<string, string>> {
  const reader = await views.runAndReadAll('SELECT view_name, sql FROM duckdb_views() WHERE NOT internal')
  return new Map(reader.getRows().map(([name, sql]) => [String(name), String(sql)]))
}

/**
 * The views that a query may read: those that its text names, and those that the texts of these views name. The search does not look into
 * `leaves`. Names are in lower case.
 */
export function mentionedViews(
  query: string,
  views: ReadonlyMap<string, string>,
  leaves: readonly string[],
): ReadonlySet<string> {
  const mentioned = new Set<string>()
  const look = (text: string): void => {
    for (const [word] of text.toLowerCase().matchAll(/\w+/g)) {
      const view = views.get(word)
      if (view === undefined || mentioned.has(word)) continue
      mentioned.add(word)
      if (!leaves.includes(word)) look(view)
    }
  }
  look(query)
  return mentioned
}
