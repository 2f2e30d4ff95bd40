import fc from 'fast-check'
import { t, table } from '../../src/define/index.ts'
import { earliestTime, latestTime } from '../../src/lib/time.ts'

const nullable = { nullable: true } as const

/** Every type, with and without nulls, in lists and in structs. */
export const everyType = table({
  name: 'every_type',
  comment: 'A table for tests.',
  key: ['row_index'],
  sortBy: ['row_index'],
  partitionBy: [],
  rowGroup: 'nested',
  columns: {
    row_index: t.int64('Index.'),
    text: t.text('Text.'),
    maybe_text: t.text('Text.', nullable),
    id: t.cb58('Id.'),
    count: t.int64('Number.', nullable),
    amount: t.u64('Amount.'),
    maybe_amount: t.u64('Amount.', nullable),
    total: t.decimal38('Total.'),
    maybe_total: t.decimal38('Total.', nullable),
    ratio: t.double('Ratio.'),
    flag: t.boolean('Flag.', nullable),
    block_time: t.timestamp('Time.', nullable),
    bytes: t.blob('Bytes.'),
    maybe_bytes: t.blob('Bytes.', nullable),
    names: t.list(t.address('Name.', nullable), 'Names.', nullable),
    indices: t.list(t.int64('Index.'), 'Indices.'),
    deep: t.list(t.list(t.u64('Amount.', nullable), 'Amounts.', nullable), 'Lists of lists.'),
    owner: t.struct(
      {
        threshold: t.int64('Threshold.'),
        since: t.timestamp('Since.', nullable),
        addresses: t.list(t.address('Address.'), 'Addresses.', nullable),
      },
      'Owner.',
      nullable,
    ),
    logs: t.list(
      t.struct({ data: t.blob('Data.', nullable), value: t.decimal38('Value.') }, 'Log.', nullable),
      'Logs.',
    ),
  },
})

const int64 = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.constantFrom(-(2n ** 63n), 2n ** 63n - 1n, 0n, -1n, 2n ** 53n),
)
const u64 = fc.oneof(
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  fc.constantFrom(0n, 2n ** 64n - 1n, 2n ** 63n, 10n ** 20n - 1n, 1n - 10n ** 20n),
)
const most = 10n ** 38n - 1n
const decimal38 = fc.oneof(fc.bigInt({ min: -most, max: most }), fc.constantFrom(most, -most, 0n, -1n, 2n ** 64n))
const text = fc.oneof(
  fc.constantFrom('', 'a', 'ü', '漢字🙂', '\u0000', '\uffff', 'x'.repeat(300)),
  fc.string({ unit: 'binary', maxLength: 120 }),
)
const blob = fc.uint8Array({ maxLength: 100 })
const time = fc.oneof(
  fc.bigInt({ min: earliestTime, max: latestTime }),
  fc.constantFrom(earliestTime, latestTime, 0n, -1n),
)
const maybe = <T>(values: fc.Arbitrary<T>) => fc.option(values, { freq: 3, nil: null })

/** A row of `everyType` without its index. */
export const everyTypeRow = fc.record({
  text,
  maybe_text: maybe(text),
  id: text,
  count: maybe(fc.oneof(int64, fc.maxSafeInteger())),
  amount: u64,
  maybe_amount: maybe(u64),
  total: decimal38,
  maybe_total: maybe(decimal38),
  ratio: fc.double({ noNaN: true }),
  flag: maybe(fc.boolean()),
  block_time: maybe(time),
  bytes: blob,
  maybe_bytes: maybe(blob),
  names: maybe(fc.array(maybe(text), { maxLength: 4 })),
  indices: fc.array(int64, { maxLength: 4 }),
  deep: fc.array(maybe(fc.array(maybe(u64), { maxLength: 3 })), { maxLength: 3 }),
  owner: maybe(fc.record({ threshold: int64, since: maybe(time), addresses: maybe(fc.array(text, { maxLength: 3 })) })),
  logs: fc.array(maybe(fc.record({ data: maybe(blob), value: decimal38 })), { maxLength: 3 }),
})
