const exitCodes = { SIGINT: 130, SIGTERM: 143 } as const
type SignalName = keyof typeof exitCodes

/** `signal` is aborted by SIGINT or SIGTERM; `code` gives the exit code of the process after that. */
type Interruption = { readonly signal: AbortSignal; readonly code: () => number | undefined }

/**
 * Runs `work` with a signal that SIGINT or SIGTERM aborts. A second SIGINT or SIGTERM ends the process at once; committed data is safe
 * then, too. `onSignal` is called with the first one.
 */
export async function untilSignal<T>(
  work: (interruption: Interruption) => Promise<T>,
  onSignal: (name: SignalName) => void = () => {},
): Promise<T> {
  const controller = new AbortController()
  let code: number | undefined
  const listen = (name: SignalName) => () => {
    if (code !== undefined) process.exit(exitCodes[name])
    code = exitCodes[name]
    onSignal(name)
    controller.abort(new Error(name))
  }
  const listeners = { SIGINT: listen('SIGINT'), SIGTERM: listen('SIGTERM') }
  for (const name of Object.keys(listeners) as SignalName[]) process.on(name, listeners[name])
  try {
    return await work({ signal: controller.signal, code: () => code })
  } finally {
    for (const name of Object.keys(listeners) as SignalName[]) process.off(name, listeners[name])
  }
}
