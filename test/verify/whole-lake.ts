import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Devnet, startDevnet } from '../../devnet/serve.ts'
import { packageRoot } from '../../src/lib/package.ts'
import { chainlake } from '../cli/in-process.ts'
import { newLake } from '../run/lake-run.ts'

const readsContainers = /^( +pipeline: (?:p-blocks|x-blocks|c-blocks|x-transactions|x-vertices))$/gm

/** The network that `wholeLake` reads: each start answers the same. */
export function wholeNetwork(blocks: number): Promise<Devnet> {
  return startDevnet({ blocks, legacy: true })
}

/** The configuration that a lake of `wholeLake` was filled with. */
export function configOf(lake: string): string {
  return join(dirname(lake), 'devnet.yaml')
}

/** A lake after a run of all pipelines, which filled every table that can be filled. `raw`: with raw containers. */
export async function wholeLake({ blocks = 300, raw = true } = {}): Promise<string> {
  const lake = newLake()
  const examples = join(packageRoot(), 'examples')
  const config = configOf(lake)
  const text = readFileSync(join(examples, 'devnet.yaml'), 'utf8')
    .replaceAll('./devnet-contracts.txt', join(examples, 'devnet-contracts.txt'))
    .replace(/^ +raw: true\n/m, '')
  writeFileSync(config, raw ? text.replace(readsContainers, '$1\n    raw: true') : text)
  const node = await wholeNetwork(blocks)
  try {
    const args = ['run', '--all', '--config', config, '--lake', lake, '--log-level', 'error']
    const { code, stderr } = await chainlake(args, { env: { DEVNET_URL: node.url } })
    if (code !== 0) throw new Error(`The jobs end with ${code}: ${stderr}`)
  } finally {
    await node.close()
  }
  return lake
}
