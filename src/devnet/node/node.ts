import type { Route } from '../http/router.ts'
import type { SocketRoute } from '../http/websocket/serve.ts'

/** What answers behind the URL: a simulated node or the recording of a real one. */
export type DevnetNode = {
  readonly routes: readonly Route[]
  /** Paths that take WebSockets. */
  readonly sockets: readonly SocketRoute[]
  /** Accepts more containers; gives how many have been accepted. */
  grow(containers: number): Promise<number>
  close(): Promise<void>
}
