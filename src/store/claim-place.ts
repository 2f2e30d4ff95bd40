import { CatalogError, OtherSourceError } from '../errors.ts'
import type { S3 } from './s3-client.ts'
import { statusOf } from './s3-failure.ts'
import { keyOf, s3AddressText } from './s3-place.ts'
import type { Claim } from './store.ts'

/** The object that says whose the files of a prefix are: the only one that is ever written again. */
const claimName = 'lake.json'

type Stored = Pick<Claim, 'lake' | 'run'>

/** See `Store.claim`. A copy of a catalog that others have gone on from would take their files for what dead runs left. */
export async function claimPlace(s3: S3, { lake, run, knows }: Claim): Promise<void> {
  const { place, sdk, client, attempt } = s3
  const target = { Bucket: place.bucket, Key: keyOf(place, claimName) }
  const stored = await attempt('get', target.Key, async (): Promise<Stored | null> => {
    try {
      const answer = await client.send(new sdk.GetObjectCommand(target))
      return JSON.parse((await answer.Body?.transformToString()) ?? 'null')
    } catch (error) {
      if (statusOf(error) === 404 && (error as Error).name !== 'NoSuchBucket') return null
      throw error
    }
  })
  const details = { data: s3AddressText(place), lake }
  if (stored !== null && stored.lake !== lake)
    throw new OtherSourceError('The bucket has the files of another lake under this prefix.', {
      code: 'lake.other-data',
      details: { ...details, 'lake there': stored.lake },
      hint: 'Give --data another prefix, or --lake the folder of that lake.',
    })
  if (stored !== null && stored.run !== null && !knows(stored.run))
    throw new CatalogError('Another copy of this lake has written to the bucket since.', {
      code: 'catalog.other-writer',
      details: { ...details, 'run there': stored.run },
      hint: 'One folder alone may write a lake in S3: run where that run was. To go on from this catalog without what it wrote, restore it: chainlake restore.',
    })
  const text: Stored = { lake, run }
  await attempt('put', target.Key, () =>
    client.send(new sdk.PutObjectCommand({ ...target, ContentType: 'application/json', Body: JSON.stringify(text) })),
  )
}
