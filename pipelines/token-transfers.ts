import { restErc20Transfers, restErc721Transfers, restErc1155Transfers } from '../schemas/rest-tokens.ts'
import { pipeline, serviceStream } from '../src/define/index.ts'
import { serviceRoute } from '../src/sources/service-routes.ts'
import { contracts, evmAddresses } from './shared/parameters.ts'
import {
  blockWindow,
  listOf,
  onEvmChain,
  refusedOfTransfers,
  requestedBlocks,
  transferList,
  transferParameters,
} from './shared/service.ts'

export const tokenTransfersRoute = serviceRoute('/v1/chains/{chainId}/tokens/{address}/transfers', 'medium', 100)
const tables = {
  erc20Transfers: restErc20Transfers,
  erc721Transfers: restErc721Transfers,
  erc1155Transfers: restErc1155Transfers,
}
export const tokenTransfersList = transferList('transfers', tables, null, (standard) => `${standard}Transfers` as const)

export const tokenTransfersPipeline = pipeline({
  name: 'token-transfers',
  comment: 'Transfers of ERC-20, ERC-721 and ERC-1155 contracts, from the REST service.',
  parameters: { ...transferParameters, contracts },
  tables,
  refused: refusedOfTransfers,
  reads: 'service',
  walks: ['blockWindow'],
  streams: (given, facts) =>
    onEvmChain(given, facts, (values) => {
      const { network, 'chain-id': chainId, 'page-size': pageSize } = values
      return evmAddresses(values.contracts).map((contract) => ({
        stream: serviceStream(network, 'token-transfers', { contract }, chainId),
        walk: blockWindow(values, (slice) =>
          listOf(
            tokenTransfersRoute,
            { chainId, address: contract },
            { startBlock: slice.from, endBlock: slice.to, pageSize },
            tokenTransfersList({ network, chain_id: chainId }),
            { values: [{ token_address: [contract] }], range: requestedBlocks(slice) },
          ),
        ),
      }))
    }),
})
