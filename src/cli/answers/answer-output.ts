import { StorageError } from '../../errors.ts'
import { type FileOutput, openOutput } from '../../lib/files/replace-file.ts'
import { printText } from '../terminal/output.ts'
import { type Terminal, terminalOf } from '../terminal/terminal.ts'

/** Where answers of queries go. */
export type AnswerOutput = {
  readonly write: (text: string) => Promise<void>
  /** Null for files and other programs. */
  readonly terminal: Terminal | null
}

export function standardOutput(): AnswerOutput {
  return { write: printText, terminal: terminalOf(process.stdout) }
}

export type AnswerFile = AnswerOutput & FileOutput

/** Writes answers to a file; see `openOutput`. Throws `StorageError`. */
export async function openFileOutput(file: string): Promise<AnswerFile> {
  const attempt = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (cause) {
      throw new StorageError(`The answer cannot be written to ${file}.`, {
        code: 'storage.output',
        details: { reason: (cause as Error).message },
        hint: 'Check the free space and the permissions of the folder.',
        cause,
      })
    }
  }
  const output = await attempt(() => openOutput(file))
  return {
    terminal: null,
    write: (text) => attempt(() => output.write(text)),
    finish: () => attempt(output.finish),
    discard: output.discard,
  }
}
