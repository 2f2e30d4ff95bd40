import { ConfigError } from '../errors.ts'

const start = '<!-- tables -->'
const end = '<!-- /tables -->'

/** The README with another data dictionary between its markers. Throws `ConfigError` when the markers are missing. */
export function withDataDictionary(readme: string, dictionary: string): string {
  const from = readme.indexOf(start)
  const to = readme.indexOf(end)
  if (from < 0 || to < from)
    throw new ConfigError('README.md lacks the markers of the data dictionary.', {
      code: 'docs.markers',
      hint: `Put ${start} and ${end} where the tables belong.`,
    })
  return `${readme.slice(0, from + start.length)}\n\n${dictionary}\n${readme.slice(to)}`
}
