import { createRequire } from 'node:module'
import type { Duplex } from 'node:stream'
import { ConfigError } from '../errors.ts'

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

export type AvroSchema = string | readonly AvroSchema[] | { readonly [attribute: string]: unknown }
type AvroRecord = { readonly [field: string]: unknown }

/** Writes and reads Avro's object container files. */
export type Avro = {
  /**
   * Writes a file of records, with texts in its metadata. Attributes of the schema that Avro does not know, such as `field-id`, stay in it.
   */
  readonly write: (
    schema: AvroSchema,
    metadata: Readonly<Record<string, string>>,
    records: readonly AvroRecord[],
  ) => Promise<Buffer>
  /** Reads the records of a file; with a schema, only the fields of that schema. */
  readonly read: (file: Buffer, schema?: AvroSchema) => Promise<AvroRecord[]>
}

/** Bytes per block. The records of a block are compressed together. */
const blockBytes = 256 * 1024

/** @throws ConfigError `package.missing` where the optional package is not installed. */
export function loadAvro(module = 'avsc'): Avro {
  const { BlockEncoder, BlockDecoder } = required(module).streams
  return {
    write: async (schema, metadata, records) => {
      const texts = Object.entries(metadata).map(([key, text]) => [key, Buffer.from(text)])
      const options = { codec: 'deflate', metadata: Object.fromEntries(texts), blockSize: blockBytes }
      return Buffer.concat(await passed<Buffer>(new BlockEncoder(schema, options), records))
    },
    read: (file, schema) =>
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
