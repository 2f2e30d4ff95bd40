import { command } from '../../flags/command.ts'
import { commonFlags, jsonFlag } from '../../flags/options.ts'

export const devnetCommand = command({
  name: 'devnet',
  usage: 'devnet',
  comment: 'Serve a simulated Avalanche network, or a recording, on loopback',
  examples: [{ line: 'chainlake devnet --port 9650', says: 'a node and a service to try chainlake with' }],
  options: {
    port: { type: 'string', requiresArg: true, describe: 'Port on 127.0.0.1; 0 picks a free port [9650]' },
    seed: { type: 'string', requiresArg: true, describe: 'Seed of the simulated chain [1]' },
    blocks: { type: 'string', requiresArg: true, describe: 'Accepted containers per chain at the start [5000]' },
    legacy: { type: 'boolean', describe: 'X-Chain with history from before Cortina: X/vtx and X/tx are not empty' },
    'asset-chains': {
      type: 'boolean',
      describe: 'Add three more chains of the asset VM (see platform.getBlockchains for their ids)',
    },
    'block-time': {
      type: 'string',
      requiresArg: true,
      describe: 'Time between new containers, such as 2s [no new containers]',
    },
    replay: { type: 'string', requiresArg: true, describe: 'Instead serve the recording of a node from this folder' },
    faults: {
      type: 'string',
      requiresArg: true,
      describe: 'Inject faults, such as 5:reset,slow (every fifth request)',
    },
    dialect: {
      type: 'string',
      requiresArg: true,
      describe: 'Format of the answers: node, or spec as in the specification [node]',
    },
    'units-per-minute': {
      type: 'string',
      requiresArg: true,
      describe: 'REST: compute units per minute without a key [unlimited]',
    },
    'units-per-day': {
      type: 'string',
      requiresArg: true,
      describe: 'REST: compute units per day for each caller, with or without a key [unlimited]',
    },
    'api-key': {
      type: 'string',
      requiresArg: true,
      describe:
        'REST: API keys with compute units per minute, such as KEY=9000,OTHER (OTHER: unlimited) [every key is refused]',
    },
    'token-life': {
      type: 'string',
      requiresArg: true,
      describe: 'REST: lifetime of page tokens, such as 30s [24h]',
    },
    'token-end': {
      type: 'string',
      requiresArg: true,
      describe:
        'REST: answer to an expired page token: refuse (400) or restart (the first page) [data refuse, metrics restart]',
    },
    bounds: {
      type: 'string',
      requiresArg: true,
      describe: 'REST: whether startTimestamp and endTimestamp are inclusive or exclusive [inclusive]',
    },
    ...jsonFlag,
    ...commonFlags,
  },
  run: async ({ flags }) => (await import('./serve-devnet.ts')).serveDevnet(flags),
})
