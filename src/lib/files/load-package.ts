import { ConfigError } from '../../errors.ts'

/** The error for a missing package that only some lakes need. */
export type MissingPackage = { readonly message: string; readonly code: string; readonly hint: string }

/**
 * Loads an optional package when it is needed.
 *
 * @throws ConfigError with this message, code and hint where the package is not installed.
 */
export async function loadPackage<T>(load: () => Promise<T>, { message, code, hint }: MissingPackage): Promise<T> {
  try {
    return await load()
  } catch (cause) {
    if (!/^(ERR_)?MODULE_NOT_FOUND$/.test((cause as NodeJS.ErrnoException).code ?? '')) throw cause
    throw new ConfigError(message, {
      code,
      // The other lines are the stack of a require.
      details: { cause: (cause as Error).message.split('\n')[0] },
      hint,
      cause,
    })
  }
}
