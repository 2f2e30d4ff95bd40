import { ConfigError } from '../../../errors.ts'

/** The formats in which a lake can be published. */
export const formats = ['iceberg', 'parquet'] as const
type Format = (typeof formats)[number]

/** Throws `ConfigError` `config.publish` for any other format. */
export function parseFormat(text: string): Format {
  const format = formats.find((each) => each === text)
  if (format !== undefined) return format
  throw new ConfigError(`A lake cannot be published as ${JSON.stringify(text)}.`, {
    code: 'config.publish',
    hint: `The formats are ${formats.join(' and ')}.`,
  })
}

/** Throws `ConfigError` `config.publish` for an option that belongs to another format. */
export function refuseOption(flag: string, value: string | null, owner: Format, format: Format | null): void {
  if (value === null || owner === format) return
  throw new ConfigError(`--${flag} is an option of the format ${owner}.`, {
    code: 'config.publish',
    hint: `Omit --${flag}, or publish as ${owner}.`,
  })
}
