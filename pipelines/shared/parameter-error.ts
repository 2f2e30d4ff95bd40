import { ConfigError } from '../../src/errors.ts'

/** Parameters of a job that do not go together. */
export function parameterError(message: string, hint: string): ConfigError {
  return new ConfigError(message, { code: 'config.parameter', hint })
}
