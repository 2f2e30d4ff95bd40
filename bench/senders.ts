import { loadAddon, loadLibrary, type RecoverKey } from '../codec/secp256k1.ts'
import { createSenderReader } from '../src/decode/c/rows.ts'
import type { Container } from '../src/model.ts'
import { recordedContainers, recordedContext } from './recorded-containers.ts'

/** A round recovers at least this many senders. The best round counts, because other work of the machine only slows it down. */
const least = 4_000
const rounds = 4

/** Senders recovered from recorded containers per second and core, with the native addon and with WebAssembly. */
export async function senderLines(): Promise<string[]> {
  const containers = recordedContainers('c')
  const addon = loadAddon()
  const byAddon = addon === null ? 'is not installed' : rateText(containers, addon)
  return [`senders, by the addon: ${byAddon}`, `senders, by WebAssembly: ${rateText(containers, await loadLibrary())}`]
}

function rateText(containers: readonly Container[], recover: RecoverKey): string {
  const read = createSenderReader(recover)
  let best = 0
  for (let round = 0; round < rounds; round++) {
    let senders = 0
    const before = process.cpuUsage()
    while (senders < least)
      for (const container of containers) senders += read(container, recordedContext).senders.length
    const { user, system } = process.cpuUsage(before)
    best = Math.max(best, senders / ((user + system) / 1e6))
  }
  return `${Math.round(best)} a second and core`
}
