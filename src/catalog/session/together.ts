/** What several works result in that go on together. Each has come to its end when one of them fails; the first of them in their order is told. */
export async function together<T extends readonly unknown[]>(
  works: readonly [...{ [K in keyof T]: Promise<T[K]> | T[K] }],
): Promise<T> {
  const ends = await Promise.allSettled(works)
  for (const end of ends) if (end.status === 'rejected') throw end.reason
  return ends.map((end) => (end as PromiseFulfilledResult<unknown>).value) as unknown as T
}
