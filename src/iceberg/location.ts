import { isAbsolute } from 'node:path'
import { ConfigError } from '../errors.ts'
import { doubtful, isDoubtful, parseLocationUri } from '../lib/text/location-uri.ts'

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
  if (isDoubtful(uri))
    throw new ConfigError(`The path of the lake has ${doubtful}.`, {
      code: 'iceberg.location',
      details: { location: uri },
      hint: 'Rename the folder, or give --location with a URI that readers can use.',
    })
  return uri
}

/** The value of `--location`, without the slashes at its end. Throws `ConfigError`. */
export function parseLocation(text: string): string {
  return isAbsolute(text) ? lakeUri(text) : parseLocationUri(text)
}
