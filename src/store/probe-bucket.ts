import { inDataFolder } from './data-file-path.ts'
import { connectS3 } from './s3-client.ts'
import { keyOf, type S3Place } from './s3-place.ts'

export type ProbedBucket = {
  /** 0 or 1: whether there are files of a lake. */
  readonly files: number
  /** Why not, where it may not be written. */
  readonly mayWrite: true | Error
  /** False also where that may not be asked. */
  readonly isVersioned: boolean
  /** How far the clock of this machine is from that of S3, in milliseconds; 0 for what does not matter. */
  readonly skewMs: number
}

/** Asks a bucket what a run would. Of what it may write, an upload is begun and given up: nothing is left. Throws what listing throws. */
export async function probeBucket(place: S3Place): Promise<ProbedBucket> {
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
