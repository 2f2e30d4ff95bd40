import { describeReplayedNode } from '../../pipelines/replayed-node.ts'

describeReplayedNode('helicon')
