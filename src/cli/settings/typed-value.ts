import { environment, environmentValue } from './environment.ts'

export type SettingFlags = { readonly [flag: string]: unknown }

export type Given = { readonly text: string; readonly source: string }

/** The value of a flag, or of its environment variable, with its name for error messages. */
export function typedValue(flag: string, flags: SettingFlags): Given | undefined {
  const typed = flags[flag]
  if (typeof typed === 'string') return { text: typed, source: `--${flag}` }
  const text = environmentValue(flag)
  const name = environment.find((variable) => variable.flag === flag)?.name ?? flag
  return text === undefined ? undefined : { text, source: name }
}
