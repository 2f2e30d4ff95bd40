import { expect, test } from 'vitest'
import { startDevnet } from '../../devnet/serve.ts'
import { cBlocksPipeline } from '../../pipelines/c-blocks.ts'
import { pBlocksPipeline } from '../../pipelines/p-blocks.ts'
import { xBlocksPipeline } from '../../pipelines/x-blocks.ts'
import { tables } from '../../schemas/index.ts'
import { openCatalog } from '../../src/catalog/catalog.ts'
import { recordingFolder } from '../recorded.ts'
import { openDoor } from './door.ts'
import { exportLake } from './export-lake.ts'
import { jobOf } from './job-of.ts'
import { newLake, strayFiles } from './lake-run.ts'

test.each([pBlocksPipeline, xBlocksPipeline, cBlocksPipeline])(
  'a node that reports network 12345 but serves 88003 is refused, and no row of it is stored ($name)',
  async (pipeline) => {
    const node = await startDevnet({ replay: recordingFolder('helicon') })
    const door = await openDoor(node, ({ method }) =>
      method === 'info.getNetworkID' ? { result: { networkID: '12345' } } : null,
    )
    const lake = newLake()
    try {
      await expect(exportLake({ node: door, lake, jobs: [jobOf(pipeline, { unit: 4096 })] })).rejects.toMatchObject({
        exitCode: 5,
        code: 'catalog.other-source',
        details: { 'network id stated': 88_003 },
      })
      expect(await strayFiles(lake)).toEqual([])
      const { tables: held } = await (await openCatalog({ folder: lake }, tables)).files()
      expect(held.filter(({ name, files }) => name !== 'chains' && files.length > 0)).toEqual([])
    } finally {
      await door.close()
      await node.close()
    }
  },
)
