import { command } from '../../flags/command.ts'
import { commonFlags, jsonFlag } from '../../flags/options.ts'

export const devnetCommand = command({
  name: 'devnet',
  usage: 'devnet',
  comment: 'Serve a simulated network, or a recording, on loopback',
  options: {
    port: { type: 'string', requiresArg: true, describe: 'Port on 127.0.0.1; 0 for a free one [9650]' },
    seed: { type: 'string', requiresArg: true, describe: 'Seed of the simulated chain [1]' },
    blocks: { type: 'string', requiresArg: true, describe: 'Containers accepted at the start [5000]' },
    legacy: { type: 'boolean', describe: 'The X chain is older than Cortina: X/vtx and X/tx are not empty' },
    'asset-chains': {
      type: 'boolean',
      describe: 'Three more chains of the asset VM, by their ids (see platform.getBlockchains)',
    },
    'block-time': {
      type: 'string',
      requiresArg: true,
      describe: 'Time between further containers, such as 2s [none come]',
    },
    replay: { type: 'string', requiresArg: true, describe: 'Folder with the recording of a node to serve instead' },
    faults: { type: 'string', requiresArg: true, describe: 'Failing requests, such as 5:reset,slow (every fifth)' },
    dialect: {
      type: 'string',
      requiresArg: true,
      describe: 'node, or spec for the shapes of the specification [node]',
    },
    'units-per-minute': {
      type: 'string',
      requiresArg: true,
      describe: 'REST: compute units a minute without a key [unlimited]',
    },
    'units-per-day': {
      type: 'string',
      requiresArg: true,
      describe: 'REST: compute units a day of each caller, with a key or without [unlimited]',
    },
    'api-key': {
      type: 'string',
      requiresArg: true,
      describe:
        'REST: keys with their units a minute, such as KEY=9000,OTHER (OTHER: unlimited) [every key is refused]',
    },
    'token-life': {
      type: 'string',
      requiresArg: true,
      describe: 'REST: how long page tokens are known, such as 30s [24h]',
    },
    'token-end': {
      type: 'string',
      requiresArg: true,
      describe:
        'REST: what an old token gives: refuse (400) or restart (the first page) [data refuse, metrics restart]',
    },
    bounds: {
      type: 'string',
      requiresArg: true,
      describe: 'REST: whether startTimestamp and endTimestamp themselves are in: inclusive, exclusive [inclusive]',
    },
    ...jsonFlag,
    ...commonFlags,
  },
  run: async ({ flags }) => (await import('./serve-devnet.ts')).serveDevnet(flags),
})
