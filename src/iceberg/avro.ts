import { createRequire } from 'node:module'
import type { Duplex } from 'node:stream'
import { ConfigError } from '../errors.ts'
import type { PartitionSpec, PartitionType } from './schema.ts'

/** The Avro schemas of Iceberg's manifests, version 2, with the field ids of the specification ("Manifests", "Manifest Lists"). */

const field = (name: string, id: number, type: AvroSchema) => ({ name, type, 'field-id': id })
const optional = (name: string, id: number, type: AvroSchema) => ({
  name,
  type: ['null', type],
  default: null,
  'field-id': id,
})
const record = (name: string, fields: readonly AvroSchema[]) => ({ type: 'record', name, fields })

/** Avro writes a map with keys other than text as an array of pairs. */
function mapOf(keyId: number, valueId: number, value: AvroSchema): AvroSchema {
  return {
    type: 'array',
    items: record(`k${keyId}_v${valueId}`, [field('key', keyId, 'int'), field('value', valueId, value)]),
    logicalType: 'map',
  }
}

const partitionTypes: Readonly<Record<PartitionType, AvroSchema>> = {
  string: 'string',
  long: 'long',
  int: 'int',
  date: { type: 'int', logicalType: 'date' },
}

/** The schema of the entries of a manifest. Their partitions have the fields of the spec. */
export function manifestEntrySchema({ fields, types }: PartitionSpec): AvroSchema {
  const partition = fields.map(({ name, 'field-id': id }, position) =>
    optional(name, id, partitionTypes[types[position] ?? 'string']),
  )
  return record('manifest_entry', [
    field('status', 0, 'int'),
    optional('snapshot_id', 1, 'long'),
    optional('sequence_number', 3, 'long'),
    optional('file_sequence_number', 4, 'long'),
    field(
      'data_file',
      2,
      record('r2', [
        field('content', 134, 'int'),
        field('file_path', 100, 'string'),
        field('file_format', 101, 'string'),
        field('partition', 102, record('r102', partition)),
        field('record_count', 103, 'long'),
        field('file_size_in_bytes', 104, 'long'),
        optional('column_sizes', 108, mapOf(117, 118, 'long')),
        optional('value_counts', 109, mapOf(119, 120, 'long')),
        optional('null_value_counts', 110, mapOf(121, 122, 'long')),
        optional('lower_bounds', 125, mapOf(126, 127, 'bytes')),
        optional('upper_bounds', 128, mapOf(129, 130, 'bytes')),
      ]),
    ),
  ])
}

/** The part of an entry that names its file. With this schema the reader does not decode the rest. */
export const entryPathSchema: AvroSchema = record('manifest_entry', [
  field('status', 0, 'int'),
  field('data_file', 2, record('r2', [field('file_path', 100, 'string')])),
])

export const manifestListSchema: AvroSchema = record('manifest_file', [
  field('manifest_path', 500, 'string'),
  field('manifest_length', 501, 'long'),
  field('partition_spec_id', 502, 'int'),
  field('content', 517, 'int'),
  field('sequence_number', 515, 'long'),
  field('min_sequence_number', 516, 'long'),
  field('added_snapshot_id', 503, 'long'),
  field('added_files_count', 504, 'int'),
  field('existing_files_count', 505, 'int'),
  field('deleted_files_count', 506, 'int'),
  field('added_rows_count', 512, 'long'),
  field('existing_rows_count', 513, 'long'),
  field('deleted_rows_count', 514, 'long'),
  optional('partitions', 507, {
    type: 'array',
    items: record('r508', [
      field('contains_null', 509, 'boolean'),
      optional('contains_nan', 518, 'boolean'),
      optional('lower_bound', 510, 'bytes'),
      optional('upper_bound', 511, 'bytes'),
    ]),
    'element-id': 508,
  }),
])

/** The part of the package `avsc` that this module uses. */
type Avsc = {
  readonly streams: {
    readonly BlockEncoder: new (
      schema: AvroSchema,
      options: { codec: string; metadata: Record<string, Buffer>; blockSize: number },
    ) => Duplex
    readonly BlockDecoder: new (options: { readerSchema?: AvroSchema }) => Duplex
  }
}

type AvroSchema = string | readonly AvroSchema[] | { readonly [attribute: string]: unknown }
type AvroRecord = { readonly [field: string]: unknown }

/** Bytes per block. The records of a block are compressed together. */
const blockBytes = 256 * 1024

/** Writes and reads Avro's object container files. */
export type Avro = ReturnType<typeof loadAvro>

/** @throws ConfigError `package.missing` where the optional package is not installed. */
export function loadAvro(module = 'avsc') {
  const { BlockEncoder, BlockDecoder } = required(module).streams
  return {
    /**
     * Writes a file of records, with texts in its metadata. Attributes of the schema that Avro does not know, such as `field-id`, stay in it.
     */
    write: async (
      schema: AvroSchema,
      metadata: Readonly<Record<string, string>>,
      records: readonly AvroRecord[],
    ): Promise<Buffer> => {
      const texts = Object.entries(metadata).map(([key, text]) => [key, Buffer.from(text)])
      const options = { codec: 'deflate', metadata: Object.fromEntries(texts), blockSize: blockBytes }
      return Buffer.concat(await passed<Buffer>(new BlockEncoder(schema, options), records))
    },
    /** Reads the records of a file; with a schema, only the fields of that schema. */
    read: (file: Buffer, schema?: AvroSchema): Promise<AvroRecord[]> =>
      passed<AvroRecord>(new BlockDecoder(schema === undefined ? {} : { readerSchema: schema }), [file]),
  }
}

function required(module: string): Avsc {
  try {
    return createRequire(import.meta.url)(module)
  } catch (cause) {
    throw new ConfigError('Publishing as Iceberg needs a package that is not installed.', {
      code: 'package.missing',
      details: { package: module, cause: cause instanceof Error ? (cause.message.split('\n', 1)[0] ?? '') : '' },
      hint: 'Install it in the folder of chainlake: npm install avsc@5.7.9. Nothing was published.',
      cause,
    })
  }
}

/** Writes all of `input` to a stream, and returns everything that the stream gives. */
function passed<T>(stream: Duplex, input: readonly unknown[]): Promise<T[]> {
  return new Promise((resolve, reject) => {
    const output: T[] = []
    stream.on('data', (each: T) => output.push(each))
    stream.on('end', () => resolve(output))
    stream.on('error', reject)
    const write = (from: number): void => {
      for (let at = from; at < input.length; at++)
        if (!stream.write(input[at])) {
          stream.once('drain', () => write(at + 1))
          return
        }
      stream.end()
    }
    write(0)
  })
}
