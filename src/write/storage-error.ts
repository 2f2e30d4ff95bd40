import { StorageError } from '../errors.ts'
import { lacksInodes, noInodes } from '../lib/free-inodes.ts'

const meanings: Readonly<Record<string, readonly [problem: string, hint: string]>> = {
  ENOSPC: ['The disk is full', 'Free some space and run again: what is committed is safe.'],
  EDQUOT: [
    'The disk quota is used up',
    'Free some space or raise the quota, and run again: what is committed is safe.',
  ],
  EFBIG: [
    'The file may not become that large',
    'Raise the limit on the size of files (ulimit -f) and run again: what is committed is safe.',
  ],
  EROFS: ['The file system is read-only', 'Choose a lake folder that can be written to with --lake.'],
  EACCES: ['The folder may not be written to', 'Change its permissions, or choose another folder with --lake.'],
  EPERM: ['The folder may not be written to', 'Change its permissions, or choose another folder with --lake.'],
  ENOTDIR: ['A file is where a folder should be', 'Move the file away, or choose another folder with --lake.'],
  EEXIST: ['The file is already there', 'Parts are never overwritten: run again, which gives a new name.'],
  EMFILE: ['Too many files are open', 'Raise the limit of open files (ulimit -n) and run again.'],
  ENFILE: ['Too many files are open', 'Raise the limit of open files and run again.'],
  EIO: ['The disk gave an error', 'Check the disk; what is committed before it is not touched.'],
}

/** What may pass: somebody makes room, or what takes it ends. */
const passing = ['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE']

/** What an error of the file system means for a part. `file` is absolute. */
export function storageError(error: unknown, file: string, lacks = lacksInodes): StorageError {
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
  if (code === 'ENOSPC' && lacks(file))
    return new StorageError(`${noInodes.problem}: ${text}`, { ...noInodes, details: { file }, cause: error })
  const [problem, hint] = meanings[code] ?? ['The part could not be written', 'See the cause and run again.']
  return new StorageError(`${problem}: ${text}`, {
    code: `storage.${code.toLowerCase()}`,
    retryable: passing.includes(code),
    details: { file },
    hint,
    cause: error,
  })
}
