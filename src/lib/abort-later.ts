/** A signal that aborts the given number of milliseconds after another one, with the same reason. */
export function abortLater(signal: AbortSignal, milliseconds: number): AbortSignal {
  const controller = new AbortController()
  const begin = (): void => {
    setTimeout(() => controller.abort(signal.reason), milliseconds).unref()
  }
  if (signal.aborted) begin()
  else signal.addEventListener('abort', begin, { once: true })
  return controller.signal
}
