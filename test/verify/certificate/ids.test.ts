import { createHash, hash } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import { certify } from '../../../src/verify/certificate.ts'
import { type LakeRows, openEngine } from '../../../src/verify/lake.ts'

const engine = await openEngine(new AbortController().signal, '')
afterAll(() => engine.close())

test('the ids of a chain are hashed in the order of height, whatever the order of rows, in several parts', async () => {
  const to = 450_001
  await engine.rows(`CREATE TEMP TABLE stored AS
    SELECT 'local' AS network, range AS height, md5(range::VARCHAR) AS block_id FROM range(1, ${to}) ORDER BY hash(range)`)
  const origin = { network: 'local', chain: 'P', kind: 'block', path: 'P/block', parameters: {} }
  const row = { table: 'p_blocks', network: 'local', stream: 'local/P/block', origin, slice: { from: 1, to } }
  const rows = {
    engine,
    inventory: { coverage: [row], networks: [], tables: [], declared: [] },
    filesOf: () => [],
    filesBetween: async () => [],
    relation: () => 'stored',
  } as unknown as LakeRows
  const sha256 = createHash('sha256')
  for (let height = 1; height < to; height++) sha256.update(`${hash('md5', String(height))}\n`)
  const ends = { firstId: hash('md5', '1'), lastId: hash('md5', String(to - 1)), from: 1, to: to - 1, count: to - 1 }
  expect((await certify(rows)).streams).toMatchObject([{ ...ends, sha256: sha256.digest('hex') }])
})
