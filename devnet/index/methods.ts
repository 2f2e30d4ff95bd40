import type { RpcMethods } from '../http/json-rpc.ts'
import { type Encoding, encodingOf, idOf, MethodError, type Parameters, uint64Of } from '../http/json-rpc.ts'
import type { DevnetRequest } from '../http/router.ts'
import type { ContainerStore } from './store.ts'
import { shortened } from './store.ts'

/** `spec`: the shapes of the specification (4.5). `node`: the behaviour of a real node. */
export type Dialect = 'node' | 'spec'

const maxRange = 1024

/** The store that a request sees. A fault can replace it by another store. */
type StoreView = (request: DevnetRequest) => Promise<ContainerStore>

/** The methods of the index API (specification 4.5) for a store. */
export function indexMethods(view: StoreView, dialect: Dialect): RpcMethods {
  return {
    'index.getLastAccepted': async (parameters, request) => {
      const encoding = readEncoding(parameters)
      const store = await view(request)
      const count = store.count()
      if (count === 0) throw new MethodError('no containers have been accepted')
      return [encoded(await store.texts(count - 1, count), encoding)]
    },
    'index.getContainerByIndex': async (parameters, request) => {
      const index = uint64Of(parameters, 'index')
      const encoding = readEncoding(parameters)
      const store = await view(request)
      if (index >= BigInt(store.count())) throw new MethodError(`no container at index ${index}`)
      return [encoded(await store.texts(Number(index), Number(index) + 1), encoding)]
    },
    'index.getContainerByID': async (parameters, request) => {
      const id = idOf(parameters, 'id')
      const encoding = readEncoding(parameters)
      const store = await view(request)
      const index = findIndex(store, id)
      return [encoded(await store.texts(index, index + 1), encoding)]
    },
    'index.getContainerRange': async (parameters, request) => {
      const start = uint64Of(parameters, 'startindex')
      const wanted = uint64Of(parameters, 'numtofetch')
      const encoding = encodingOf(parameters)
      const store = await view(request)
      const open = dialect === 'spec' ? '[' : '{"containers":['
      const close = dialect === 'spec' ? ']' : ']}'
      if (wanted === 0n && dialect === 'spec') return [open, close]
      const count = store.count()
      checkRange(start, wanted, count)
      if (encoding === 'json') throw new MethodError('unsupported encoding in method')
      const from = Number(start)
      const containers = shortened(request.fault, Math.min(count - from, Number(wanted)))
      return [open, encoded(await store.texts(from, from + containers), encoding), close]
    },
    'index.getIndex': async (parameters, request) => {
      const id = idOf(parameters, 'id')
      encodingOf(parameters)
      return [`{"index":"${findIndex(await view(request), id)}"}`]
    },
    'index.isAccepted': async (parameters, request) => {
      const id = idOf(parameters, 'id')
      encodingOf(parameters)
      const store = await view(request)
      const index = store.indexOf(id)
      return [`{"isAccepted":${index !== null && index < store.count()}}`]
    },
  }
}

function checkRange(start: bigint, wanted: bigint, count: number): void {
  if (wanted === 0n || wanted > BigInt(maxRange)) {
    throw new MethodError(`numToFetch must be in [1,${maxRange}] but is ${wanted}`)
  }
  if (count === 0) throw new MethodError('no containers have been accepted')
  if (start >= BigInt(count)) throw new MethodError(`start index (${start}) > last accepted index (${count - 1})`)
}

function readEncoding(parameters: Parameters): Encoding {
  const encoding = encodingOf(parameters)
  if (encoding === 'json') throw new MethodError('unsupported encoding in method')
  return encoding
}

function findIndex(store: ContainerStore, id: string): number {
  const index = store.indexOf(id)
  if (index === null || index >= store.count()) throw new MethodError('not found')
  return index
}

/** Encodes stored texts. They have the encoding `hex`; `hexc` is another name for it, and `hexnc` has no checksum. */
function encoded(texts: Buffer, encoding: Encoding): Buffer | string {
  if (encoding === 'hex') return texts
  const checksum = encoding === 'hexnc' ? '[0-9a-f]{8}' : ''
  const tail = new RegExp(`${checksum}","timestamp":"([^"]*)","encoding":"hex"`, 'g')
  return texts.toString('latin1').replace(tail, `","timestamp":"$1","encoding":"${encoding}"`)
}
