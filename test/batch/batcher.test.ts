import { tableFromIPC, type Vector } from 'apache-arrow'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type ArrowBatch, createBatcher } from '../../src/batch/batcher.ts'
import { type Columns, day, fieldsOf, identity, month, type PartitionKey, t, table } from '../../src/define/index.ts'
import { DefinitionError, SchemaError } from '../../src/errors.ts'
import { earliestTime, latestTime } from '../../src/lib/time.ts'

const nullable = { nullable: true } as const

function declare(columns: Columns, partitionBy: readonly PartitionKey[] = []) {
  return table({ name: 'things', comment: 'For tests.', key: ['number'], sortBy: [], partitionBy, columns })
}

const blocks = declare(
  {
    network: t.text('Network.'),
    number: t.int64('Number.'),
    block_time: t.timestamp('Time.', nullable),
  },
  [identity('network'), month('block_time')],
)

const micros = (iso: string): bigint => BigInt(Date.parse(iso)) * 1000n

function numbersOf(batch: ArrowBatch): number[] {
  return [...(tableFromIPC(batch.ipc).getChild('number') as Iterable<bigint>)].map(Number)
}

describe('partitions', () => {
  test('are months in UTC; rows without a time have their own partition', () => {
    const batcher = createBatcher(blocks)
    const times = [
      '2024-01-31T23:59:59.999Z',
      '2024-02-01T00:00:00Z',
      null,
      '2024-02-29T12:00:00Z',
      '1969-12-31T23:59:59Z',
      '2024-01-01T00:00:00Z',
      null,
    ]
    for (const [number, time] of times.entries())
      batcher.append({ network: 'fuji', number, block_time: time === null ? null : micros(time) })
    batcher.append({ network: 'local', number: 7, block_time: null })
    expect(batcher.drain().map((batch) => [batch.partition, batch.rows, numbersOf(batch)])).toEqual([
      [['fuji', '2024-01'], 2, [0, 5]],
      [['fuji', '2024-02'], 2, [1, 3]],
      [['fuji', null], 2, [2, 6]],
      [['fuji', '1969-12'], 1, [4]],
      [['local', null], 1, [7]],
    ])
    expect(batcher.drain()).toEqual([])
  })

  test('match the calendar month and day of any time', () => {
    const cut = (keys: readonly PartitionKey[], time: bigint): readonly (string | null)[] => {
      const batcher = createBatcher(declare({ number: t.int64('Number.'), at: t.timestamp('Time.') }, keys))
      batcher.append({ number: 1, at: 0n })
      batcher.append({ number: 1, at: time })
      return batcher.drain().at(-1)!.partition
    }
    fc.assert(
      fc.property(fc.bigInt({ min: earliestTime, max: latestTime }), (time) => {
        const floor = time >= 0n ? time / 1000n : (time - 999n) / 1000n
        const text = new Date(Number(floor)).toISOString()
        expect(cut([month('at'), day('at')], time)).toEqual([text.slice(0, 7), text.slice(0, 10)])
      }),
      { examples: [[earliestTime], [latestTime], [-1n]] },
    )
  })

  test.each([earliestTime - 1n, latestTime + 1n, 2n ** 80n])(
    'are not made of the time %s, which the column refuses',
    (time) => {
      const batcher = createBatcher(declare({ number: t.int64('Number.'), at: t.timestamp('Time.') }, [day('at')]))
      expect(() => batcher.append({ number: 1, at: time })).toThrow('of the years 1 to 9999')
    },
  )

  test('require a column that can be partitioned', () => {
    const bytes = { number: t.int64('Number.'), bytes: t.blob('Bytes.') }
    expect(() => createBatcher(declare(bytes, [identity('bytes')]))).toThrow(DefinitionError)
    expect(() => createBatcher(declare(bytes, [day('number')]))).toThrow(DefinitionError)
  })
})

describe('a batch', () => {
  test('ends at the row limit, separately for each partition', () => {
    const batcher = createBatcher(blocks, { rows: 2 })
    const append = (number: number, network: string) => batcher.append({ network, number, block_time: null })
    expect(append(0, 'a')).toBe(null)
    expect(append(1, 'b')).toBe(null)
    const batch = append(2, 'a')
    expect(batch).toMatchObject({ partition: ['a', null], rows: 2 })
    expect(numbersOf(batch!)).toEqual([0, 2])
    expect(append(3, 'a')).toBe(null)
    expect(batcher.drain().map(numbersOf)).toEqual([[3], [1]])
  })

  test('ends at the byte limit', () => {
    const raw = declare({ number: t.int64('Number.'), bytes: t.blob('Bytes.') })
    const batcher = createBatcher(raw, { bytes: 1_000_000 })
    const sizes: number[] = []
    for (let number = 0; number < 100; number++) {
      const batch = batcher.append({ number, bytes: new Uint8Array(99_980) })
      if (batch !== null) sizes.push(batch.rows)
    }
    expect(sizes).toEqual(Array(9).fill(11))
  })

  test('owns its buffer, which can be transferred', () => {
    const batcher = createBatcher(blocks)
    batcher.append({ network: 'a', number: 1, block_time: 0n })
    const { ipc } = batcher.drain()[0]!
    expect(ipc.byteOffset).toBe(0)
    expect(ipc.byteLength).toBe(ipc.buffer.byteLength)
    structuredClone(ipc, { transfer: [ipc.buffer] })
    expect(ipc.byteLength).toBe(0)
    batcher.append({ network: 'a', number: 2, block_time: 0n })
    expect(numbersOf(batcher.drain()[0]!)).toEqual([2])
  })

  test('has the declared field ids at every level, and no null bitmap when it has no nulls', () => {
    const nested = declare({
      number: t.int64('Number.', nullable),
      owner: t.struct({ names: t.list(t.text('Name.'), 'Names.') }, 'Owner.'),
    })
    const batcher = createBatcher(nested)
    batcher.append({ number: 1, owner: { names: ['a'] } })
    const arrow = tableFromIPC(batcher.drain()[0]!.ipc)
    const ids = (fields: readonly any[]): string[] =>
      fields.flatMap((field) => [
        `${field.name}=${field.metadata.get('PARQUET:field_id')}`,
        ...ids(field.type.children ?? []),
      ])
    expect(ids(arrow.schema.fields)).toEqual(['number=1', 'owner=2', 'names=3', 'element=4'])
    expect(fieldsOf(nested)[1]!.children[0]!.children[0]!.id).toBe(4)
    expect(arrow.batches[0]!.data.children.map((child) => child.nullBitmap.length)).toEqual([0, 0])
  })
})

describe('values', () => {
  const columns = {
    number: t.int64('Number.'),
    name: t.text('Name.', nullable),
    bytes: t.blob('Bytes.', nullable),
    names: t.list(t.text('Name.', nullable), 'Names.', nullable),
    owner: t.struct(
      { name: t.text('Name.', nullable), flags: t.list(t.boolean('Flag.'), 'Flags.') },
      'Owner.',
      nullable,
    ),
  }
  const anyText = fc.option(
    fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }), fc.constantFrom('', 'é', '\u00ffa', 'ab😀')),
  )
  const anyRow = fc.record({
    name: anyText,
    bytes: fc.option(fc.uint8Array({ maxLength: 8 })),
    names: fc.option(fc.array(anyText, { maxLength: 4 })),
    owner: fc.option(fc.record({ name: anyText, flags: fc.array(fc.boolean(), { maxLength: 3 }) })),
  })

  test('of any rows are read back unchanged, whatever other values the rows have', () => {
    fc.assert(
      fc.property(fc.array(anyRow, { maxLength: 200 }), fc.integer({ min: 1, max: 150 }), (rows, limit) => {
        const batcher = createBatcher(declare(columns), { rows: limit })
        const batches: ArrowBatch[] = []
        for (const [number, row] of rows.entries()) {
          const batch = batcher.append({ number, ...row })
          if (batch !== null) batches.push(batch)
        }
        batches.push(...batcher.drain())
        const read = batches.flatMap(({ ipc }) =>
          tableFromIPC(ipc)
            .toArray()
            .map((row) => plain(row.toJSON())),
        )
        expect(read).toEqual(rows.map((row, number) => plain({ number: BigInt(number), ...row })))
      }),
    )
  })

  test('of bytes are the same where they wait for those of other rows', () => {
    const table = declare({
      number: t.int64('Number.'),
      outputs: t.list(
        t.struct({ payload: t.blob('Payload.', nullable), index: t.int64('Index.') }, 'Output.'),
        'Outputs.',
      ),
    })
    const [plain, waiting] = [createBatcher(table), createBatcher(table, { keepsBytes: true })]
    for (let number = 0; number < 200; number++) {
      const outputs = Array.from({ length: number % 4 }, (_, index) => {
        return { payload: index === 1 ? null : Uint8Array.of(number, index), index }
      })
      for (const batcher of [plain, waiting]) batcher.append({ number, outputs })
    }
    const ofBatch = ({ ipc }: { readonly ipc: Uint8Array }) => Buffer.from(ipc).toString('hex')
    expect(waiting.drain().map(ofBatch)).toEqual(plain.drain().map(ofBatch))
  })

  test('of bytes are copied immediately, because the caller reuses their memory', () => {
    const batcher = createBatcher(declare(columns))
    const bytes = Uint8Array.of(0)
    for (let number = 0; number < 100; number++) {
      bytes[0] = number
      batcher.append({ number, name: 'a', bytes, names: [], owner: null })
    }
    const values = tableFromIPC(batcher.drain()[0]!.ipc).getChild('bytes')!
    expect([...values].map((value: Uint8Array) => value[0])).toEqual(Array.from({ length: 100 }, (_, at) => at))
  })
})

/** Vectors, rows and bytes of Arrow as arrays and objects. */
function plain(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value
  if (value instanceof Uint8Array) return [...value]
  if (Symbol.iterator in value && !('toJSON' in value && !('toArray' in value)))
    return Array.isArray(value) || 'toArray' in value
      ? [...(value as Iterable<unknown>)].map(plain)
      : plain((value as any).toJSON())
  const object = 'toJSON' in value ? (value as { toJSON(): object }).toJSON() : value
  return Object.fromEntries(Object.entries(object).map(([key, each]) => [key, plain(each)]))
}

describe('a column that grows', () => {
  const rows = 3_000
  test.each([
    ['BIGINT of numbers', t.int64('Value.'), (row: number) => 2 ** 50 + row, (row: number) => BigInt(2 ** 50 + row)],
    ['BIGINT of bigints', t.int64('Value.'), (row: number) => 1_761_984_015_639_468_635n + BigInt(row)],
    ['DECIMAL(20,0)', t.u64('Value.'), (row: number) => 2n ** 63n + BigInt(row)],
    ['DECIMAL(38,0)', t.decimal38('Value.'), (row: number) => 10n ** 37n + BigInt(row)],
    ['TIMESTAMP', t.timestamp('Value.'), (row: number) => 1_761_984_015_639_468n + BigInt(row)],
    ['DOUBLE', t.double('Value.'), (row: number) => row + 0.5],
    ['BOOLEAN', t.boolean('Value.'), (row: number) => row % 3 === 0],
    ['VARCHAR', t.text('Value.'), (row: number) => `value ${row} that is longer than a few characters`],
    ['BLOB', t.blob('Value.'), (row: number) => Uint8Array.of(row & 0xff, row >> 8, 1, 2, 3)],
    ['BIGINT[]', t.list(t.int64('Item.'), 'Value.'), (row: number) => [BigInt(row) + 1n, BigInt(row) + 2n]],
  ] as [string, Columns[string], (row: number) => unknown, ((row: number) => unknown)?][])(
    'keeps every value of %s',
    (_, column, wrote, read = wrote) => {
      const batcher = createBatcher(declare({ number: t.int64('Number.'), value: column }))
      for (let row = 0; row < rows; row++) batcher.append({ number: row, value: wrote(row) })
      const { batches, schema } = tableFromIPC(batcher.drain()[0]!.ipc)
      const bits = schema.fields[1]!.type.bitWidth as number | undefined
      expect(batches[0]!.numRows).toBe(rows)
      for (let row = 0; row < rows; row++) expect(readBack(batches[0]!.getChildAt(1)!, row, bits)).toEqual(read(row))
    },
  )
})

/** Decimals and times as their raw integers. */
function readBack(vector: Vector, row: number, bits: number | undefined): unknown {
  const { values } = vector.data[0]!
  if (bits === 128) {
    const words = new BigInt64Array(values.buffer, values.byteOffset, values.byteLength / 8)
    return BigInt.asUintN(64, words[2 * row]!) + (words[2 * row + 1]! << 64n)
  }
  if (values instanceof BigInt64Array) return values[row]
  const value: unknown = vector.get(row)
  return value !== null && typeof value === 'object' && 'toArray' in value ? [...(value as Vector).toArray()] : value
}

describe('a value that its column cannot hold', () => {
  const columns = {
    number: t.int64('Number.'),
    amount: t.u64('Amount.', nullable),
    total: t.decimal38('Total.', nullable),
    at: t.timestamp('Time.', nullable),
    name: t.text('Name.', nullable),
    bytes: t.blob('Bytes.', nullable),
    ratio: t.double('Ratio.', nullable),
    flag: t.boolean('Flag.', nullable),
    items: t.list(t.int64('Item.'), 'Items.', nullable),
    owner: t.struct({ name: t.text('Name.') }, 'Owner.', nullable),
  }
  const good = {
    number: 1,
    amount: 1n,
    total: 1n,
    at: 1n,
    name: 'a',
    bytes: Uint8Array.of(1),
    ratio: 1.5,
    flag: true,
    items: [1],
    owner: { name: 'a' },
  }

  test.each([
    ['number', null],
    ['number', 1.5],
    ['number', 2 ** 53],
    ['number', Number.NaN],
    ['number', Number.POSITIVE_INFINITY],
    ['number', 2n ** 63n],
    ['number', -(2n ** 63n) - 1n],
    ['number', '1'],
    ['number', undefined],
    ['amount', 1],
    ['amount', 10n ** 20n],
    ['amount', -(10n ** 20n)],
    ['total', 10n ** 38n],
    ['total', -(10n ** 38n)],
    ['total', 1.5],
    ['at', 1],
    ['at', new Date()],
    ['at', earliestTime - 1n],
    ['at', latestTime + 1n],
    ['name', 1],
    ['name', 'a lone surrogate \ud800'],
    ['bytes', 'ff'],
    ['bytes', [1]],
    ['ratio', 1n],
    ['flag', 1],
    ['items', 'ab'],
    ['items', [1, null], 'items.element'],
    ['items', [undefined], 'items.element'],
    ['owner', 'a'],
    ['owner', { name: null }, 'owner.name'],
    ['owner', {}],
    ['owner', { name: 'a', more: 1 }],
  ] as [string, unknown, string?][])('is refused in %s: %o', (column, value, path = column) => {
    const batcher = createBatcher(declare(columns))
    if (column !== 'owner') batcher.append(good)
    let thrown: unknown
    try {
      batcher.append({ ...good, [column]: value })
      batcher.drain()
    } catch (error) {
      thrown = error
    }
    expect(thrown).toBeInstanceOf(SchemaError)
    const { message, details } = thrown as SchemaError
    expect(message).toContain(`things.${path}`)
    expect(details['row']).toBe(`number=${column === 'number' ? String(value) : 1}`)
  })

  test('is named with its column and row in the error', () => {
    const batcher = createBatcher(declare(columns))
    expect(() => {
      for (let number = 0; number < 50; number++) batcher.append({ ...good, number, ratio: number === 40 ? 'a' : 1.5 })
      batcher.drain()
    }).toThrow(expect.objectContaining({ details: { column: 'things.ratio', row: 'number=40' } }))
  })

  test.each([
    ['an extra column', { ...good, more: 1 }, { extra: 'more', missing: null }],
    ['a missing column', { number: 1 }, { extra: null }],
  ])('is refused like a first row with %s', (_, row, details) => {
    expect(() => createBatcher(declare(columns)).append(row)).toThrow(
      expect.objectContaining({ code: 'schema.keys', details: expect.objectContaining(details) }),
    )
  })
})
