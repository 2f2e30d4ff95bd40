import { describeReplayedNode } from '../../pipelines/replayed-node.ts'

describeReplayedNode('granite')
describeReplayedNode('helicon')
