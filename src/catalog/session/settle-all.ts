/** Waits until all promises have settled and returns their values. If some rejected, it throws the error of the first of them in the list. */
export async function settleAll<T extends readonly unknown[]>(
  works: readonly [...{ [K in keyof T]: Promise<T[K]> | T[K] }],
): Promise<T> {
  const results = await Promise.allSettled(works)
  for (const result of results) if (result.status === 'rejected') throw result.reason
  return results.map((result) => (result as PromiseFulfilledResult<unknown>).value) as unknown as T
}
