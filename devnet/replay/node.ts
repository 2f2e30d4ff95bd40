import type { DevnetNode } from '../node/node.ts'
import { replayRoutes } from './routes.ts'
import { recordedStores } from './stores.ts'

/** A recorded node. Its heads do not move. */
export async function replayNode(folder: string): Promise<DevnetNode> {
  const stores = recordedStores(folder)
  const accepted = [...stores.values()].reduce((sum, store) => sum + store.count(), 0)
  return { routes: await replayRoutes(folder, stores), sockets: [], grow: async () => accepted, close: async () => {} }
}
