import type { DevnetNode } from '../node/node.ts'
import { replayRoutes } from './routes.ts'
import { recordedStores } from './stores.ts'

/** A recorded node: it has accepted what it has accepted. */
export function replayNode(folder: string): DevnetNode {
  const stores = recordedStores(folder)
  const accepted = [...stores.values()].reduce((sum, store) => sum + store.count(), 0)
  return { routes: replayRoutes(folder, stores), grow: async () => accepted, close: async () => {} }
}
