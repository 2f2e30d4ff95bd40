import { createHash, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What a request does: `put`, `get`, `head`, `delete`, `list`, and those of uploads in parts. */
export type Requested = {
  readonly what: 'put' | 'get' | 'head' | 'delete' | 'list' | 'begin' | 'part' | 'complete' | 'abort' | 'list-uploads'
  readonly key: string
  /** Bytes of a range, if the request names one. */
  readonly from: number
}

/**
 * What goes wrong with a request. `cut` breaks the connection after the work is done, `lost` before; `truncated` and `wrong` are answers.
 */
export type Fault = 'slow-down' | 'cut' | 'lost' | 'truncated' | 'wrong' | 'not-implemented' | 'denied' | 'skewed'

type Stored = { readonly bytes: Buffer; readonly etag: string; readonly metadata: Record<string, string> }
type Half = { readonly key: string; readonly parts: Map<number, Buffer>; readonly metadata: Record<string, string> }

export type S3Server = {
  readonly url: string
  readonly objects: Map<string, Stored>
  readonly halves: Map<string, Half>
  /** Every request, in order. */
  readonly requested: Requested[]
  /** Returns what goes wrong with a request; null if nothing does. */
  fault: (requested: Requested) => Fault | null
  readonly close: () => Promise<void>
}

export const accessKey = 'AKIDFORTESTS'

/**
 * A service with one bucket, `lake`, and path-style addresses; it implements as much of S3 as a lake needs. A page of a list has `pageKeys`
 * keys.
 */
export async function startS3Server({ pageKeys = 1000 }: { readonly pageKeys?: number } = {}): Promise<S3Server> {
  const objects = new Map<string, Stored>()
  const halves = new Map<string, Half>()
  const requested: Requested[] = []
  const server = createServer((request, response) => {
    void answer(request, response).catch((error: Error) => response.destroy(error))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const self: S3Server = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    objects,
    halves,
    requested,
    fault: () => null,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece as Buffer)
    const body = Buffer.concat(pieces)
    const url = new URL(request.url ?? '', self.url)
    const [bucket, ...rest] = decodeURIComponent(url.pathname).slice(1).split('/')
    const key = rest.join('/')
    const one: Requested = { what: whatOf(request, url), key, from: rangeOf(request)?.from ?? 0 }
    requested.push(one)
    const refuse = (status: number, code: string): void => {
      const text = `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}.</Message></Error>`
      response.writeHead(status, { 'content-type': 'application/xml' })
      response.end(one.what === 'head' ? undefined : text)
    }
    const fault = self.fault(one)
    if (fault === 'slow-down') return refuse(503, 'SlowDown')
    if (fault === 'not-implemented') return refuse(501, 'NotImplemented')
    if (fault === 'denied') return refuse(403, 'AccessDenied')
    if (fault === 'skewed') return refuse(403, 'RequestTimeTooSkewed')
    if (fault === 'lost') return void response.destroy()
    if (!(request.headers.authorization ?? '').includes(`Credential=${accessKey}/`))
      return refuse(403, 'InvalidAccessKeyId')
    if (bucket !== 'lake') return refuse(404, 'NoSuchBucket')
    const write = (status: number, text: string | Buffer = '', headers: Record<string, string> = {}): void => {
      if (fault === 'cut') return void response.destroy()
      if (text.length > 0 || one.what !== 'head') headers['content-length'] = String(Buffer.byteLength(text))
      response.writeHead(status, headers)
      if (fault === 'truncated') {
        response.write(text.slice(0, Math.floor(text.length / 2)))
        setTimeout(() => response.destroy(), 5)
      } else response.end(fault === 'wrong' && typeof text !== 'string' ? damaged(text) : text)
    }
    const isTaken = () => request.headers['if-none-match'] === '*' && objects.has(key)
    switch (one.what) {
      case 'put': {
        const md5 = createHash('md5').update(body).digest()
        const sent = request.headers['content-md5']
        if (sent !== undefined && sent !== md5.toString('base64')) return refuse(400, 'BadDigest')
        if (isTaken()) return refuse(412, 'PreconditionFailed')
        objects.set(key, { bytes: body, etag: md5.toString('hex'), metadata: metadataOf(request) })
        return write(200, '', { etag: `"${md5.toString('hex')}"` })
      }
      case 'begin': {
        const id = randomBytes(8).toString('hex')
        halves.set(id, { key, parts: new Map(), metadata: metadataOf(request) })
        return write(200, `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`)
      }
      case 'part': {
        const half = halves.get(url.searchParams.get('uploadId') ?? '')
        if (half === undefined) return refuse(404, 'NoSuchUpload')
        half.parts.set(Number(url.searchParams.get('partNumber')), body)
        return write(200, '', { etag: `"${createHash('md5').update(body).digest('hex')}"` })
      }
      case 'complete': {
        const id = url.searchParams.get('uploadId') ?? ''
        const half = halves.get(id)
        if (half === undefined) return refuse(404, 'NoSuchUpload')
        if (isTaken()) return refuse(412, 'PreconditionFailed')
        const parts = [...half.parts].sort(([a], [b]) => a - b).map(([, bytes]) => bytes)
        const md5s = parts.map((part) => createHash('md5').update(part).digest())
        const etag = `${createHash('md5').update(Buffer.concat(md5s)).digest('hex')}-${parts.length}`
        objects.set(key, { bytes: Buffer.concat(parts), etag, metadata: half.metadata })
        halves.delete(id)
        return write(200, `<CompleteMultipartUploadResult><ETag>"${etag}"</ETag></CompleteMultipartUploadResult>`)
      }
      case 'abort':
        halves.delete(url.searchParams.get('uploadId') ?? '')
        return write(204)
      case 'delete':
        objects.delete(key)
        return write(204)
      case 'list': {
        const prefix = url.searchParams.get('prefix') ?? ''
        const after = url.searchParams.get('continuation-token') ?? ''
        const keys = [...objects.keys()].filter((each) => each.startsWith(prefix) && each > after).sort()
        const page = keys.slice(0, pageKeys)
        const contents = page.map(
          (each) => `<Contents><Key>${escaped(each)}</Key><Size>${objects.get(each)?.bytes.length}</Size></Contents>`,
        )
        const isCut = page.length < keys.length
        const next = isCut ? `<NextContinuationToken>${escaped(page.at(-1) ?? '')}</NextContinuationToken>` : ''
        return write(
          200,
          `<ListBucketResult><IsTruncated>${isCut}</IsTruncated>${next}${contents.join('')}</ListBucketResult>`,
        )
      }
      case 'list-uploads': {
        const prefix = url.searchParams.get('prefix') ?? ''
        const uploads = [...halves].flatMap(([id, half]) =>
          half.key.startsWith(prefix)
            ? [`<Upload><Key>${escaped(half.key)}</Key><UploadId>${id}</UploadId></Upload>`]
            : [],
        )
        return write(
          200,
          `<ListMultipartUploadsResult><IsTruncated>false</IsTruncated>${uploads.join('')}</ListMultipartUploadsResult>`,
        )
      }
      case 'head':
      case 'get': {
        const found = objects.get(key)
        if (found === undefined) return refuse(404, 'NoSuchKey')
        const headers: Record<string, string> = { etag: `"${found.etag}"` }
        for (const [name, value] of Object.entries(found.metadata)) headers[name] = value
        if (one.what === 'head') return write(200, '', { ...headers, 'content-length': String(found.bytes.length) })
        const match = request.headers['if-match']
        if (match !== undefined && match !== headers['etag']) return refuse(412, 'PreconditionFailed')
        if (one.from === 0) return write(200, found.bytes, headers)
        const range = `bytes ${one.from}-${found.bytes.length - 1}/${found.bytes.length}`
        return write(206, found.bytes.subarray(one.from), { ...headers, 'content-range': range })
      }
    }
  }
  return self
}

function whatOf({ method }: IncomingMessage, { searchParams, pathname }: URL): Requested['what'] {
  const has = (name: string) => searchParams.has(name)
  if (method === 'PUT') return has('partNumber') ? 'part' : 'put'
  if (method === 'POST') return has('uploads') ? 'begin' : 'complete'
  if (method === 'DELETE') return has('uploadId') ? 'abort' : 'delete'
  if (method === 'HEAD') return 'head'
  if (has('uploads')) return 'list-uploads'
  return has('list-type') || pathname.split('/').length < 3 ? 'list' : 'get'
}

function rangeOf({ headers }: IncomingMessage): { from: number } | null {
  const from = /^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1]
  return from === undefined ? null : { from: Number(from) }
}

function metadataOf({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (name.startsWith('x-amz-meta-') ? [[name, String(value)]] : [])),
  )
}

function damaged(bytes: Buffer): Buffer {
  const other = Buffer.from(bytes)
  other[Math.floor(other.length / 2)]! ^= 1
  return other
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
