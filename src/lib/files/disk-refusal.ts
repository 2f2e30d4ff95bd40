import { isOutOfInodes, noInodes } from './free-inodes.ts'

/** A refusal by a disk, with the same code and hint for every caller. */
type DiskRefusal = {
  readonly code: string
  /** Whether a retry may succeed: someone frees space, or the program that fills the disk ends. */
  readonly retryable: boolean
  readonly problem: string
  readonly hint: string
}

type Kind = DiskRefusal & {
  readonly errors: readonly string[]
  /** Matches DuckDB's message, because DuckDB passes no error codes on. */
  readonly words: RegExp
}

const full = { code: 'storage.full', retryable: true }
const readOnly = { code: 'storage.read-only', retryable: false, problem: 'The lake cannot be written' }

const kinds: readonly Kind[] = [
  {
    ...full,
    errors: ['ENOSPC'],
    words: /No space left|disk is full|not enough space/i,
    problem: 'The disk is full',
    hint: 'Free some space and start the run again: it resumes from the last commit.',
  },
  {
    ...full,
    errors: ['EDQUOT'],
    words: /quota exceeded/i,
    problem: 'The disk quota is used up',
    hint: 'Free some space or raise the quota, and start the run again: it resumes from the last commit.',
  },
  {
    ...full,
    // This is a limit of the process. It does not change while the process lives.
    retryable: false,
    errors: ['EFBIG'],
    words: /File too large/i,
    problem: 'The file may not become that large',
    hint: 'Raise the limit on the size of files (ulimit -f) and start the run again: it resumes from the last commit.',
  },
  {
    ...readOnly,
    errors: ['EROFS'],
    words: /Read-only file system/i,
    hint: 'The file system is read-only; give --lake a folder that can be written to.',
  },
  {
    ...readOnly,
    errors: ['EACCES', 'EPERM'],
    words: /Permission denied|read-only mode/i,
    hint: 'The disk is read-only or the folder belongs to another user; give --lake a folder that this user may write.',
  },
]

/** The disk refusal behind an error of the file system, or of DuckDB at a file; null for an error that is not about the disk. */
export function diskRefusal(error: unknown, file: string, hasNoInodes = isOutOfInodes): DiskRefusal | null {
  if (!(error instanceof Error)) return null
  const code = (error as NodeJS.ErrnoException).code
  const kind = kinds.find(({ errors, words }) =>
    code === undefined ? isOfDuckDb(error) && words.test(error.message) : errors.includes(code),
  )
  if (kind === undefined) return null
  const refusal = kind.errors.includes('ENOSPC') && hasNoInodes(file) ? noInodes : kind
  return { code: refusal.code, retryable: refusal.retryable, problem: refusal.problem, hint: refusal.hint }
}

/** Whether an error has the form of DuckDB's: `IO Error: …`. */
export function isOfDuckDb({ message }: Error): boolean {
  return /^[A-Z][A-Za-z ]* Error: /.test(message)
}
