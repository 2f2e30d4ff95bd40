import { expect, test } from 'vitest'
import { startDevnet } from '../../devnet/serve.ts'
import { createTransport } from '../../src/fetch/transport.ts'
import { identifyNetwork } from '../../src/sources/node.ts'
import { createIndexApi } from '../../src/sources/node-index.ts'
import { dataPath } from '../external-data.ts'

test('replay serves an unsorted array of containers of a real network in order, without recorded calls', async () => {
  const devnet = await startDevnet({ replay: dataPath('real/p-chain-containers') })
  const transport = createTransport({ baseUrl: devnet.url })
  try {
    const containers = await createIndexApi(transport, 'P/block').window(0, 221)
    expect(containers.map(({ index }) => index)).toEqual(Array.from({ length: 221 }, (_, index) => index))
    expect(await identifyNetwork(transport)).toMatchObject({ networkId: 162 })
    await expect(createIndexApi(transport, 'C/block').lastAccepted()).rejects.toMatchObject({
      code: 'transport.no-index',
    })
  } finally {
    await transport.close()
    await devnet.close()
  }
})
