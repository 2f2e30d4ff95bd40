/** Lies that no reader can tell from the truth: what each of them leads to, and a pattern of the names of its cases. */
export type UnnoticedLies = readonly (readonly [outcome: string, cases: RegExp])[]

/** Keeps which of these lies were told. */
export function createTally(unnoticed: UnnoticedLies) {
  const used = new Set<RegExp>()
  return {
    /** Whether a case was expected to have this outcome. */
    isKnown(outcome: string, name: string): boolean {
      const [, known] = unnoticed.find(([expected, cases]) => expected === outcome && cases.test(name)) ?? []
      if (known !== undefined) used.add(known)
      return known !== undefined
    },
    /** The lies that no case has shown. */
    untold: () => unnoticed.filter(([, cases]) => !used.has(cases)),
  }
}
