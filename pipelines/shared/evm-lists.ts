import { parameterText } from '../../src/model.ts'

/** Subjects that one stream observes: each resumes independently. */
export const observedTogether = 64

/** 0x addresses as in rows: lower case, without duplicates. */
export function evmAddresses(list: readonly string[]): string[] {
  return [...new Set(list.map((address) => address.toLowerCase()))]
}

/** The name of a subject in the table observations: its kind, then the given filters. */
export function subjectName(
  name: string,
  filters: Readonly<Record<string, string | number | readonly string[] | undefined>>,
): string {
  const texts = Object.entries(filters).flatMap(([filter, value]) =>
    value === undefined ? [] : [`${filter}=${typeof value === 'number' ? value : parameterText(value)}`],
  )
  return texts.length === 0 ? name : `${name}?${texts.join('&')}`
}
