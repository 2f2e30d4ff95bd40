import { expect, test } from 'vitest'
import { type Columns, identity, type Table, t, table } from '../../src/define/index.ts'
import { columnIds } from '../../src/define/table.ts'
import { publish, rowsOf, temporaryFolder, writeQuery } from './test-lake.ts'

const note = t.text('Note.', { nullable: true })
const columns: Columns = {
  network: t.text('Network.'),
  height: t.int64('Height.'),
  amount: t.u64('Amount.'),
  detail: t.struct({ name: note, size: t.int64('Size.', { nullable: true }) }, 'Detail.', { nullable: true }),
  items: t.list(t.struct({ name: note }, 'Item.'), 'Items.', { nullable: true }),
}
const before = table({
  name: 'things',
  comment: 'Things.',
  key: ['network', 'height'],
  sortBy: ['height'],
  partitionBy: [identity('network')],
  columns,
})

test('older files have null in new columns, unchanged values in moved columns, and no retired columns', async () => {
  const lake = temporaryFolder()
  const { amount: _, ...kept } = columns
  const after = changed({
    between: note,
    ...kept,
    detail: t.struct({ colour: note, size: t.int64('Size.', { nullable: true }), name: note }, 'Detail.', {
      nullable: true,
    }),
    items: t.list(t.struct({ weight: t.int64('Weight.', { nullable: true }), name: note }, 'Item.'), 'Items.', {
      nullable: true,
    }),
    value: t.u64('What amount was, under another name.', { nullable: true }),
  })
  const old = "SELECT 'local' AS network, 1::BIGINT AS height, 5::DECIMAL(20,0) AS amount"
  await writeQuery(
    lake,
    before,
    'old.parquet',
    `${old}, {'name': 'a', 'size': 2::BIGINT} AS detail, [{'name': 'i'}] AS items`,
  )
  await writeQuery(
    lake,
    after,
    'new.parquet',
    `SELECT 'x' AS between, 'local' AS network, 2::BIGINT AS height,
       {'colour': 'red', 'size': 3::BIGINT, 'name': 'b'} AS detail, [{'weight': 7::BIGINT, 'name': 'j'}] AS items, 6::DECIMAL(20,0) AS value`,
  )
  await publish(lake, { things: ['old.parquet', 'new.parquet'] }, 1, [after])
  expect(await rowsOf(lake, 'SELECT * FROM things ORDER BY height')).toEqual([
    {
      between: null,
      network: 'local',
      height: 1,
      detail: { colour: null, size: 2, name: 'a' },
      items: [{ weight: null, name: 'i' }],
      value: null,
    },
    {
      between: 'x',
      network: 'local',
      height: 2,
      detail: { colour: 'red', size: 3, name: 'b' },
      items: [{ weight: 7, name: 'j' }],
      value: '6',
    },
  ])
})

function changed(columns: Columns): Table {
  const table = { ...before, columns }
  return { ...table, ids: columnIds(table, columnIds(before, null)) }
}
