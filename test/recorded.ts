import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { parse } from 'lossless-json'
import { rfc3339ToNs } from '../src/lib/time.ts'
import type { Container } from '../src/model.ts'
import { sharedData } from './shared-data.ts'

/** The lines of a gzipped file of the shared data. */
export function recordedLines(path: string): string[] {
  return gunzipSync(readFileSync(sharedData(path)))
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '')
}

type ApiContainer = { index: string; id: string; timestamp: string; bytes: string }

/** A container as the index API gave it, without its checksum. */
export function containerOf(api: ApiContainer): Container {
  return {
    index: Number(api.index),
    id: api.id,
    acceptedAtNs: rfc3339ToNs(api.timestamp)!,
    bytes: new Uint8Array(Buffer.from(api.bytes.slice(2, -8), 'hex')),
  }
}

/** Recorded containers in order, such as those of `recorded/granite/p-containers.jsonl.gz`. */
export function recordedContainers(path: string): Container[] {
  return recordedLines(path).map((line) => containerOf(JSON.parse(line) as ApiContainer))
}

/** JSON with every number as a bigint: amounts of a node reach 2^64 - 1. */
export function parseNodeJson(text: string): any {
  return parse(text, undefined, (number) => BigInt(number))
}
