import type { RpcMethod, RpcMethods } from '../http/json-rpc.ts'
import type { Dialect } from '../index/methods.ts'

/** Names of services by dialect: the specification has neutral names, nodes have their own. */
export const namespaces = {
  platform: { node: 'platform.', spec: 'platform.' },
  xvm: { node: 'avm.', spec: 'xvm.' },
  cx: { node: 'avax.', spec: 'cx.' },
  admin: { node: 'admin.', spec: 'admin_' },
} as const satisfies Record<string, Record<Dialect, string>>

/** The end of the path of atomic methods below `/ext/bc/C` (specification, part 1). */
export const atomicPath: Readonly<Record<Dialect, string>> = { node: '/avax', spec: '/cx' }

/** Methods under the names of a dialect. */
export function named(
  service: keyof typeof namespaces,
  dialect: Dialect,
  methods: Readonly<Record<string, RpcMethod>>,
): RpcMethods {
  const prefix = namespaces[service][dialect]
  return Object.fromEntries(Object.entries(methods).map(([name, method]) => [prefix + name, method]))
}
