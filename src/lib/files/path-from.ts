import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

/** The absolute path of a text from a folder. `~` at its beginning is the home folder, since no shell reads settings. */
export function pathFrom(folder: string, text: string): string {
  return text === '~' || text.startsWith('~/') ? join(homedir(), text.slice(1)) : resolve(folder, text)
}
