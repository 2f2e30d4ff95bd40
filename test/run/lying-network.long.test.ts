import { expect, test } from 'vitest'
import { startDevnet } from '../../devnet/serve.ts'
import { cBlocksPipeline } from '../../pipelines/c-blocks.ts'
import { evmBlocksPipeline } from '../../pipelines/evm-blocks.ts'
import { pBlocksPipeline } from '../../pipelines/p-blocks.ts'
import { supplyPipeline } from '../../pipelines/supply.ts'
import { xBlocksPipeline } from '../../pipelines/x-blocks.ts'
import { tables } from '../../schemas/index.ts'
import { openCatalog } from '../../src/catalog/catalog.ts'
import { chainlake } from '../cli/in-process.ts'
import { recordingFolder } from '../recorded.ts'
import { openDoor } from './door.ts'
import { exportLake } from './export-lake.ts'
import { jobOf } from './job-of.ts'
import { newLake, strayFiles, wholeLake } from './lake-run.ts'

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

test('a lake refuses a node that reports another network than that of its chains, and doctor says so', async () => {
  const node = await startDevnet({ seed: 9, blocks: 8 })
  const lake = newLake()
  const all = [jobOf(supplyPipeline), jobOf(evmBlocksPipeline)]
  await exportLake({ node, lake, jobs: all })
  const before = await wholeLake(lake)
  const lies = [
    { networkID: '1', isPublic: true, answers: true },
    { networkID: '5', isPublic: true, answers: false },
    { networkID: '88003', isPublic: false, answers: true },
  ]
  for (const { networkID, isPublic, answers } of lies) {
    const door = await openDoor(node, ({ method }) => {
      if (method === 'info.getNetworkID') return { result: { networkID } }
      return !answers && /^(platform|avm|xvm)\./.test(method) ? { status: 404 } : null
    })
    // The supply is that of the P-Chain, which must answer.
    for (const job of answers ? all : all.slice(1)) {
      await expect(exportLake({ node: door, lake, jobs: [job] })).rejects.toMatchObject({
        code: 'catalog.other-source',
      })
      // A new lake takes the number of a network that is not public: only blocks state it.
      for (const place of isPublic ? [lake, newLake()] : [lake]) {
        const said = await chainlake(['doctor', job.name, '--node-url', door.url, '--lake', place])
        expect(said).toMatchObject({ code: 5, stdout: expect.stringMatching(/^BAD .*\n +.*(Use|Check)/m) })
      }
    }
    await door.close()
  }
  expect(await wholeLake(lake)).toEqual(before)
  await node.close()
})
