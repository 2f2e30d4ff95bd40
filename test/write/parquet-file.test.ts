import { createHash } from 'node:crypto'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { tables } from '../../schemas/index.ts'
import { pBlocks } from '../../schemas/p-chain.ts'
import { type Columns, type Field, fieldsOf, rowGroupRows, t, table } from '../../src/define/index.ts'
import { earliestTime, latestTime } from '../../src/lib/time.ts'
import { createParquetThread, type ParquetThread } from '../../src/write/parquet-thread.ts'
import { query } from './duckdb.ts'
import { everyType } from './every-type.ts'
import { lakeFolder } from './lake-folder.ts'
import { writeRows } from './write-rows.ts'

const lake = lakeFolder()
let thread: ParquetThread
beforeAll(() => {
  thread = createParquetThread()
})
afterAll(() => thread.close())

const measures = table({
  name: 'measures',
  comment: 'A table for tests.',
  key: ['number'],
  sortBy: ['number'],
  partitionBy: [],
  columns: {
    number: t.int64('Number.'),
    block_time: t.timestamp('Time.', { nullable: true }),
    amount: t.u64('Amount.', { nullable: true }),
    total: t.decimal38('Total.'),
    kind: t.text('Kind.'),
    id: t.hex('Id.'),
    memo: t.blob('Memo.'),
    flag: t.boolean('Flag.', { nullable: true }),
    names: t.list(t.text('Name.', { nullable: true }), 'Names.', { nullable: true }),
    owner: t.struct({ threshold: t.int64('Threshold.') }, 'Owner.', { nullable: true }),
  },
})

const start = 1_700_000_000_000_000n

function measure(number: number): object {
  return {
    number,
    block_time: number % 10 === 0 ? null : start + BigInt(number) * 1_000_001n,
    amount: number % 3 === 0 ? null : 2n ** 64n - 1n - BigInt(number),
    total: BigInt(number) * 10n ** 32n - 10n ** 37n,
    kind: ['transfer', 'stake', 'ü'][number % 3],
    id: number.toString(16).padStart(64, '0'),
    memo: createHash('sha256').update(String(number)).digest(),
    flag: number % 2 === 0 ? null : true,
    names: number % 4 === 0 ? null : number % 4 === 1 ? [] : ['a', null],
    owner: number % 5 === 0 ? null : { threshold: number },
  }
}

const rows = 250_000

describe('a finished file', () => {
  let file: string
  let finished: Awaited<ReturnType<typeof writeRows>>
  beforeAll(async () => {
    file = lake.path('deep/down/measures.parquet')
    finished = await writeRows(
      thread,
      file,
      measures,
      Array.from({ length: rows }, (_, i) => measure(i)),
    )
  })

  test('is returned with its rows, its size, its hash and the length of its metadata', async () => {
    const [facts] = await query(`select footer_size, file_size_bytes from parquet_file_metadata('${file}')`)
    const sha256 = createHash('sha256').update(readFileSync(file)).digest('hex')
    expect(finished).toMatchObject({
      sha256,
      rows,
      bytes: statSync(file).size,
      footerBytes: Number(facts!['footer_size']),
    })
    expect(facts!['file_size_bytes']).toBe(BigInt(finished.bytes))
  })

  test('has row groups of the declared size, zstd compression and the declared encodings', async () => {
    const groups = await query(
      `select distinct row_group_id, row_group_num_rows from parquet_metadata('${file}') order by 1`,
    )
    expect(groups.map((group) => Number(group['row_group_num_rows']))).toEqual([
      rowGroupRows.flat,
      rowGroupRows.flat,
      rows - 2 * rowGroupRows.flat,
    ])
    const chunks = await query(
      `select path_in_schema as path, encodings, compression from parquet_metadata('${file}') where row_group_id = 0`,
    )
    expect(new Set(chunks.map((chunk) => chunk['compression']))).toEqual(new Set(['ZSTD']))
    const encodings = Object.fromEntries(chunks.map((chunk) => [chunk['path'], chunk['encodings']]))
    expect(encodings).toMatchObject({
      number: expect.stringContaining('DELTA_BINARY_PACKED'),
      block_time: expect.stringContaining('DELTA_BINARY_PACKED'),
      kind: expect.stringContaining('RLE_DICTIONARY'),
      id: expect.not.stringContaining('DICTIONARY'),
      memo: expect.not.stringContaining('DICTIONARY'),
    })
  })

  test('has the same statistics as a file that DuckDB writes with the same rows', async () => {
    const copy = lake.path('copy.parquet')
    const [told] = await query(`copy (from '${file}') to '${copy}' (format parquet, return_stats)`)
    const duckdb = (told!['column_statistics'].entries as { key: string; value: any }[]).map(({ key, value }) => {
      const facts: Record<string, string> = Object.fromEntries(value.entries.map((each: any) => [each.key, each.value]))
      return [key.replaceAll('"', ''), facts] as const
    })
    const leaves = (fields: readonly Field[]): Field[] =>
      fields.flatMap((field) => (field.children.length === 0 ? [field] : leaves(field.children)))
    const paths = new Map(leaves(fieldsOf(measures)).map((field) => [field.id, field.path]))
    const ours = finished.stats.map(({ fieldId, valueCount, nullCount, min, max }) => [
      paths.get(fieldId),
      { num_values: String(valueCount), null_count: String(nullCount), min, max },
    ])
    expect(Object.fromEntries(ours)).toEqual(
      Object.fromEntries(
        duckdb.map(
          ([path, { num_values, null_count, min, max }]) => [path, { num_values, null_count, min, max }] as const,
        ),
      ),
    )
  })

  test('counts the bytes of each column', async () => {
    const sizes = await query(
      `select sum(total_compressed_size)::bigint as bytes from parquet_metadata('${file}') group by column_id order by column_id`,
    )
    expect(finished.stats.map((each) => BigInt(each.columnBytes))).toEqual(sizes.map((size) => size['bytes']))
  })

  test('lets DuckDB skip row groups', async () => {
    const broken = lake.path('broken.parquet')
    const bytes = readFileSync(file)
    const [last] = await query(
      `select min(coalesce(dictionary_page_offset, data_page_offset)) as begin from parquet_metadata('${file}') where row_group_id = 2`,
    )
    // A reader of the first two row groups finds no pages there.
    writeFileSync(broken, bytes.fill(0xff, 4, Number(last?.['begin'])))
    const row = measure(249_001) as { amount: bigint; total: bigint; block_time: bigint }
    for (const where of [
      'number = 249001',
      `total = ${row.total}`,
      `amount = ${row.amount}`,
      `block_time = make_timestamptz(${row.block_time})`,
    ])
      expect(await query(`select number from '${broken}' where ${where}`), where).toEqual([{ number: 249_001n }])
    await expect(query(`select sum(number) from '${broken}'`)).rejects.toThrow()
  })
})

describe('statistics', () => {
  const single = async (name: string, column: any, values: readonly unknown[]) => {
    const one = table({
      name,
      comment: 'A table for tests.',
      key: [],
      sortBy: [],
      partitionBy: [],
      columns: { v: column },
    })
    const file = lake.path(`${name}.parquet`)
    const { stats } = await writeRows(
      thread,
      file,
      one,
      values.map((v) => ({ v })),
    )
    return stats[0]!
  }

  test('of times are exact at both ends of the range', async () => {
    const stats = await single('times', t.timestamp('Time.'), [latestTime, 0n, -1n, earliestTime, 1_500_000n])
    expect(stats).toMatchObject({ min: '0001-01-01 00:00:00+00', max: '9999-12-31 23:59:59.999999+00' })
  })

  test('of numbers are exact at both ends of the range', async () => {
    expect(await single('ints', t.int64('Number.'), [-(2n ** 63n), 0, 2n ** 63n - 1n])).toMatchObject({
      min: '-9223372036854775808',
      max: '9223372036854775807',
    })
    expect(await single('u64s', t.u64('Number.'), [2n ** 64n - 1n, 0n])).toMatchObject({
      min: '0',
      max: '18446744073709551615',
    })
    expect(await single('decimals', t.decimal38('Number.'), [10n ** 38n - 1n, 1n - 10n ** 38n])).toMatchObject({
      min: String(1n - 10n ** 38n),
      max: String(10n ** 38n - 1n),
    })
  })

  test('of long texts and bytes are lower and upper bounds', async () => {
    for (const letter of ['a', 'z', 'ü', '漢', '🙂', '\u{10ffff}']) {
      const values = [`${letter.repeat(100)}1`, `${letter.repeat(100)}2`]
      const { min, max } = await single(`texts_${letter.codePointAt(0)}`, t.text('Text.'), values)
      if (min !== null) expect(Buffer.compare(Buffer.from(min), Buffer.from(values[0]!))).toBeLessThanOrEqual(0)
      if (max !== null) expect(Buffer.compare(Buffer.from(max), Buffer.from(values[1]!))).toBeGreaterThanOrEqual(0)
    }
    for (const byte of [0, 1, 0xfe, 0xff]) {
      const value = new Uint8Array(200).fill(byte)
      const { min, max } = await single(`blobs_${byte}`, t.blob('Bytes.'), [value])
      if (min !== null) expect(Buffer.compare(Buffer.from(min, 'hex'), value)).toBeLessThanOrEqual(0)
      if (max !== null) expect(Buffer.compare(Buffer.from(max, 'hex'), value)).toBeGreaterThanOrEqual(0)
    }
  })

  test('of doubles have no minimum and maximum, because these would ignore NaN', async () => {
    expect(await single('doubles', t.double('Number.'), [1, Number.NaN])).toMatchObject({ min: null, max: null })
  })
})

describe('the columns of a file', () => {
  /** Types as DuckDB describes them. */
  const typeText = ({ type }: Columns[string]): string => {
    switch (type.kind) {
      case 'text':
        return 'VARCHAR'
      case 'int64':
        return 'BIGINT'
      case 'decimal':
        return `DECIMAL(${type.precision},0)`
      case 'timestamp':
        return 'TIMESTAMP WITH TIME ZONE'
      case 'list':
        return `${typeText(type.item)}[]`
      case 'struct': {
        const fields = Object.entries(type.fields).map(([name, field]) => `${name} ${typeText(field)}`)
        return `STRUCT(${fields.join(', ')})`
      }
      default:
        return type.kind.toUpperCase()
    }
  }

  /** A valid value of a column. */
  const anything = ({ type, nullable }: Columns[string]): unknown => {
    if (nullable) return null
    switch (type.kind) {
      case 'text':
        return 'x'
      case 'int64':
      case 'double':
        return 1
      case 'boolean':
        return true
      case 'blob':
        return Uint8Array.of(1)
      case 'list':
        return []
      case 'struct':
        return Object.fromEntries(Object.entries(type.fields).map(([name, field]) => [name, anything(field)]))
      default:
        return 1n
    }
  }

  test.each([...tables, everyType].map((each) => [each.name, each] as const))(
    '%s: types, names and field ids match the declaration',
    async (name, declared) => {
      const file = lake.path(`columns/${name}.parquet`)
      const row = anything({ type: { kind: 'struct', fields: declared.columns } } as never) as object
      await writeRows(thread, file, declared, [row])
      const described = await query(`describe from '${file}'`)
      expect(described.map((column) => [column['column_name'], column['column_type'].replaceAll('"', '')])).toEqual(
        Object.entries(declared.columns as Columns).map(([column, type]) => [column, typeText(type)]),
      )
      const inFile = await query(`select name, field_id from parquet_schema('${file}') where field_id is not null`)
      const flat = (fields: readonly Field[]): (readonly [string, bigint])[] =>
        fields.flatMap((field) => [[field.name, BigInt(field.id)] as const, ...flat(field.children)])
      expect(inFile.map((element) => [element['name'], element['field_id']])).toEqual(flat(fieldsOf(declared)))
    },
  )

  test('a later declared column is null in rows of an older file', async () => {
    const file = lake.path('older.parquet')
    await writeRows(thread, file, pBlocks, [
      anything({ type: { kind: 'struct', fields: pBlocks.columns } } as never) as object,
    ])
    const next = fieldsOf(pBlocks).length + 1
    const [row] = await query(
      `from read_parquet('${file}', schema = map { 2: {name: 'height', type: 'BIGINT', default_value: NULL}, ${next}: {name: 'later', type: 'VARCHAR', default_value: NULL} })`,
    )
    expect(row).toEqual({ height: 1n, later: null })
  })
})
