import { restErc20Transfers } from '../schemas/rest-erc20-transfers.ts'
import { decodeWalletTransfers } from '../src/decode/service/transfers/erc-transfers.ts'
import { pipeline, serviceStream } from '../src/define/index.ts'
import { serviceRoutes } from '../src/sources/service-routes.ts'
import { blockWindow, requestedBlocks, transferParameters } from './shared/block-window.ts'
import { evmAddresses } from './shared/evm-lists.ts'
import { lakeNetwork } from './shared/lake-network.ts'
import { listOf } from './shared/service-job.ts'
import { unitPages, wallets } from './shared/service-parameters.ts'

const route = serviceRoutes.walletTransfers
export const walletTransfersPipeline = pipeline({
  name: 'wallet-transfers',
  comment: 'ERC-20 transfers of wallets, from the REST service.',
  parameters: { ...transferParameters, wallets, 'unit-pages': unitPages },
  tables: { erc20Transfers: restErc20Transfers },
  reads: 'service',
  walks: ['blockWindow'],
  streams: (values) => {
    const network = lakeNetwork(values.network)
    const { 'chain-id': chainId, 'page-size': pageSize = route.mostItems } = values
    return evmAddresses(values.wallets).map((wallet) => ({
      stream: serviceStream(network, `wallet-transfers/${chainId}`, { wallet }),
      walk: blockWindow(values, (slice) =>
        listOf(
          route,
          { chainId, address: wallet },
          { startBlock: slice.from, endBlock: slice.to, pageSize },
          decodeWalletTransfers({ network, chainId }),
          { values: [{ from_address: [wallet], to_address: [wallet] }], range: requestedBlocks(slice) },
        ),
      ),
    }))
  },
})
