import { ConfigError } from '../../errors.ts'

/** The value of `--location` as a URI, without the slashes at its end. Throws `ConfigError`. */
export function parseLocationUri(text: string): string {
  const location = text.replace(/\/+$/, '')
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^/]*[^\s]*$/i.test(text) || location.endsWith(':'))
    throw new ConfigError(`--location must be a URI or an absolute path, not ${JSON.stringify(text)}.`, {
      code: 'config.location',
      hint: 'Give the location of the lake folder for readers, such as s3://bucket/lake or /srv/lake.',
    })
  if (isDoubtful(location))
    throw new ConfigError(`--location has ${doubtful}.`, {
      code: 'config.location',
      details: { location },
      hint: 'Give a location without them.',
    })
  return location
}

/** Some readers decode characters that others take literally, and some end a path at a question mark or a number sign. */
export function isDoubtful(uri: string): boolean {
  return /[?#%*[\]\n]/.test(uri)
}

/** What is wrong with a doubtful URI, for messages. */
export const doubtful = 'characters that readers do not agree on: one of ? # % * [ ]'
