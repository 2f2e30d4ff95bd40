import { xBalancesList } from '../../pipelines/address-balances.ts'
import { assetList } from '../../pipelines/assets.ts'
import {
  collectibleBalancesList,
  erc20BalancesList,
  erc721BalancesList,
  erc1155BalancesList,
  nativeBalanceList,
} from '../../pipelines/balances.ts'
import { blockchainsList } from '../../pipelines/blockchains.ts'
import { chainMetricsList } from '../../pipelines/chain-metrics.ts'
import { holdersList } from '../../pipelines/holders.ts'
import { nodeBlocksList } from '../../pipelines/node-blocks.ts'
import { pFeesList, validatorFeesList } from '../../pipelines/p-fees.ts'
import { pendingRewardsList } from '../../pipelines/pending-rewards.ts'
import { restChainsList } from '../../pipelines/rest-chains.ts'
import { restEvmBlocksList } from '../../pipelines/rest-evm-blocks.ts'
import { restIcmMessagesList } from '../../pipelines/rest-icm-messages.ts'
import { cTransactionsList, pTransactionsList, xTransactionsList } from '../../pipelines/rest-transactions.ts'
import { restUtxosList } from '../../pipelines/rest-utxos.ts'
import { restValidatorsList } from '../../pipelines/rest-validators.ts'
import { rewardsList } from '../../pipelines/rewards.ts'
import { signaturesList } from '../../pipelines/signatures.ts'
import { subnetList } from '../../pipelines/subnets.ts'
import { feesList, supplyList } from '../../pipelines/supply.ts'
import { tokenTransfersList } from '../../pipelines/token-transfers.ts'
import { tpsList } from '../../pipelines/tps.ts'
import { readDelegators, validatorList } from '../../pipelines/validators.ts'
import { verticesList } from '../../pipelines/vertices.ts'
import { vmConfigList } from '../../pipelines/vm-config.ts'
import {
  internalTransactionsList,
  nativeTransactionsList,
  walletErc20List,
  walletErc1155List,
} from '../../pipelines/wallet-transfers.ts'
import { decodeHealth } from '../../src/decode/node/node.ts'
import type { ReadingContext } from '../../src/define/index.ts'
import { evmAddress, hash, id, nodeId, owner } from './made-ids.ts'

/** For each route of services and nodes: an answer with every field of its rows, and the function that decodes it. */

export type Answered = {
  readonly route: string
  readonly answer: object
  readonly decode: (answer: unknown, context: ReadingContext) => unknown
}

const requested = (chain: 'P' | 'X' | 'C') =>
  ({ network: 'fuji', id: id(chain), alias: chain, parts: { network: 'fuji' } }) as const
const evm = { network: 'fuji', chain_id: '43113' }
const node = { network: 'fuji', subject: 's', subnet_id: id('subnet'), blockchain_id: id('X') }

const asset = { assetId: id('coin'), name: 'Coin', symbol: 'CN', denomination: 9, type: 'secp256k1', amount: '7' }
const chains = { createdOnChainId: id('P'), consumedOnChainId: id('X') }
const pUtxo = {
  ...chains,
  addresses: [`P-${owner('a')}`],
  asset,
  consumingTxHash: id('spender'),
  utxoId: id('utxo'),
  utxoBytes: '0xabcd',
  amount: '7',
  assetId: id('coin'),
  blockNumber: '5',
  blockTimestamp: 1700000000,
  consumingBlockNumber: '6',
  consumingBlockTimestamp: 1700000100,
  platformLocktime: 0,
  outputIndex: 3,
  rewardType: 'VALIDATOR',
  stakeableLocktime: 18446744073709551615n,
  staked: true,
  threshold: 1,
  txHash: id('maker'),
  utxoEndTimestamp: 1700000200,
  utxoStartTimestamp: 1700000050,
  utxoType: 'STAKE',
}
const xUtxo = {
  ...chains,
  addresses: [owner('a')],
  asset,
  consumingTxHash: id('spender'),
  utxoId: id('utxo'),
  utxoBytes: '0xabcd',
  consumingTxTimestamp: 1700000100,
  creationTxHash: id('maker'),
  credentials: [{ signature: 'c2ln', publicKey: 'a2V5' }],
  groupId: 7,
  locktime: 0,
  outputIndex: '3',
  payload: '0x0aff',
  threshold: 1,
  timestamp: 1700000000,
  utxoType: 'nft_transfer',
}
const pTransaction = {
  txHash: id('tx'),
  txType: 'AddDelegatorTx',
  blockTimestamp: 1700000001,
  blockNumber: '6',
  blockHash: id('block'),
  consumedUtxos: [pUtxo],
  emittedUtxos: [],
  sourceChain: id('X'),
  destinationChain: id('P'),
  value: [asset],
  amountBurned: [asset],
  amountStaked: [asset],
  amountL1ValidatorBalanceBurned: [asset],
  startTimestamp: 1700000001,
  endTimestamp: 1700000002,
  delegationFeePercent: '2.5000',
  nodeId: nodeId('a'),
  subnetId: id('subnet'),
  l1ValidatorManagerDetails: { blockchainId: id('evm'), contractAddress: evmAddress('manager') },
  l1ValidatorDetails: [
    {
      validationId: id('v'),
      validationIdHex: hash('v'),
      nodeId: nodeId('b'),
      subnetId: id('subnet'),
      weight: 18446744073709551615n,
      remainingBalance: 0,
      balanceChange: -5,
    },
  ],
  estimatedReward: '12',
  rewardTxHash: id('paid'),
  stakingTxHash: id('staked'),
  rewardAddresses: [`P-${owner('b')}`],
  subnetOwnershipInfo: { locktime: 3, threshold: 2, addresses: [owner('c')] },
  blsCredentials: { publicKey: '0xcc', proofOfPossession: '0xdd' },
  blockchainInfo: { chainName: 'My chain', vmId: id('vm') },
}
const xTransaction = {
  txHash: id('tx'),
  chainFormat: 'linear',
  timestamp: 1700000001,
  txType: 'CreateAssetTx',
  blockHeight: 9,
  blockHash: id('block'),
  consumedUtxos: [xUtxo],
  emittedUtxos: [],
  sourceChain: id('X'),
  destinationChain: id('P'),
  amountUnlocked: [asset],
  amountCreated: [asset],
  assetCreated: {
    assetId: id('coin'),
    name: 'Coin',
    symbol: 'CN',
    denomination: 9,
    type: 'nft',
    createdAtTimestamp: 1700000000,
    cap: 'fixed',
  },
  vertices: [{ hash: id('vertex'), height: 12, timestamp: 1700000002 }],
}
const cTransaction = {
  txHash: id('tx'),
  blockHeight: 77,
  blockHash: hash('block'),
  timestamp: 1700000001,
  txType: 'ExportTx',
  sourceChain: id('C'),
  destinationChain: id('X'),
  amountUnlocked: [asset],
  amountCreated: [asset],
  evmInputs: [{ fromAddress: evmAddress('a'), asset, credentials: [{ signature: 'c2ln', publicKey: 'a2V5' }] }],
  evmOutputs: [{ toAddress: evmAddress('b'), asset }],
  emittedUtxos: [xUtxo],
}
const reward = {
  addresses: [`P-${owner('a')}`],
  txHash: id('staking'),
  amountStaked: '18446744073709551615',
  nodeId: nodeId('a'),
  startTimestamp: 1700000000,
  endTimestamp: 1700000009,
  rewardType: 'VALIDATOR_FEE',
  utxoId: id('utxo'),
  outputIndex: 2,
  rewardTxHash: id('paid'),
  reward: { ...asset, historicalPrice: { currencyCode: 'eur', value: 9.6 } },
}
const rewardAmounts = {
  validationRewardAmount: '5',
  delegationRewardAmount: '6',
  rewardAddresses: [`P-${owner('a')}`],
  rewardTxHash: id('paid'),
}
const activeValidator = {
  txHash: id('tx'),
  nodeId: nodeId('a'),
  subnetId: id('subnet'),
  amountStaked: '18446744073709551615',
  delegationFee: '2.5000',
  startTimestamp: 1700000000,
  endTimestamp: 1700000009,
  blsCredentials: { publicKey: '0xab', proofOfPossession: '0xcd' },
  stakePercentage: 0.25,
  delegatorCount: 3,
  amountDelegated: '7',
  uptimePerformance: 99.5,
  avalancheGoVersion: 'avalanchego/1.14.2',
  delegationCapacity: '8',
  potentialRewards: rewardAmounts,
  validationStatus: 'active',
  validatorHealth: {
    reachabilityPercent: 100,
    benchedPChainRequestsPercent: 0,
    benchedXChainRequestsPercent: 1,
    benchedCChainRequestsPercent: 2.5,
  },
  geolocation: { city: 'C', country: 'C', countryCode: 'CC', latitude: 80.5, longitude: 10.25 },
}
const { potentialRewards: _, ...withoutRewards } = activeValidator
const completedValidator = {
  ...withoutRewards,
  rewards: rewardAmounts,
  validationStatus: 'completed',
  removeTxHash: id('removed'),
  removeTimestamp: 1700000005,
}
const icmTransaction = { txHash: hash('tx'), timestamp: 1700000000, gasSpent: '18446744073709551616' }
const icmMessage = {
  messageId: hash('message'),
  icmContractAddress: evmAddress('contract'),
  sourceBlockchainId: id('source'),
  destinationBlockchainId: id('destination'),
  sourceEvmChainId: '43114',
  destinationEvmChainId: '99999',
  messageNonce: '7',
  from: evmAddress('from'),
  to: evmAddress('to'),
  data: '0xabcd',
  messageExecuted: true,
  receipts: [{ receivedMessageNonce: '6', relayerRewardAddress: evmAddress('relayer') }],
  receiptDelivered: false,
  rewardDetails: {
    address: evmAddress('token'),
    name: 'T',
    symbol: 'T',
    decimals: 18,
    logoUri: 'u',
    ercType: 'ERC-20',
    price: { currencyCode: 'usd', value: 1.5 },
    value: '340282366920938463463374607431768211456',
  },
  sourceTransaction: icmTransaction,
  destinationTransaction: {
    ...icmTransaction,
    rewardRedeemer: evmAddress('redeemer'),
    delivererAddress: evmAddress('deliverer'),
  },
  status: 'delivered',
}
const vertex = {
  vertexHash: id('vertex'),
  parentHashes: [id('a'), id('b')],
  vertexHeight: 12,
  vertexIndex: 3,
  vertexTimestamp: 1600000000,
  txCount: 1,
  transactions: [id('tx')],
  vertexSizeBytes: 400,
}
const nodeBlock = {
  blockNumber: '500',
  blockHash: id('block'),
  parentHash: id('parent'),
  blockTimestamp: 1700000000,
  blockType: 'BanffStandardBlock',
  txCount: 1,
  transactions: [id('t')],
  blockSizeBytes: 900,
  l1ValidatorsAccruedFees: 18446744073709551615n,
  activeL1Validators: 7,
  currentSupply: '460000000000000000',
  proposerDetails: {
    proposerId: id('wrapper'),
    proposerParentId: id('before'),
    proposerNodeId: nodeId('a'),
    proposerPChainHeight: 499,
    proposerTimestamp: 1700000001,
  },
}
const evmBlock = {
  chainId: '43113',
  blockNumber: '7',
  blockTimestamp: 1700000000,
  blockTimestampMilliseconds: 1700000000999,
  blockHash: hash('block'),
  parentHash: hash('parent'),
  txCount: 0,
  cumulativeTransactions: '100',
  gasUsed: '9223372036854775807',
  gasLimit: '18446744073709551615',
  baseFee: (2n ** 256n - 1n).toString(),
  gasCost: '0',
  feesSpent: '12',
  blockMinDelayExcess: 7970124,
}
const party = { address: evmAddress('from'), name: 'F', symbol: 'F', decimals: 18, logoUri: 'u' }
const event = {
  blockNumber: '7',
  blockTimestamp: 1700000000,
  blockTimestampMilliseconds: 1700000000500,
  blockHash: hash('block'),
  txHash: hash('tx'),
  from: party,
  to: { ...party, address: evmAddress('to') },
  logIndex: 4,
}
const price = { currencyCode: 'usd', value: '1.5' }
const metadata = {
  indexStatus: 'INDEXED',
  metadataLastUpdatedTimestamp: 1700000000,
  name: 'n',
  symbol: 's',
  imageUri: 'u',
  description: 'd',
  animationUri: 'u',
  externalUrl: 'u',
  background: 'b',
  attributes: '[]',
  decimals: 0,
  properties: '{}',
}
const erc20 = { address: evmAddress('t'), name: 'T', symbol: 'T', decimals: 6, logoUri: 'u', ercType: 'ERC-20', price }
const nft = { address: evmAddress('t'), tokenId: '5', tokenUri: 'u', metadata }
const erc721 = { ...nft, name: 'T', symbol: 'T', ercType: 'ERC-721', ownerAddress: evmAddress('o') }
const erc1155 = { ...nft, ercType: 'ERC-1155' }
const native = {
  chainId: '43113',
  name: 'N',
  symbol: 'N',
  decimals: 18,
  logoUri: 'u',
  price,
  balance: '5',
  balanceValue: price,
}
const { logIndex: __, ...unnumbered } = event
const nativeTransaction = {
  ...unnumbered,
  chainId: '43113',
  blockMinDelayExcess: 7970124,
  blockIndex: 3,
  txStatus: '1',
  txType: 2,
  gasLimit: '18446744073709551615',
  gasUsed: '21000',
  gasPrice: (2n ** 256n - 1n).toString(),
  nonce: '18446744073709551615',
  method: { callType: 'CONTRACT_CALL', methodHash: '0xa9059cbb', methodName: 'transfer(address,uint256)' },
  value: (2n ** 256n - 1n).toString(),
}
const internalTransaction = {
  ...unnumbered,
  internalTxType: 'DELEGATECALL',
  value: '5',
  isReverted: false,
  gasUsed: '2300',
  gasLimit: '30000',
}
const nodeOwner = { locktime: '0', threshold: '1', addresses: [`P-${owner('a')}`] }
const staker = {
  txID: id('tx'),
  nodeID: nodeId('a'),
  startTime: '1700000000',
  endTime: '1700000009',
  weight: '18446744073709551615',
  potentialReward: '7',
}
const validator = {
  ...staker,
  accruedDelegateeReward: '7',
  delegationFee: '2.0000',
  uptime: '100.0000',
  connected: true,
  signer: { publicKey: '0xab', proofOfPossession: '0xcd' },
  delegatorCount: '0',
  delegatorWeight: '0',
  nextPeriod: '5',
  autoCompoundRewardShares: '6',
  validationRewardOwner: nodeOwner,
  delegationRewardOwner: nodeOwner,
  validatorAuthority: nodeOwner,
}
const l1Validator = {
  validationID: id('v'),
  nodeID: nodeId('a'),
  startTime: '1700000000',
  weight: '5',
  publicKey: '0xab',
  minNonce: '1',
  balance: '9',
  remainingBalanceOwner: nodeOwner,
  deactivationOwner: nodeOwner,
}
const wallet = { ...evm, address: evmAddress('w'), subject: 's' }
const holders = { ...evm, token_address: evmAddress('t'), balance_threshold: '1', subject: 's' }
const chain = {
  chainId: '43113',
  chainName: 'C',
  status: 'OK',
  description: 'd',
  platformChainId: id('C'),
  subnetId: id('subnet'),
  vmId: id('vm'),
  vmName: 'EVM',
  explorerUrl: 'u',
  rpcUrl: 'u',
  wsUrl: 'u',
  isTestnet: true,
  utilityAddresses: { multicall: evmAddress('m') },
  networkToken: { name: 'N', symbol: 'N', decimals: 18, logoUri: 'u', description: 'd' },
  chainLogoUri: 'u',
  private: false,
  enabledFeatures: ['webhooks'],
}
const question = { network: 'fuji', blockchain_id: id('X'), address: owner('a'), subject: 's', nativeAssetId: null }
const message = { network: 'fuji', request_hash: hash('r'), message: '0xab' }
const check = {
  timestamp: '2026-01-01T00:00:00Z',
  duration: 5,
  contiguousFailures: 1,
  timeOfFirstFailure: '2026-01-01T00:00:00Z',
}

export const everyAnswer: readonly Answered[] = [
  { route: 'UTXOs of P', answer: { utxos: [pUtxo] }, decode: restUtxosList(requested('P')) },
  { route: 'UTXOs of X and C', answer: { utxos: [xUtxo] }, decode: restUtxosList(requested('X')) },
  { route: 'P transactions', answer: { transactions: [pTransaction] }, decode: pTransactionsList(requested('P')) },
  { route: 'X transactions', answer: { transactions: [xTransaction] }, decode: xTransactionsList(requested('X')) },
  {
    route: 'C transactions',
    answer: { transactions: [cTransaction] },
    decode: cTransactionsList(requested('C')),
  },
  {
    route: 'rewards',
    answer: { historicalRewards: [reward] },
    decode: rewardsList({ network: 'fuji', currency: 'eur' }),
  },
  {
    route: 'pending rewards',
    answer: {
      pendingRewards: [
        {
          addresses: [`P-${owner('a')}`],
          txHash: id('staking'),
          amountStaked: '18446744073709551615',
          nodeId: nodeId('a'),
          startTimestamp: 1700000000,
          endTimestamp: 1700000009,
          rewardType: 'DELEGATOR',
          progress: 0.5,
          estimatedReward: asset,
        },
      ],
    },
    decode: pendingRewardsList({ network: 'fuji', subject: 's' }),
  },
  {
    route: 'validators of the service',
    answer: { validators: [activeValidator, completedValidator] },
    decode: restValidatorsList({ network: 'fuji', subject: 's' }),
  },
  { route: 'ICM messages', answer: { messages: [icmMessage] }, decode: restIcmMessagesList({ network: 'fuji' }) },
  { route: 'vertices', answer: { vertices: [vertex] }, decode: verticesList(requested('X')) },
  {
    route: 'blocks of a node',
    answer: { blocks: [nodeBlock] },
    decode: nodeBlocksList(requested('P'), { node_id: nodeId('a') }),
  },
  { route: 'EVM blocks', answer: { blocks: [evmBlock] }, decode: restEvmBlocksList(evm) },
  { route: 'EVM chains', answer: { chains: [chain] }, decode: restChainsList({ network: 'fuji', subject: 's' }) },
  {
    route: 'transfers of a wallet',
    answer: { transactions: [{ ...event, value: '9', erc20Token: erc20 }] },
    decode: walletErc20List(evm),
  },
  {
    route: 'native transactions of a wallet',
    answer: { transactions: [nativeTransaction] },
    decode: nativeTransactionsList(evm),
  },
  {
    route: 'internal transactions of a wallet',
    answer: { transactions: [internalTransaction] },
    decode: internalTransactionsList({ ...evm, address: evmAddress('w') }),
  },
  {
    route: 'ERC-1155 transfers of a wallet',
    answer: { transactions: [{ ...event, value: '9', erc1155Token: erc1155 }] },
    decode: walletErc1155List(evm),
  },
  {
    route: 'transfers of ERC-721',
    answer: { transfers: [{ ...event, erc721Token: erc721 }] },
    decode: tokenTransfersList(evm),
  },
  {
    route: 'transfers of ERC-1155',
    answer: { transfers: [{ ...event, value: '9', erc1155Token: erc1155 }] },
    decode: tokenTransfersList(evm),
  },
  {
    route: 'balances of ERC-20',
    answer: {
      nativeTokenBalance: native,
      erc20TokenBalances: [
        { ...erc20, chainId: '43113', balance: '5', balanceValue: price, tokenReputation: 'Malicious' },
      ],
    },
    decode: erc20BalancesList(wallet),
  },
  { route: 'native balances', answer: { nativeTokenBalance: native }, decode: nativeBalanceList(wallet) },
  {
    route: 'balances of ERC-1155',
    answer: { nativeTokenBalance: native, erc1155TokenBalances: [{ ...erc1155, chainId: '43113', balance: '5' }] },
    decode: erc1155BalancesList(wallet),
  },
  {
    route: 'balances of ERC-721',
    answer: { nativeTokenBalance: native, erc721TokenBalances: [{ ...erc721, chainId: '43113' }] },
    decode: erc721BalancesList(wallet),
  },
  {
    route: 'collectibles',
    answer: { collectibleBalances: [{ ...erc1155, chainId: '43113', balance: '5' }] },
    decode: collectibleBalancesList(wallet),
  },
  {
    route: 'holders',
    answer: { addresses: [{ address: evmAddress('h'), sortKey: '5' }] },
    decode: holdersList(holders),
  },
  {
    route: 'average TPS',
    answer: { status: 200, lastRun: 1700000000, results: [{ timestamp: 1700000000, value: 1.5 }] },
    decode: tpsList({ ...evm, interval: 'day' }),
  },
  {
    route: 'chain metrics',
    answer: { results: [{ timestamp: 1700000000, value: 9007199254740993n }] },
    decode: chainMetricsList({ ...evm, metric: 'feesPaid', interval: 'day' }),
  },
  {
    route: 'signed messages',
    answer: { signedMessage: `ab00000000000000011f${'5e'.repeat(96)}` },
    decode: signaturesList(message),
  },
  {
    route: 'validators',
    answer: { validators: [validator] },
    decode: validatorList(node),
  },
  {
    route: 'validators of an L1',
    answer: { validators: [l1Validator] },
    decode: validatorList(node),
  },
  {
    route: 'delegators',
    answer: { validators: [{ delegators: [{ ...staker, rewardOwner: nodeOwner }] }] },
    decode: (answer, at) => readDelegators(answer, at, node),
  },
  {
    route: 'blockchains',
    answer: { blockchains: [{ id: id('X'), name: 'X', subnetID: id('subnet'), vmID: id('vm') }] },
    decode: blockchainsList(node),
  },
  { route: 'supply', answer: { supply: '5', height: '6' }, decode: supplyList(node) },
  { route: 'fees', answer: { txFee: '5', createAssetTxFee: '6' }, decode: feesList(node) },
  {
    route: 'fees of P',
    answer: {
      config: {
        weights: [1, 1000, 1000, 4],
        maxCapacity: 18446744073709551615n,
        maxPerSecond: 100_000,
        targetPerSecond: 50_000,
        minPrice: 1,
        excessConversionConstant: 2_164_043,
      },
      state: { capacity: 983_232, excess: 9_351_730, price: 75, timestamp: '2026-01-01T00:00:00Z' },
    },
    decode: pFeesList({ network: 'fuji', blockchain_id: id('P'), subject: 's' }),
  },
  {
    route: 'fees of validators of L1s',
    answer: {
      config: { capacity: 20_000, target: 10_000, minPrice: 512, excessConversionConstant: 1_246_488_515 },
      state: { excess: 0, price: 512, timestamp: '2026-01-01T00:00:00Z' },
    },
    decode: validatorFeesList({ network: 'fuji', blockchain_id: id('P'), subject: 's' }),
  },
  {
    route: 'subnets of a node',
    answer: {
      isPermissioned: false,
      controlKeys: [`P-${owner('a')}`],
      threshold: '1',
      locktime: '0',
      subnetTransformationTxID: id('transformation'),
      conversionID: id('conversion'),
      managerChainID: id('evm'),
      managerAddress: evmAddress('manager'),
    },
    decode: subnetList({ network: 'fuji', subnet_id: id('subnet'), subject: 's' }),
  },
  {
    route: 'assets',
    answer: { assetID: id('coin'), name: 'C', symbol: 'C', denomination: '9' },
    decode: assetList({ network: 'fuji', blockchain_id: id('X'), requested: id('coin') }),
  },
  {
    route: 'balances of X',
    answer: { balances: [{ asset: id('coin'), balance: '5' }] },
    decode: xBalancesList(question),
  },
  {
    route: 'health',
    answer: { checks: { network: check }, healthy: true },
    decode: (json, at) =>
      decodeHealth({ network: 'fuji', subject: 's', endpoint: 'health', transport: 'rpc', tags: [] })(json, at),
  },
  {
    route: 'settings of an EVM',
    answer: {
      config: {
        'historical-proof-query-window': 5,
        'api-max-blocks-per-request': 5,
        'batch-request-limit': 5,
        'rpc-gas-cap': 5,
      },
    },
    decode: vmConfigList(node),
  },
]
