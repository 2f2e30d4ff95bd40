/** Waits until all promises have settled and returns their values. If some rejected, it throws the error of the first of them in the list. */
export async function settleAll<T extends readonly unknown[] | []>(
  works: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(works)
  return Promise.all(works)
}
