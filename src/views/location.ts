import { resolve, win32 } from 'node:path'
import { ConfigError } from '../errors.ts'
import { parseLocationUri } from '../lib/text/location-uri.ts'

/** The schemes of URLs that DuckDB and its own extensions read. */
const schemes = ['http', 'https', 's3', 'gs', 'gcs', 'r2', 'az', 'azure', 'abfss', 'hf']

/**
 * Where readers find the lake: an absolute path, also one of another machine, or a URL that DuckDB reads. Null for the folder of the lake
 * itself. Throws `ConfigError` `config.location`.
 */
export function parseViewsLocation(text: string, lakeDir: string): string | null {
  if (win32.isAbsolute(text)) return resolve(text) === resolve(lakeDir) ? null : text.replace(/(?<=.)[\\/]+$/, '')
  const location = parseLocationUri(text)
  if (schemes.includes(location.slice(0, location.indexOf(':')).toLowerCase())) return location
  throw new ConfigError(`DuckDB does not read URLs such as ${location}.`, {
    code: 'config.location',
    details: { 'DuckDB reads': schemes.map((scheme) => `${scheme}://`).join(', ') },
    hint: 'Give a folder as an absolute path, or one of these URLs.',
  })
}

/** The address of a file of the lake for readers. Its path is relative to the lake; an HTTP server decodes it. */
export function addressAt(location: string, path: string): string {
  return `${location}/${/^https?:/i.test(location) ? path.replaceAll('%', '%25') : path}`
}
