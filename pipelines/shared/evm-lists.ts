/** Subjects that one stream observes: a chunk goes on by its own. */
const chunk = 64

/** 0x addresses as rows have them: lower case, each once. */
export function evmAddresses(list: readonly string[]): string[] {
  return [...new Set(list.map((address) => address.toLowerCase()))]
}

/** The list in its order, cut into what one stream observes. */
export function chunksOf<T>(list: readonly T[]): T[][] {
  const chunks: T[][] = []
  for (let from = 0; from < list.length; from += chunk) chunks.push(list.slice(from, from + chunk))
  return chunks
}

/** The name of a subject in the table observations: what it is, then the filters that are given. */
export function subjectName(name: string, filters: Readonly<Record<string, string | number | undefined>>): string {
  const texts = Object.entries(filters).flatMap(([filter, value]) =>
    value === undefined ? [] : [`${filter}=${value}`],
  )
  return texts.length === 0 ? name : `${name}?${texts.join('&')}`
}
