import { StorageError } from '../../errors.ts'
import { diskRefusal } from '../../lib/files/disk-refusal.ts'

type Circumstances = { readonly code: string; readonly folder: string; readonly hint: string }

/** An error of the file system as `StorageError` with this message; any other error as it is. */
export function publicationFailure(error: unknown, message: string, { code, folder, hint }: Circumstances): unknown {
  if (!isOfFileSystem(error)) return error
  const refusal = diskRefusal(error, folder)
  const isFile = error.code === 'ENOTDIR' || error.code === 'EEXIST'
  return new StorageError(message, {
    code: refusal?.code ?? (isFile ? 'storage.not-a-folder' : code),
    retryable: refusal?.retryable ?? false,
    details: { folder, ...(refusal === null ? {} : { problem: refusal.problem }), reason: error.message },
    hint,
    cause: error,
  })
}

function isOfFileSystem(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === 'string'
}
