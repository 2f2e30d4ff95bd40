import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'

/** Decompressors of recorded files by file extension. */
const packings = { gz: gunzipSync, br: brotliDecompressSync } as const

/** The path of a packed file of a recording (such as `p-containers.jsonl`) and its decompressor; null if the file does not exist. */
function packedFile(folder: string, file: string): { path: string; unpack: (bytes: Buffer) => Buffer } | null {
  for (const [end, unpack] of Object.entries(packings)) {
    const path = join(folder, `${file}.${end}`)
    if (existsSync(path)) return { path, unpack }
  }
  return null
}

/** Whether a recording contains a file, packed as gzip or brotli. */
export function isRecorded(folder: string, file: string): boolean {
  return packedFile(folder, file) !== null
}

/** The lines of a file of a recording, packed as gzip or brotli; null if the recording does not contain it. */
export function recordedLines(folder: string, file: string): string[] | null {
  const packed = packedFile(folder, file)
  if (packed === null) return null
  return packed
    .unpack(readFileSync(packed.path))
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '')
}
