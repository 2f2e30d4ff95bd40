import type { Route } from '../http/router.ts'
import type { SocketRoute } from '../http/websocket/serve.ts'

/** The server behind the URL: a simulated node or the recording of a real node. */
export type DevnetNode = {
  readonly routes: readonly Route[]
  /** Paths that accept WebSockets. */
  readonly sockets: readonly SocketRoute[]
  /** Accepts more containers and returns the total number of accepted containers. */
  grow(containers: number): Promise<number>
  close(): Promise<void>
}
