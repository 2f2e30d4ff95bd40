import type { ServiceProfile } from '../../src/sources/service-profile.ts'

/** A profile of the servers of a test, without limits. */
export function profileAt(dataUrl: string, metricsUrl = dataUrl): ServiceProfile {
  return {
    name: 'test',
    dataUrl,
    metricsUrl,
    keyHeader: 'x-service-api-key',
    key: null,
    unitsPerDay: { data: null, metrics: null },
    unitsPerMinute: { data: null, metrics: null },
    weights: {
      data: { free: 1, small: 10, medium: 20, large: 50, xl: 100, xxl: 200 },
      metrics: { free: 1, small: 20, medium: 100, large: 500, xl: 1000, xxl: 3000 },
    },
    networks: { local: 'mainnet' },
    chains: { local: { X: 'xid' } },
    getAddresses: 64,
    postAddresses: 512,
    tpsPath: '/v1/avg_tps/{chainId}',
    signingSubnetFields: ['signingSubnetId'],
  }
}
