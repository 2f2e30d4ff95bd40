import { afterAll, describe, expect, test } from 'vitest'
import { type NodeCall, theNode } from '../../src/define/index.ts'
import { HttpError, RpcError } from '../../src/errors.ts'
import { createTransport } from '../../src/fetch/transport.ts'
import { askNode } from '../../src/sources/node.ts'
import { type LocalServer, type Reply, startServer } from '../fetch/local-server.ts'

type Requested = { readonly path: string; readonly method: string; readonly params: unknown }

const open: { close(): Promise<unknown> }[] = []
afterAll(() => Promise.all(open.map((one) => one.close())))

/** A node that returns the calls it knows as the result, and refuses the others like nodes and gateways do. */
async function node(knows: (requested: Requested) => boolean, refusal: (requested: Requested) => object | number) {
  const requested: Requested[] = []
  const server: LocalServer = await startServer(({ path, body }): Reply => {
    const { id, method, params } = JSON.parse(body)
    const one = { path, method, params }
    requested.push(one)
    if (knows(one)) return { body: JSON.stringify({ jsonrpc: '2.0', id, result: one }) }
    const refused = refusal(one)
    return typeof refused === 'number'
      ? { status: refused, body: '404 page not found\n' }
      : { body: JSON.stringify({ jsonrpc: '2.0', id, error: refused }) }
  })
  const transport = createTransport({ baseUrl: server.url })
  open.push(server, transport)
  return { requested, transport }
}

const call = (path: string, method: string, params: NodeCall['params'] = {}): NodeCall => ({
  host: 'node',
  endpoint: theNode,
  path,
  method,
  params,
})
const parse = (answer: unknown) => answer as Requested

describe('the namespace of a method', async () => {
  const real = await node(
    ({ path, method }) => /^(avm|avax|admin|platform)\./.test(method) && !path.endsWith('/cx'),
    ({ path, method }) =>
      path.endsWith('/cx')
        ? 404
        : { code: -32000, message: `rpc: can't find service ${JSON.stringify(method)}`, data: null },
  )
  const specified = await node(
    ({ path, method }) => /^(xvm|cx|platform)\.|^admin_/.test(method) && !path.endsWith('/avax'),
    ({ path }) => (path.endsWith('/avax') ? 404 : { code: -32601, message: 'Method not found' }),
  )

  test.each([
    ['xvm.getTx', '/ext/bc/X', 'avm.getTx', '/ext/bc/X', { txID: 'a' }, { txID: 'a' }],
    ['cx.getUTXOs', '/ext/bc/C/cx', 'avax.getUTXOs', '/ext/bc/C/avax', { limit: 1 }, [{ limit: 1 }]],
    ['admin_getVMConfig', '/ext/bc/C/admin', 'admin.getVMConfig', '/ext/bc/C/admin', {}, []],
  ])('of %s is found on either kind of node', async (method, path, nodeMethod, nodePath, params, inSpecification) => {
    for (let again = 0; again < 2; again++) {
      const question = call(path, method, params)
      expect(await askNode(real.transport, question, { parse })).toEqual({
        path: nodePath,
        method: nodeMethod,
        params,
      })
      expect(await askNode(specified.transport, question, { parse })).toEqual({
        path,
        method,
        params: inSpecification,
      })
    }
    // The client remembers the namespace and does not try the other one again.
    const about = (requested: readonly Requested[]) =>
      requested.filter((one) => [method, nodeMethod].includes(one.method))
    expect([about(real.requested), about(specified.requested)].map((requested) => requested.length)).toEqual([2, 3])
  })

  test('is left unchanged for all other methods', async () => {
    expect(await askNode(real.transport, call('/ext/bc/P', 'platform.getHeight'), { parse })).toMatchObject({
      method: 'platform.getHeight',
    })
  })

  test('that the node does not know is an error with the name from the node', async () => {
    const nothing = await node(
      () => false,
      ({ method }) => ({ code: -32000, message: `rpc: can't find method ${JSON.stringify(method)}` }),
    )
    const failure = askNode(nothing.transport, call('/ext/bc/X', 'xvm.getTxFee'), { parse })
    await expect(failure).rejects.toMatchObject({ rpcCode: -32000, answer: 'rpc: can\'t find method "avm.getTxFee"' })
  })

  test('does not change when the node refuses a call', async () => {
    const refusing = await node(
      () => false,
      ({ method }) => ({ code: -32000, message: method.startsWith('avm.') ? 'not found' : "rpc: can't find service" }),
    )
    for (let again = 0; again < 2; again++)
      await expect(askNode(refusing.transport, call('/ext/bc/X', 'xvm.getTx'), { parse })).rejects.toThrow(RpcError)
    expect(refusing.requested.map(({ method }) => method)).toEqual(['avm.getTx', 'avm.getTx'])
  })
})

describe('a GET request', () => {
  const get = { host: 'node', endpoint: theNode, method: 'GET', path: '/ext/health' } as const

  test('repeats a key of the query and reads the answers of the listed statuses', async () => {
    const server = await startServer(({ path }) => ({ status: 503, body: `{"healthy":false,"url":"${path}"}` }))
    const transport = createTransport({ baseUrl: server.url, tries: 1 })
    open.push(server, transport)
    const query = { tag: ['a', 'b&'] }
    expect(await askNode(transport, { ...get, query, answers: [503] }, { parse })).toEqual({
      status: 503,
      json: { healthy: false, url: '/ext/health?tag=a&tag=b%26' },
    })
    await expect(askNode(transport, { ...get, query, answers: [] }, { parse })).rejects.toThrow(HttpError)
  })
})
