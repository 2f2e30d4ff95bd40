import { loadAddon } from './addon.ts'
import { loadLibrary } from './library.ts'
import type { RecoverKey } from './recover-key.ts'

export type { RecoverKey } from './recover-key.ts'

export const recoverPublicKey: RecoverKey = loadAddon() ?? (await loadLibrary())
