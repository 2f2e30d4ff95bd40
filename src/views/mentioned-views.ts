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
