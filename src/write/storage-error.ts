import { StorageError } from '../errors.ts'
import { diskRefusal } from '../lib/files/disk-refusal.ts'
import { isOutOfInodes } from '../lib/files/free-inodes.ts'

/** Problem and hint for errors that `diskRefusal` does not know. */
const meanings: Readonly<Record<string, readonly [problem: string, hint: string]>> = {
  ENOTDIR: ['A file is where a folder should be', 'Move the file away, or choose another folder with --lake.'],
  EEXIST: ['The file is already there', 'Parts are never overwritten: run again, which gives a new name.'],
  EMFILE: ['Too many files are open', 'Raise the limit of open files (ulimit -n) and run again.'],
  ENFILE: ['Too many files are open', 'Raise the limit of open files and run again.'],
  EIO: ['The disk gave an error', 'Check the disk; what is committed before it is not touched.'],
}

/** Errors that may pass, when the program that holds the open files ends. */
const passing = ['EMFILE', 'ENFILE']

/** Turns an error of the file system or of the encoder into a `StorageError` about a part. `file` is absolute. */
export function storageError(error: unknown, file: string, hasNoInodes = isOutOfInodes): StorageError {
  if (error instanceof StorageError) return error
  const code = (error as NodeJS.ErrnoException | undefined)?.code
  const text = error instanceof Error ? error.message : String(error)
  if (code === undefined)
    return new StorageError(`The Parquet encoder refused a batch: ${text}`, {
      code: 'storage.encoder',
      details: { file },
      hint: 'Nothing of the part is committed; this is a mistake in the program: report it with these facts.',
      cause: error,
    })
  const refusal = diskRefusal(error, file, hasNoInodes)
  if (refusal !== null) {
    const { problem, ...facts } = refusal
    return new StorageError(`${problem}: ${text}`, { ...facts, details: { file }, cause: error })
  }
  const [problem, hint] = meanings[code] ?? ['The part could not be written', 'See the cause and run again.']
  return new StorageError(`${problem}: ${text}`, {
    code: `storage.${code.toLowerCase()}`,
    retryable: passing.includes(code),
    details: { file },
    hint,
    cause: error,
  })
}
