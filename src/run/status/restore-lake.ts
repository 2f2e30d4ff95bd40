import { restoreCatalog } from '../../catalog/backup.ts'
import { ChainlakeError, StorageError } from '../../errors.ts'
import { republishLake } from '../publish/publish-views.ts'

/** Restores the catalog of a lake from a backup and publishes it, unless files are missing: then `repair` does; see `restoreCatalog`. */
export async function restoreLake(options: Parameters<typeof restoreCatalog>[0]) {
  const restored = await restoreCatalog(options)
  if (restored.lost.length > 0) return restored
  try {
    await republishLake(options.lake)
  } catch (error) {
    const { details, hint } = error instanceof ChainlakeError ? error : { details: {}, hint: undefined }
    throw new StorageError('The catalog was restored, but its views could not be written.', {
      code: 'storage.views',
      details: {
        ...details,
        reason: error instanceof Error ? error.message : String(error),
        kept: restored.kept.join(', '),
      },
      hint: `${hint ?? ''} Then run chainlake views. The catalog does not need to be restored again.`.trim(),
      cause: error,
    })
  }
  return restored
}
