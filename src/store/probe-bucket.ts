import { inDataFolder } from './data-file-path.ts'
import { connectS3 } from './s3-client.ts'
import { keyOf, type S3Place } from './s3-place.ts'
import type { ProbedStore } from './store.ts'

/** See `RemoteStore.probe`. To test writing, it starts and aborts an upload. */
export async function probeBucket(place: S3Place): Promise<ProbedStore> {
  const { sdk, client, attempt } = await connectS3(place)
  const Bucket = place.bucket
  const Prefix = keyOf(place, inDataFolder(''))
  const list = new sdk.ListObjectsV2Command({ Bucket, Prefix, MaxKeys: 1 })
  const { Contents = [] } = await attempt('list', Prefix, () => client.send(list))
  const target = { Bucket, Key: keyOf(place, 'doctor') }
  const mayWrite = await attempt('begin', target.Key, async () => {
    const { UploadId } = await client.send(new sdk.CreateMultipartUploadCommand(target))
    await client.send(new sdk.AbortMultipartUploadCommand({ ...target, UploadId }))
    return true as const
  }).catch((error: Error) => error)
  const versioning = await client.send(new sdk.GetBucketVersioningCommand({ Bucket })).catch(() => null)
  return {
    files: Contents.length,
    mayWrite,
    isVersioned: versioning?.Status === 'Enabled',
    skewMs: client.config.systemClockOffset ?? 0,
  }
}
