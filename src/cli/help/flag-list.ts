import type { Flag, OptionSet } from '../flags/command.ts'
import { list } from './sections.ts'

/** The flags of a command by group; those without a group come first. */
export function flagSections(options: OptionSet, width: number): string[] {
  const groups = new Map<string, [name: string, text: string][]>([['flags', []]])
  for (const [name, flag] of Object.entries(options)) {
    const group = flag.group?.replace(/:$/, '') ?? 'flags'
    groups.set(group, [...(groups.get(group) ?? []), [flagText(name, flag), flag.describe ?? '']])
  }
  return [...groups].flatMap(([title, entries]) => list(title, entries, width))
}

/** Such as `--max-lag LAG`: the last word of the name stands for the value if the flag declares no other. */
export function flagText(name: string, { type, alias, value }: Pick<Flag, 'type' | 'alias' | 'value'>): string {
  const short = typeof alias === 'string' ? `-${alias}, ` : ''
  if (type === 'boolean') return `${short}--${name}`
  return `${short}--${name} ${value ?? name.split('-').at(-1)?.toUpperCase()}`
}
