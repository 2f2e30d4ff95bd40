import { CatalogError, OtherSourceError } from '../errors.ts'
import { readText } from './download.ts'
import type { S3 } from './s3-client.ts'
import { keyOf, s3AddressText } from './s3-place.ts'
import type { Claim } from './store.ts'

/** The object that records the owner of the files of a prefix. It is the only object that is ever overwritten. */
const claimName = 'lake.json'

type Stored = Pick<Claim, 'lake' | 'run'>

/** See `Store.claim`. An outdated copy of a catalog would treat the files of newer runs as leftovers of dead runs. */
export async function claimPlace(s3: S3, { lake, run, knows }: Claim): Promise<void> {
  const { place, sdk, client, attempt } = s3
  const target = { Bucket: place.bucket, Key: keyOf(place, claimName) }
  const stored = await attempt(
    'get',
    target.Key,
    async (): Promise<Stored | null> => JSON.parse((await readText(s3, target.Key)) ?? 'null'),
  )
  const details = { data: s3AddressText(place), lake }
  if (stored !== null && stored.lake !== lake)
    throw new OtherSourceError('Another lake stores its files under this prefix of the bucket.', {
      code: 'lake.other-data',
      details: { ...details, 'lake there': stored.lake },
      hint: 'Set --data to another prefix, or --lake to the folder of that lake.',
    })
  if (stored !== null && stored.run !== null && !knows(stored.run))
    throw new CatalogError('Another copy of this lake has written to the bucket.', {
      code: 'catalog.other-writer',
      details: { ...details, 'run there': stored.run },
      hint: 'Only one lake folder may write to a lake in S3. Run chainlake with the folder of that run. To discard what that run wrote and continue with this catalog, run chainlake restore with this catalog.',
    })
  const text: Stored = { lake, run }
  await attempt('put', target.Key, () =>
    client.send(new sdk.PutObjectCommand({ ...target, ContentType: 'application/json', Body: JSON.stringify(text) })),
  )
}
