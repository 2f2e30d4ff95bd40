import { isAbsolute } from 'node:path'
import { ConfigError } from '../errors.ts'

/** The folder of Iceberg's metadata inside the lake. For Iceberg it is a namespace, and the lake is the warehouse. */
export const icebergFolder = 'iceberg'

/** The URI of a folder: `file:///srv/lake`. It encodes no characters, as Iceberg's readers expect. */
export function fileUri(folder: string): string {
  const path = folder.replaceAll('\\', '/')
  return `file://${path.startsWith('/') ? '' : '/'}${path.replace(/\/+$/, '')}`
}

/** The URI of a lake's folder. Throws `ConfigError` for a path that readers interpret differently. */
export function lakeUri(folder: string): string {
  const uri = fileUri(folder)
  refuseDoubtful(uri, 'The path of the lake', 'Rename the folder, or give --location with a URI that readers can use.')
  return uri
}

/** The value of `--location`, without the slashes at its end. Throws `ConfigError`. */
export function parseLocation(text: string): string {
  const location = text.replace(/\/+$/, '')
  if (isAbsolute(text)) return lakeUri(text)
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^/]*[^\s]*$/i.test(text) || location.endsWith(':'))
    throw new ConfigError(`--location must be a URI, not ${JSON.stringify(text)}.`, {
      code: 'config.location',
      hint: 'Give the location of the lake folder for readers, such as s3://bucket/lake or file:///srv/lake.',
    })
  refuseDoubtful(location, '--location', 'Give a location without them.')
  return location
}

/** Some readers decode characters that others take literally, and some end a path at a question mark or a number sign. */
function refuseDoubtful(uri: string, what: string, hint: string): void {
  if (!/[?#%*[\]\n]/.test(uri)) return
  throw new ConfigError(`${what} has characters that readers of Iceberg do not agree on: one of ? # % * [ ].`, {
    code: 'iceberg.location',
    details: { location: uri },
    hint,
  })
}
