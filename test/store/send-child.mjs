// A process that starts a run on a new lake in S3 and uploads one file; tests can kill it. It runs the built code.
import { tables } from '../../dist/schemas/index.js'
import { openCatalog } from '../../dist/src/catalog/catalog.js'
import { createEmptyLake } from '../../dist/src/catalog/lake.js'

const { lake, storage, bytes } = JSON.parse(process.argv[2])
const place = { folder: lake, ...storage }
await createEmptyLake(place)
const catalog = await openCatalog(place, tables)
const run = await catalog.startRun({ streams: [], command: 'send' })
const file = await catalog.store.create(`data/t/000000000000-${run.id}-0.parquet`)
await file.handle.write(Buffer.alloc(bytes, 7))
await file.finish()
