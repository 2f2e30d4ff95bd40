import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { request } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { containerId } from '../../codec/containers.ts'
import { type RecordedCall, recordedCalls } from '../../devnet/replay/recording.ts'
import { type Devnet, startDevnet } from '../../devnet/serve.ts'
import { recordedLines, recordingFolder } from '../recorded.ts'

type Served = { id: string; bytes: string; index: string }
type Said = { status: number; type: string; body: string }

async function ask(url: string, call: RecordedCall['request']): Promise<Said> {
  const answer = await request(`${url}${call.path}`, {
    method: call.method as 'GET' | 'POST',
    headers: call.headers,
    ...(call.method === 'POST' ? { body: call.body ?? '' } : {}),
  })
  return {
    status: answer.statusCode,
    type: String(answer.headers['content-type'] ?? ''),
    body: await answer.body.text(),
  }
}

function recorded(call: RecordedCall): Said {
  return { status: call.answer!.status, type: call.answer!.headers['content-type'] ?? '', body: call.answer!.body }
}

for (const recording of ['granite', 'helicon']) {
  describe(`replay of ${recording}`, () => {
    let devnet: Devnet
    const folder = recordingFolder(recording)
    beforeAll(async () => {
      devnet = await startDevnet({ replay: folder })
    })
    afterAll(() => devnet.close())

    test('returns the recorded response to every recorded call', async () => {
      const calls = recordedCalls(folder)
      expect(calls.length).toBeGreaterThan(450)
      const differing: unknown[] = []
      for (const call of calls) {
        const said = await ask(devnet.url, call.request)
        const wanted = recorded(call)
        if (JSON.stringify(said) !== JSON.stringify(wanted)) {
          differing.push({ name: call.name, said: clip(said), wanted: clip(wanted) })
        }
      }
      expect(differing).toEqual([])
    })

    test.each(['P', 'X', 'C'] as const)('serves every container of %s with the id of its bytes', async (chain) => {
      const last = await ask(devnet.url, rpcCall(`/ext/index/${chain}/block`, 'index.getLastAccepted', {}))
      const head = Number(JSON.parse(last.body).result.index)
      expect(head).toBeGreaterThan(100)
      for (let from = 0; from <= head; from += 1024) {
        const said = await ask(devnet.url, rangeCall(`${chain}/block`, from, 1024))
        const { containers } = JSON.parse(said.body).result as { containers: Served[] }
        expect(containers).toHaveLength(Math.min(1024, head + 1 - from))
        const wrong = containers.filter(({ id, bytes, index }, at) => {
          return Number(index) !== from + at || containerId(Buffer.from(bytes.slice(2, -8), 'hex')) !== id
        })
        expect(wrong).toEqual([])
      }
    })
  })
}

describe('the simulated node', () => {
  test('follows the recorded transport rules', async () => {
    const cacheDir = mkdtempSync(join(tmpdir(), 'devnet-transport-'))
    const devnet = await startDevnet({ blocks: 10, cacheDir })
    try {
      // Excludes calls that depend on a chain that is not simulated, or on containers of the recorded chain.
      const calls = recordedCalls(recordingFolder('granite')).filter(({ name, request: { path } }) => {
        return name.startsWith('transport ') && !/\/bc\/[XC]/.test(path)
      })
      expect(calls.length).toBeGreaterThan(15)
      for (const call of calls) {
        expect({ name: call.name, ...(await ask(devnet.url, call.request)) }).toEqual({
          name: call.name,
          ...recorded(call),
        })
      }
    } finally {
      await devnet.close()
      rmSync(cacheDir, { recursive: true })
    }
  })
})

describe('replay of other recordings', () => {
  test.each([
    ['X/vtx', 97],
    ['X/tx', 445],
  ])('serves the index %s of the legacy recording in order, without recorded calls', async (path, count) => {
    await expectServed(recordingFolder('legacy'), path, count, '12345')
  })

  test('serves an unsorted array of containers in order, without recorded calls', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'devnet-array-'))
    const lines = recordedLines('helicon/p-containers').slice(0, 221)
    writeFileSync(join(folder, 'containers.json'), `[${lines.toReversed().join(',')}]`)
    try {
      await expectServed(folder, 'P/block', 221, '88003')
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  test('refuses a folder without a recording', async () => {
    await expect(startDevnet({ replay: recordingFolder('') })).rejects.toMatchObject({ code: 'config.replay' })
  })
})

async function expectServed(folder: string, path: string, count: number, networkID: string): Promise<void> {
  const devnet = await startDevnet({ replay: folder })
  try {
    const said = await ask(devnet.url, rangeCall(path, 0, 1024))
    const { containers } = JSON.parse(said.body).result as { containers: { id: string; index: string }[] }
    expect(containers.map(({ index }) => index)).toEqual(Array.from({ length: count }, (_, index) => String(index)))
    const network = await ask(devnet.url, rpcCall('/ext/info', 'info.getNetworkID', {}))
    expect(JSON.parse(network.body).result).toEqual({ networkID })
    const off = await ask(devnet.url, rangeCall('C/block', 0, 1))
    expect(off).toMatchObject({ status: 404, body: '404 page not found\n' })
  } finally {
    await devnet.close()
  }
}

function rangeCall(path: string, startIndex: number, numToFetch: number): RecordedCall['request'] {
  const params = { startIndex, numToFetch, encoding: 'hex' }
  return rpcCall(`/ext/index/${path}`, 'index.getContainerRange', params)
}

function rpcCall(path: string, method: string, params: object): RecordedCall['request'] {
  return {
    method: 'POST',
    path,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  }
}

function clip(said: Said): Said {
  return { ...said, body: said.body.slice(0, 300) }
}
