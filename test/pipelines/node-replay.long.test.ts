import { describeReplayedNode } from './replayed-node.ts'

describeReplayedNode('granite')
describeReplayedNode('helicon')
