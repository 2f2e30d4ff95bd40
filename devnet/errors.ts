import { type ErrorOptions, ExplainedError } from '../codec/errors.ts'

/** An option or a recording of the simulated network is wrong. Exit code 2. */
export class OptionError extends ExplainedError {
  constructor(message: string, options?: ErrorOptions) {
    super(message, 2, 'config.devnet', options)
  }
}

/** The cache of the simulated network cannot be written. Exit code 5. */
export class CacheError extends ExplainedError {
  constructor(message: string, options?: ErrorOptions) {
    super(message, 5, 'storage', options)
  }
}
